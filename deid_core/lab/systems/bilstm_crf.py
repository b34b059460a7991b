"""System `bilstm-crf`: seed 003's neural model (section 4.3), a BiLSTM with a CRF layer over words and characters.

A token is its word embedding beside its contextual string embedding: the states of two language models of characters
(char_language_model.py), which are trained here and then kept as they are. Training is the paper's: stochastic gradient
descent from 0.1, halved after three epochs without a lower loss, locked dropout of 0.5.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files, write_files
from deid_core.lab.systems.char_language_model import CharLanguageModel, train_language_model
from deid_core.lab.systems.linear_chain import LinearChain
from deid_core.lab.systems.sentences import sentences, tagged_sentences
from deid_core.lab.systems.settings import BiLstmCrfSettings
from deid_core.lab.systems.token_classes import CLASSES, bio_tags, spans_of_tags

NAME = "bilstm-crf"
_FILES = ("system.json", "weights.npz")
_LEAST_RATE = 1e-4
_TAGS = ("O", *(f"{prefix}-{name}" for name in CLASSES for prefix in "BI"))
Tensor = Any


class _Network(nn.Module):
    """Scores of tags for each token of a sentence."""

    def __init__(self, settings: BiLstmCrfSettings, words: int, contextual: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words + 1, settings.word_size)
        self.lstm = nn.LSTM(settings.word_size + contextual, settings.hidden, bidirectional=True, batch_first=True)
        self.output = nn.Linear(2 * settings.hidden, len(_TAGS))
        self.chain = LinearChain(len(_TAGS))
        self._dropout = settings.dropout

    def forward(self, words: Tensor, contextual: Tensor) -> Tensor:
        """Return the scores of shape (sentences, tokens, tags); words: numbers; contextual: embeddings."""
        joined = self._locked(torch.cat([self.embedding(words), contextual], 2))
        return self.output(self._locked(self.lstm(joined)[0]))

    def _locked(self, values: Tensor) -> Tensor:
        """Drop the same units at every token of a sentence."""
        if not self.training:
            return values
        kept = 1 - self._dropout
        mask = torch.bernoulli(torch.full((len(values), 1, values.shape[2]), kept, device=values.device))
        return values * mask / kept


class BiLstmCrf(TokenisingSystem):
    """The trained system. words: number of each frequent word in lower case, from 1."""

    name = NAME

    def __init__(
        self, settings: BiLstmCrfSettings, words: Sequence[str], language: CharLanguageModel, network: _Network
    ) -> None:
        super().__init__()
        self._settings, self._words = settings, list(words)
        self._numbers = {word: number for number, word in enumerate(words, 1)}
        self._language, self._network = language.eval(), network.eval()
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path) -> BiLstmCrf:
        """Return the system that `save` wrote. Raises ConfigurationError if it is not there or of other classes."""
        written, [weights] = read_files(folder, NAME, _FILES)
        settings = BiLstmCrfSettings.model_validate(written["settings"])
        language = CharLanguageModel(written["characters"], settings.language_model_hidden, settings.char_size)
        network = _Network(settings, len(written["words"]), language.size)
        with np.load(io.BytesIO(weights), allow_pickle=False) as arrays:
            for name, module in (("language", language), ("network", network)):
                state = {key: torch.tensor(arrays[f"{name}.{key}"]) for key in module.state_dict()}
                module.load_state_dict(state)
        return BiLstmCrf(settings, written["words"], language, network)

    def save(self, folder: Path) -> None:
        """Write the system. Its words are of the training texts."""
        write_files(folder, self._files())

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""
        document = self.document(note)
        of_note = list(sentences(document))
        found: list[str] = []
        with torch.no_grad():
            for at in range(0, len(of_note), self._settings.batch):
                texts = [sentence.words for sentence in of_note[at : at + self._settings.batch]]
                scores, mask = self._scores(texts, self._language.embed(texts))
                found += (_TAGS[code] for codes in self._network.chain.best(scores, mask) for code in codes)
        return spans_of_tags(document.tokens, found, NAME, "bilstm")

    def _scores(self, texts: Sequence[Sequence[str]], contextual: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Return the scores of sentences, padded, and where a token is."""
        device = next(self._network.parameters()).device
        words = [torch.tensor([self._numbers.get(word.lower(), 0) for word in text]) for text in texts]
        padded = nn.utils.rnn.pad_sequence(words, batch_first=True).to(device)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(text), dtype=torch.bool) for text in texts], batch_first=True)
        embedded = nn.utils.rnn.pad_sequence([of.float() for of in contextual], batch_first=True).to(device)
        return self._network(padded, embedded), mask.to(device)

    def fit(self, texts: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> None:
        """Train the network on sentences with their tags."""
        settings, order = self._settings, np.random.default_rng(self._settings.seed)
        codes = [torch.tensor([_TAGS.index(tag) for tag in of]) for of in tags]
        # The language models do not change: each sentence is embedded once.
        contextual: list[Tensor] = []
        for at in range(0, len(texts), settings.batch):
            contextual += [of.half().cpu() for of in self._language.embed(texts[at : at + settings.batch])]
        network = self._network.train()
        optimiser = torch.optim.SGD(network.parameters(), lr=settings.learning_rate)
        halving = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.5, patience=settings.patience)
        for _ in range(settings.epochs):
            total = 0.0
            for chosen in _batches([*map(len, texts)], settings.batch, order):
                scores, mask = self._scores([texts[at] for at in chosen], [contextual[at] for at in chosen])
                gold = nn.utils.rnn.pad_sequence([codes[at] for at in chosen], batch_first=True).to(scores.device)
                loss = network.chain.loss(scores, gold, mask)
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 5.0)
                optimiser.step()
                total += loss.item() * len(chosen)
            halving.step(total)
            if optimiser.param_groups[0]["lr"] < _LEAST_RATE:
                break
        network.eval()
        self.fingerprint = fingerprint(self._files())

    def _files(self) -> dict[str, bytes]:
        buffer = io.BytesIO()
        modules = {"language": self._language, "network": self._network}
        arrays: dict[str, Any] = {
            f"{name}.{key}": value.cpu().numpy()
            for name, module in modules.items()
            for key, value in module.state_dict().items()
        }
        np.savez_compressed(buffer, **arrays)
        written = {
            "name": NAME,
            "classes": list(CLASSES),
            "settings": self._settings.model_dump(),
            "characters": self._language.characters,
            "words": self._words,
        }
        return dict(zip(_FILES, (json.dumps(written, ensure_ascii=False).encode(), buffer.getvalue()), strict=True))


