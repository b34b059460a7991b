"""Recogniser `gazetteer`: words and word sequences that lists of names have.

`ambiguous: accept` is the seed's way (section 6.1): what a list has is a name, wherever it stands, exactly as the list
writes it. `ambiguous: context` also takes inflected and otherwise spelled forms, and asks for evidence where a word
may be something else; `name_evidence` says what counts as evidence.

A match's label is that of the first of the settings' lists that has it. A match within a longer one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from deid_core.config import GazetteerRecogniserSettings
from deid_core.errors import ConfigurationError
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

TYPES: dict[ListKind, PhiType] = {
    ListKind.FIRST_NAME: PhiType.PERSON,
    ListKind.SURNAME: PhiType.PERSON,
    ListKind.TOWN: PhiType.TOWN,
    ListKind.STREET: PhiType.STREET,
    ListKind.COUNTRY: PhiType.COUNTRY,
    ListKind.REGION: PhiType.REGION,
    ListKind.POSTCODE: PhiType.POSTCODE,
    ListKind.HOSPITAL: PhiType.HOSPITAL,
}

STREET_NUMBER = re.compile(
    r"""
    (?:(?<=[sS]tr)\.|(?<=[sS]tr\.)a(?:ß|ss)e)?           # the rest of "Haupt-Str." and of what the seed's expression takes
    (?:
      [ \u00a0]{1,2}(?:Nr\.?[ ]?)?
      (?:
        \d{1,3}(?!\d|\.\d)(?:[ ]?[a-zA-Z](?!\w))?        # 12, 12a, 12 a
        (?:[ ]?[-–/+][ ]?\d{1,3}(?!\d|\.\d)(?:[ ]?[a-zA-Z](?!\w))?){0,2}   # 12-14, 5/2
      | [a-zA-Z](?!\w)                                    # the seed's expression takes a letter without digits
      )
    )?
    """,
    re.VERBOSE,
)
"""What may follow a street's name: the seed's ` [0-9]{0,3}[a-zA-Z]?`, and numbers of several parts. Always matches."""


class GazetteerRecogniser:
    """Names that the lists have; see the module."""

    kind = "gazetteer"

    def __init__(self, settings: GazetteerRecogniserSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = tuple(check_lists(self.kind, settings.lists, NAME_KINDS))
        self._matcher = gazetteer.matcher(vocabulary, self._kinds, variants=settings.ambiguous == "context")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """One detection a match; `rule` is the list's name, "street.number" with a house number."""
        matches = self._matcher.match(document.tokens).outermost()
        starts = document.tokens.starts[matches.first].tolist()
        ends = document.tokens.ends[matches.last - 1].tolist()
        found = []
        for start, end, lists in zip(starts, ends, matches.lists.tolist(), strict=True):
            kind = next(k for k in self._kinds if lists & bit(k))
            found.append(self._detection(document.text, start, end, kind))
        return found

    def _detection(self, text: str, start: int, end: int, kind: ListKind) -> Detection:
        rule = str(kind)
        if kind is ListKind.STREET:
            tail = STREET_NUMBER.match(text, end)
            if tail is not None and tail.end() > end:
                end, rule = tail.end(), "street.number"
        return Detection(start, end, label_of(TYPES[kind]), TYPES[kind], self.kind, rule)


def check_lists(recogniser: str, names: Iterable[str], allowed: Iterable[ListKind]) -> list[ListKind]:
    """The kinds of these names. Raises ConfigurationError, naming those that exist, if one is not allowed."""
    kinds = tuple(allowed)
    wrong = [name for name in names if name not in kinds]
    if wrong:
        raise ConfigurationError(
            f"recogniser {recogniser}: there is no list {', '.join(map(repr, wrong))}; there are: {', '.join(kinds)}"
        )
    return [ListKind(name) for name in names]
