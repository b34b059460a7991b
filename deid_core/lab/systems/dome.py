"""System `dome`: seed 002's two transformers, one for the categories of PHI and one for their types.

A note is cut into windows of word pieces that overlap. Tags are IOB, and a word has the tag of its first piece. Where
both models agree, the type counts; a category without a type counts as the category; where the type is of another
category, the word is Other (seed 002, Model Training). The paper does not say what a type without a category is: it
counts here, since that hides more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForTokenClassification, AutoTokenizer, BertConfig, PreTrainedTokenizerFast

from deid_core.core.labels import TYPES, PhiType, general_type, label_of
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.corpora.bio import chunks, tags
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files
from deid_core.lab.systems.sentences import words_of
from deid_core.lab.systems.settings import DomeSettings
from deid_core.lab.systems.token_classes import CLASSES

NAME = "dome"
_SETTINGS_FILE = "system.json"
_SUPER, _SUB = "superclass", "subclass"
_IGNORED = -100
"""torch's number of a piece without a tag."""
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SUBCLASS_OF = {phi: f"{entry.category}/{entry.kind}" if entry.kind else entry.category for phi, entry in TYPES.items()}
"""The category and type of seed 002 of each type; a category alone where it has no types."""
_TYPE_OF = {name: phi for phi, name in reversed(SUBCLASS_OF.items())}
_CATEGORY_TYPES: dict[str, PhiType] = {}
"""The type that stands for a category whose type is not known: the most general one of its first label."""
for _entry in TYPES.values():
    _CATEGORY_TYPES.setdefault(_entry.category, general_type(_entry.label))
CATEGORIES = tuple(_CATEGORY_TYPES)
Tags = list[str]


def joined(category: str, subclass: str) -> str:
    """Return what two models say of a word together: a subclass, a category or ""; "" is outside."""
    if not category or not subclass:
        return category or subclass
    return subclass if subclass.partition("/")[0] == category else "Other"


def type_of(name: str) -> PhiType:
    """Return the type of a subclass or category."""
    return _CATEGORY_TYPES[name] if name in _CATEGORY_TYPES else _TYPE_OF[name]


class Dome(TokenisingSystem):
    """The trained system in a folder."""

    name = NAME

    def __init__(self, folder: Path) -> None:
        super().__init__()
        written, _ = read_files(folder, NAME, (_SETTINGS_FILE,))
        self._window, self._stride = written["window"], written["stride"]
        self._tokenizer = AutoTokenizer.from_pretrained(folder / _SUPER)
        self._models = {part: _on_device(_load(folder / part)) for part in (_SUPER, _SUB)}
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        self.fingerprint = fingerprint({str(file.relative_to(folder)): file.read_bytes() for file in files})

    @staticmethod
    def from_folder(folder: Path) -> Dome:
        """Return the system of a folder. Raises ConfigurationError if it is not there or of other classes."""
        return Dome(folder)

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""
        document = self.document(note)
        words = words_of(document)
        if not words:
            return ()
        of_super, of_sub = (self._tags(self._models[part], words) for part in (_SUPER, _SUB))
        found = [_joined_tag(first, second) for first, second in zip(of_super, of_sub, strict=True)]
        starts, ends = document.tokens.starts.tolist(), document.tokens.ends.tolist()
        return tuple(
            Span(starts[start], ends[end - 1], label_of(type_of(name)), type_of(name), NAME, "transformer")
            for start, end, name in chunks(found)
        )

    def _tags(self, model: Any, words: Sequence[str]) -> Tags:
        """Return the tag of each word; of windows that overlap, scores are added."""
        scores = np.zeros((len(words), model.config.num_labels), np.float32)
        for pieces, first in _windows(self._tokenizer, words, self._window, self._stride):
            with torch.no_grad():
                given = torch.tensor([pieces], device=model.device)
                found = model(input_ids=given).logits[0].float().cpu().numpy()
            for word, place in first.items():
                scores[word] += found[place]
        return [model.config.id2label[code] for code in scores.argmax(1).tolist()]


def train_dome(settings: DomeSettings, examples: Iterable[tuple[Note, Sequence[GoldSpan]]]) -> _Trained:
    """Return the two models, fine-tuned on notes with their gold spans.

    settings.model: folder of a pretrained model, of which nothing is downloaded; without one both are small and begin
    with random weights. A GPU is used if there is one.
    """
    torch.manual_seed(settings.seed)
    reader = TokenisingSystem()
    texts: list[tuple[list[str], Tags, Tags]] = []
    for note, gold in examples:
        document = reader.document(note)
        named = [(span, SUBCLASS_OF[span.type]) for span in gold]
        subclasses = tags(document.tokens, [LabelledSpan(span.start, span.end, name) for span, name in named])
        categories = [tag.partition("/")[0] for tag in subclasses]
        texts.append((words_of(document), categories, subclasses))
    tokenizer = _tokenizer(settings, (words for words, _, _ in texts))
    trained = {}
    for number, (part, names) in enumerate(((_SUPER, CATEGORIES), (_SUB, tuple(_TYPE_OF)))):
        labels = ["O", *(f"{prefix}-{name}" for name in names for prefix in "BI")]
        model = _on_device(_model(settings, tokenizer, labels))
        _fit(model, tokenizer, settings, [(of[0], of[1 + number]) for of in texts])
        trained[part] = model
    return _Trained(settings, tokenizer, trained)


