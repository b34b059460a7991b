"""Scores per token, as seed 000 counts them (section 6.2, Table 9): a token is PHI if a span covers part of it.

Binary: PHI or not, whatever the label. By label: a token counts for the label of the first span that covers it.

Words are the tokens that hold a letter or digit: what a reader calls a word. Marks within a span are easy to find, so
scores of words are a little lower than those of tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.lab.evaluate.scores import LabelledRange, Scores, cohen_kappa
from deid_core.text.header_end import header_end
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import Vocabulary

OUTSIDE = "O"
"""The label of a token that no span touches."""

Rightness = Sequence[bool] | npt.NDArray[np.bool_]
"""For each token whether it was decided rightly."""

_Codes = npt.NDArray[np.int32]
_Table = npt.NDArray[np.int64]
_MAX_WORD_TYPES = 200_000


class TokenEvaluation:
    """Adds up notes; keeps for each token the gold and the predicted label, never the text."""

    def __init__(self, *, with_header: bool = True) -> None:
        self.with_header = with_header
        self.labels: list[str] = [OUTSIDE]
        """Labels in the order they came; a token's code is the index here, 0 for OUTSIDE."""
        self._codes: dict[str, int] = {OUTSIDE: 0}
        self._gold: list[_Codes] = []
        self._found: list[_Codes] = []
        self._is_word: list[npt.NDArray[np.bool_]] = []
        self._vocabulary = Vocabulary()

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> list[bool]:
        """Counts one note and returns, for each token that counts, whether it was decided rightly (PHI or not).

        Without header, tokens before the salutation do not count (seed 000, section 3.1).
        """
        if len(self._vocabulary) > _MAX_WORD_TYPES:
            self._vocabulary = Vocabulary()
        tokens = self._vocabulary.tokenise(text)
        first = 0 if self.with_header else int(np.searchsorted(tokens.starts, header_end(Note("", text))))
        golden, found = self._coded(tokens, gold)[first:], self._coded(tokens, predicted)[first:]
        self._gold.append(golden)
        self._found.append(found)
        # A token that does not begin with a letter or digit is one mark.
        self._is_word.append(np.array([text[start].isalnum() for start in tokens.starts[first:].tolist()], np.bool_))
        right: list[bool] = ((golden > 0) == (found > 0)).tolist()
        return right

    @property
    def words(self) -> TokenEvaluation:
        """The scores of words alone, of the notes so far."""
        of_words = TokenEvaluation(with_header=self.with_header)
        of_words.labels, of_words._codes = [*self.labels], dict(self._codes)
        for gold, found, is_word in zip(self._gold, self._found, self._is_word, strict=True):
            of_words._gold.append(gold[is_word])
            of_words._found.append(found[is_word])
            of_words._is_word.append(is_word[is_word])
        return of_words

    @property
    def notes(self) -> int:
        """How many notes were added."""
        return len(self._gold)

    @property
    def tokens(self) -> int:
        """How many tokens counted."""
        return sum(map(len, self._gold))

    @property
    def confusion(self) -> Counter[tuple[str, str]]:
        """Tokens by (gold label, predicted label), OUTSIDE for none; pairs that occur."""
        table = self.table
        pairs = zip(*np.nonzero(table), strict=True)
        return Counter({(self.labels[g], self.labels[f]): int(table[g, f]) for g, f in pairs})

    @property
    def table(self) -> _Table:
        """Tokens by gold label and predicted label, shape (labels, labels), order of `labels`."""
        return self._cross(_joined(self._gold), _joined(self._found))

    @property
    def note_tables(self) -> _Table:
        """Tokens by note, gold label and predicted label; shape (notes, labels, labels), order of `labels`."""
        size = len(self.labels)
        tables = np.zeros((self.notes, size, size), np.int64)
        for number, (gold, found) in enumerate(zip(self._gold, self._found, strict=True)):
            tables[number] = self._cross(gold, found)
        return tables

    @property
    def counts(self) -> _Table:
        """PHI tokens (true positive, false positive, false negative) of each note, shape (notes, 3)."""
        return _binary(self.note_tables)

    def label_counts(self, label: str) -> _Table:
        """Tokens of one label (true positive, false positive, false negative) of each note, shape (notes, 3).

        Raises KeyError if neither gold nor prediction has the label.
        """
        return _of_label(self.note_tables, self._codes[label])

    @property
    def binary(self) -> Scores:
        """PHI or not."""
        return Scores.of(_binary(self.table))

    @property
    def by_label(self) -> Mapping[str, Scores]:
        """Scores of each label that gold or prediction has, sorted by label."""
        table = self.table
        return {label: Scores.of(_of_label(table, self._codes[label])) for label in sorted(self.labels[1:])}

    @property
    def kappa_binary(self) -> float:
        """Cohen's kappa of PHI or not (seed 000, Table 15)."""
        gold, found = _joined(self._gold) > 0, _joined(self._found) > 0
        return cohen_kappa(np.bincount(2 * gold + found, minlength=4).reshape(2, 2))

    @property
    def kappa_by_label(self) -> float:
        """Cohen's kappa of the labels, OUTSIDE among them (seed 000, Table 18)."""
        return cohen_kappa(self.table)

    @property
    def right_binary(self) -> npt.NDArray[np.bool_]:
        """For each token, in the order of the notes, whether PHI or not was decided rightly."""
        return np.equal(_joined(self._gold) > 0, _joined(self._found) > 0)

    @property
    def right_by_label(self) -> npt.NDArray[np.bool_]:
        """For each token whether it got its gold label, OUTSIDE among them (seed 000, section 6.4.2)."""
        return np.equal(_joined(self._gold), _joined(self._found))

    @property
    def gold_labels(self) -> npt.NDArray[np.str_]:
        """The gold label of each token, in the order of the notes."""
        return np.array(self.labels)[_joined(self._gold)]

    @property
    def found_labels(self) -> npt.NDArray[np.str_]:
        """The predicted label of each token, in the order of the notes."""
        return np.array(self.labels)[_joined(self._found)]

    def _cross(self, gold: _Codes, found: _Codes) -> _Table:
        size = len(self.labels)
        return np.bincount(gold * size + found, minlength=size * size).reshape(size, size)

    def _coded(self, tokens: Tokens, spans: Iterable[LabelledRange]) -> _Codes:
        codes = np.zeros(len(tokens), np.int32)
        for span in _last_first(spans):
            code = self._codes.get(span.label)
            if code is None:
                # A plain string, since the label may be a member of an enumeration.
                code = self._codes[str(span.label)] = len(self.labels)
                self.labels.append(str(span.label))
            codes[_touched(tokens, span)] = code
        return codes