def _batches(lengths: Sequence[int], size: int, order: np.random.Generator) -> Iterator[list[int]]:
    """Yield the numbers of sentences in batches of similar lengths, in a random order: little of them is padding."""
    # The random numbers mix equal and neighbouring lengths.
    ranked = np.argsort(np.array(lengths) + 2 * order.random(len(lengths)))
    for start in (order.permutation(-(-len(lengths) // size)) * size).tolist():
        yield ranked[start : start + size].tolist()


def train_bilstm_crf(
    settings: BiLstmCrfSettings, examples: Iterable[tuple[Note, Sequence[GoldSpan]]], other_text: str = ""
) -> BiLstmCrf:
    """Return the system, trained on notes with their gold spans. A GPU is used if there is one.

    other_text: German text that the language models learn besides the notes.
    """
    torch.manual_seed(settings.seed)
    texts: list[list[str]] = []
    tags: list[Sequence[str]] = []
    for words, of_words in tagged_sentences(examples, bio_tags):
        texts.append(words)
        tags.append(of_words)
    counts = Counter(word.lower() for text in texts for word in text)
    known = [word for word, count in counts.most_common() if count > 1]
    lines = "\n".join(" ".join(text) for text in texts)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    language = train_language_model(
        (lines + "\n" + other_text)[: settings.language_model_chars],
        settings.language_model_hidden,
        settings.char_size,
        device,
    )
    network = _Network(settings, len(known), language.size).to(device)
    system = BiLstmCrf(settings, known, language, network)
    system.fit(texts, tags)
    return system
