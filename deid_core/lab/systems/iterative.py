"""System `iterative`: seed 004's boosted decision trees in three phases.

1. Three models, which differ in their trigger words, classify each token; two of three decide.
2. What the vote found below trusted headings and in the letter's header are trusted phrases. Three further models know
   of each token whether it is part of one, or of the acronym of one.
3. Every occurrence of a phrase that was found gets the class of the longest phrase.
"""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files, write_files
from deid_core.lab.systems.boosted_trees import BoostedTrees, train_boosted_trees, with_forecasts
from deid_core.lab.systems.iterative_features import (
    TokenFeatures,
    TokenText,
    WordCounts,
    common_endings,
    count_words,
    heading_numbers,
    read_text,
)
from deid_core.lab.systems.phrases import (
    Phrases,
    acronyms,
    entities,
    occurrences,
    phrase_classes,
    standardised,
    trusted_headings,
    voted,
)
from deid_core.lab.systems.settings import IterativeSettings
from deid_core.lab.systems.token_classes import CLASSES, OUTSIDE, Codes, spans_of, token_codes
from deid_core.lab.systems.triggers import VARIANTS, Variant, trigger_classes
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.document import Document

NAME = "iterative"
PHASES = ("first", "trusted", "standardised")
"""The rows of seed 004's Table 2."""
_SETTINGS_FILE, _TREES_FILE = "system.json", "trees.npz"
_Array = npt.NDArray[Any]
_CODES = len(CLASSES) + 1
_IN_HEADER = "\t"
"""Stands for the heading of what is in the letter's header: no heading has a tab."""


class _Text(NamedTuple):
    """A note as the models read it. sections: the heading above each token, or that it is in the header."""

    document: Document
    text: TokenText
    sections: list[str]
    breaks: list[bool]


class Iterative(TokenisingSystem):
    """The trained system. trees: named "first-token", …: phase and variant. trusted: headings.

    stage: one of PHASES or VARIANTS, whose result `annotate` gives; anything else is the last phase.
    """

    def __init__(
        self,
        features: TokenFeatures,
        trusted: Iterable[str],
        trees: dict[str, BoostedTrees],
        gazetteer: Gazetteer,
        stage: str = PHASES[-1],
    ) -> None:
        super().__init__()
        self._stage = stage if stage in (*PHASES, *VARIANTS) else PHASES[-1]
        self.name = NAME if self._stage == PHASES[-1] else f"{NAME}-{stage}"
        self._features, self._trusted, self._trees = features, frozenset(trusted), trees
        self._values = features.word_values(gazetteer)
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path, gazetteer: Gazetteer, stage: str = PHASES[-1]) -> Iterative:
        """Return the system that `save` wrote. Raises ConfigurationError if it is not there or of other classes."""
        written, [trees] = read_files(folder, NAME, (_SETTINGS_FILE, _TREES_FILE))
        of = written["features"]
        counts = {word: WordCounts(*found) for word, found in of["counts"].items()}
        features = TokenFeatures(counts, of["endings"], of["headings"], of["triggers"])
        with np.load(io.BytesIO(trees), allow_pickle=False) as arrays:
            read = dict(arrays)
        names = {name.rpartition(".")[0] for name in read}
        models = {name: BoostedTrees.from_arrays(read, name) for name in sorted(names)}
        return Iterative(features, written["trusted"], models, gazetteer, stage)

    def save(self, folder: Path) -> None:
        """Write the system. Its triggers and counts are words of the training texts."""
        write_files(folder, self._files())

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note after the system's stage."""
        document = self.document(note)
        if not len(document.tokens):
            return ()
        return spans_of(document.tokens, self._codes(document), self.name, self._stage)

    def _codes(self, document: Document) -> Codes:
        text = _text(document)
        if self._stage in VARIANTS:
            (variant,) = (v for v in VARIANTS if v == self._stage)
            return self._forecast("first", variant, self._features.table(text.text, self._values, variant))
        return self.phases(document)[PHASES.index(self._stage)]

    def phases(self, document: Document) -> tuple[Codes, Codes, Codes]:
        """Return the class of each token after each of PHASES."""
        text = _text(document)
        tables = {variant: self._features.table(text.text, self._values, variant) for variant in VARIANTS}
        first = voted([self._forecast("first", v, tables[v]) for v in VARIANTS])
        added = _trusted_columns(text, first, self._trusted)
        second = voted([self._forecast("trusted", v, np.concatenate([tables[v], added], 1)) for v in VARIANTS])
        return first, second, standardised(text.text.tokens, second, text.breaks)

    def _forecast(self, phase: str, variant: Variant, table: _Array) -> Codes:
        return self._trees[f"{phase}-{variant}"].predict(table, _CODES)

    def _files(self) -> dict[str, bytes]:
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {
            name: array for key, of in sorted(self._trees.items()) for name, array in of.to_arrays(key).items()
        }
        np.savez_compressed(buffer, **arrays)
        settings = {
            "name": NAME,
            "classes": list(CLASSES),
            "trusted": sorted(self._trusted),
            "features": self._features._asdict(),
        }
        return {
            _SETTINGS_FILE: json.dumps(settings, ensure_ascii=False).encode(),
            _TREES_FILE: buffer.getvalue(),
        }