class _Trained:
    """The models as they were trained, to be written."""

    def __init__(self, settings: DomeSettings, tokenizer: Any, trained: dict[str, Any]) -> None:
        self._settings, self._tokenizer, self._models = settings, tokenizer, trained

    def save(self, folder: Path) -> None:
        """Write the system: two models in the form of transformers, without pickle."""
        folder.mkdir(parents=True, exist_ok=True)
        for part, model in self._models.items():
            model.save_pretrained(folder / part)
            self._tokenizer.save_pretrained(folder / part)
        window = {"window": self._settings.window, "stride": self._settings.stride}
        settings = {"name": NAME, "classes": list(CLASSES), **window}
        (folder / _SETTINGS_FILE).write_text(json.dumps(settings), encoding="utf-8")


def _fit(model: Any, tokenizer: Any, settings: DomeSettings, texts: Sequence[tuple[list[str], Tags]]) -> None:
    codes = model.config.label2id
    rows: list[tuple[list[int], list[int]]] = []
    for words, of_words in texts:
        for pieces, first in _windows(tokenizer, words, settings.window, settings.stride):
            targets = [_IGNORED] * len(pieces)
            for word, place in first.items():
                targets[place] = codes[of_words[word]]
            rows.append((pieces, targets))
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate)
    order = np.random.default_rng(settings.seed)
    model.train()
    for _ in range(settings.epochs):
        shuffled = order.permutation(len(rows))
        for start in range(0, len(rows), settings.batch):
            batch = [rows[at] for at in shuffled[start : start + settings.batch]]
            given, mask = _padded([pieces for pieces, _ in batch], tokenizer.pad_token_id or 0, model.device)
            targets, _ = _padded([of for _, of in batch], _IGNORED, model.device)
            loss = model(input_ids=given, attention_mask=mask, labels=targets).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
    model.eval()


def _padded(rows: Sequence[Sequence[int]], filling: int, device: Any) -> tuple[Any, Any]:
    longest = max(map(len, rows))
    table: npt.NDArray[np.int64] = np.full((len(rows), longest), filling, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)], mask[number, : len(row)] = row, 1
    return torch.tensor(table, device=device), torch.tensor(mask, device=device)


def _windows(
    tokenizer: Any, words: Sequence[str], window: int, stride: int
) -> Iterator[tuple[list[int], dict[int, int]]]:
    """Yield the pieces of each window, and for each word that begins in it the place of its first piece."""
    found = tokenizer(
        list(words),
        is_split_into_words=True,
        truncation=True,
        max_length=window,
        stride=stride,
        return_overflowing_tokens=True,
    )
    for number, pieces in enumerate(found["input_ids"]):
        first: dict[int, int] = {}
        for place, word in enumerate(found.word_ids(number)):
            if word is not None:
                first.setdefault(word, place)
        yield pieces, first


def _joined_tag(first: str, second: str) -> str:
    """Return the tag of a word by the tags of both models; it begins an entity if the model that names it says so."""
    name = joined(first[2:], second[2:])
    begins = second if name == second[2:] else first
    return f"{begins[0]}-{name}" if name else "O"


def _tokenizer(settings: DomeSettings, texts: Iterable[Sequence[str]]) -> Any:
    if settings.model:
        return AutoTokenizer.from_pretrained(settings.model, add_prefix_space=True, local_files_only=True)
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
    pieces.normalizer = normalizers.NFC()
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    pieces.train_from_iterator(
        (" ".join(words) for words in texts),
        trainers.WordPieceTrainer(vocab_size=settings.pieces, special_tokens=list(_SPECIAL), show_progress=False),
    )
    # The special marks have the first numbers, in their order.
    separator, start = ((mark, _SPECIAL.index(mark)) for mark in ("[SEP]", "[CLS]"))
    pieces.post_processor = processors.BertProcessing(separator, start)
    names = zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), _SPECIAL, strict=True)
    return PreTrainedTokenizerFast(tokenizer_object=pieces, **dict(names))


def _model(settings: DomeSettings, tokenizer: Any, labels: Sequence[str]) -> Any:
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: code for code, label in enumerate(labels)}}
    if settings.model:
        return _load(Path(settings.model), ignore_mismatched_sizes=True, num_labels=len(labels), **names)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=4,
        intermediate_size=4 * settings.hidden,
        max_position_embeddings=settings.window,
        **names,
    )
    return AutoModelForTokenClassification.from_config(config)


def _load(folder: Path, **options: Any) -> Any:
    return AutoModelForTokenClassification.from_pretrained(folder, local_files_only=True, **options)


def _on_device(model: Any) -> Any:
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