def mcnemar_counts(right_a: Rightness, right_b: Rightness) -> tuple[int, int]:
    """(A right and B wrong, A wrong and B right) over the same tokens.

    Raises ValueError if they are not as many.
    """
    if len(right_a) != len(right_b):
        raise ValueError(f"{len(right_a)} tokens against {len(right_b)}: not the same text")
    a, b = np.asarray(right_a, np.bool_), np.asarray(right_b, np.bool_)
    return int((a & ~b).sum()), int((b & ~a).sum())


def _last_first(spans: Iterable[LabelledRange]) -> list[LabelledRange]:
    """So that where two spans touch a token, the first is written last."""
    return sorted(spans, key=lambda s: (s.start, s.end, s.label), reverse=True)


def _touched(tokens: Tokens, span: LabelledRange) -> slice:
    """The tokens that share a character with a span."""
    return slice(
        int(np.searchsorted(tokens.ends, span.start, side="right")), int(np.searchsorted(tokens.starts, span.end))
    )


def _binary(tables: _Table) -> _Table:
    """(true positive, false positive, false negative) of PHI or not; shape (..., labels, labels) to (..., 3)."""
    found, gold = tables[..., 0, 1:].sum(-1), tables[..., 1:, 0].sum(-1)
    return np.stack([tables[..., 1:, 1:].sum((-2, -1)), found, gold], axis=-1)


def _of_label(tables: _Table, code: int) -> _Table:
    """(true positive, false positive, false negative) of one label; shape (..., labels, labels) to (..., 3)."""
    right = tables[..., code, code]
    return np.stack([right, tables[..., :, code].sum(-1) - right, tables[..., code, :].sum(-1) - right], axis=-1)


def _joined(codes: Sequence[_Codes]) -> _Codes:
    return np.concatenate(codes) if codes else np.zeros(0, np.int32)