def train_iterative(
    settings: IterativeSettings,
    gazetteer: Gazetteer,
    examples: Iterable[tuple[Note, Sequence[GoldSpan]]],
    stage: str = PHASES[-1],
) -> Iterative:
    """Return the system, trained on notes with their gold spans. stage: as of `Iterative`.

    The trusted phrases of a training note come from trees that were trained on the other half of the notes, as those of
    an unknown note do. Raises ConfigurationError if the notes have tokens of fewer than two classes.
    """
    reader = TokenisingSystem()
    texts, codes = [], []
    for note, gold in examples:
        document = reader.document(note)
        texts.append(_text(document))
        codes.append(token_codes(document.tokens, gold))
    if len(np.unique(np.concatenate([[OUTSIDE], *codes]))) < 2:
        raise ConfigurationError(f"{NAME}: the texts to train on need tokens of two classes")
    features = _features(settings, texts, codes)
    values = features.word_values(gazetteer)
    trusted = _trusted(settings, texts, codes)
    tables = {v: [features.table(of.text, values, v) for of in texts] for v in VARIANTS}
    added = _held_out_columns(settings, texts, tables["token"], codes, trusted)
    trees = {}
    for variant, of_variant in tables.items():
        trees[f"first-{variant}"] = _trees(settings, of_variant, codes)
        both = [np.concatenate(pair, 1) for pair in zip(of_variant, added, strict=True)]
        trees[f"trusted-{variant}"] = _trees(settings, both, codes)
    return Iterative(features, trusted, trees, gazetteer, stage)


def _text(document: Document) -> _Text:
    text = read_text(document)
    in_header = (document.tokens.starts < document.header_end).tolist()
    sections = [_IN_HEADER if header else of for header, of in zip(in_header, text.headings, strict=True)]
    return _Text(document, text, sections, document.tokens.breaks.tolist())


def _features(settings: IterativeSettings, texts: Sequence[_Text], codes: Sequence[Codes]) -> TokenFeatures:
    """Return what the features know of the texts."""
    words = [of.text for of in texts]
    lists = [of.tolist() for of in codes]
    lowered = [[word.lower() for word in of.words] for of in words]
    return TokenFeatures(
        count_words(words),
        common_endings(words, lists, settings.min_count),
        heading_numbers(words, settings.min_count),
        {
            variant: trigger_classes(
                zip(lowered, (of.places for of in words), lists, strict=True),
                variant,
                classes=_CODES,
                least=settings.min_count,
                most=settings.triggers,
            )
            for variant in VARIANTS
        },
    )


def _trusted(settings: IterativeSettings, texts: Sequence[_Text], codes: Sequence[Codes]) -> set[str]:
    """Return the trusted headings, with the header, whose cells are trusted whatever stands in them."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for of, of_text in zip(texts, codes, strict=True):
        for start, _, code in entities(of_text.tolist(), of.breaks):
            counts[of.sections[start]][code] += 1
    found = trusted_headings(counts, bits=settings.trusted_bits, least=settings.min_count)
    return (found - {""}) | {_IN_HEADER}


def _trusted_phrases(of: _Text, codes: Codes, trusted: Iterable[str]) -> Phrases:
    """Return the phrases that were found in trusted sections of a text."""
    sections = frozenset(trusted)
    return phrase_classes(
        [
            (tuple(of.text.tokens[start:end]), code)
            for start, end, code in entities(codes.tolist(), of.breaks)
            if of.sections[start] in sections
        ]
    )


def _trusted_columns(of: _Text, codes: Codes, trusted: Iterable[str]) -> _Array:
    """Return float32 (tokens, 2): class of the trusted phrase that covers a token, and of the acronym that it is."""
    phrases = _trusted_phrases(of, codes, trusted)
    columns = [occurrences(of.text.tokens, part) for part in (phrases, acronyms(phrases))]
    return np.stack(columns, 1).astype(np.float32)


def _held_out_columns(
    settings: IterativeSettings,
    texts: Sequence[_Text],
    tables: Sequence[_Array],
    codes: Sequence[Codes],
    trusted: Iterable[str],
) -> list[_Array]:
    """Return the trusted columns of each training text, by trees of one variant that were not trained on the text."""
    found = {}
    for half in range(2):
        trees = _trees(settings, tables[1 - half :: 2], codes[1 - half :: 2])
        for number in range(half, len(texts), 2):
            forecast = trees.predict(tables[number], _CODES)
            found[number] = _trusted_columns(texts[number], forecast, trusted)
    return [found[number] for number in range(len(texts))]


def _trees(settings: IterativeSettings, tables: Sequence[_Array], codes: Sequence[Codes]) -> BoostedTrees:
    rows = np.concatenate([with_forecasts(table, of) for table, of in zip(tables, codes, strict=True)])
    return train_boosted_trees(rows, np.concatenate(codes), settings.rounds, settings.leaf)
