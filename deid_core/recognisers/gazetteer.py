"""Recogniser `gazetteer`: words and word sequences of the lists of names.

`ambiguous: accept` is the method of seed 000 (section 6.1): an entry of a list is a name wherever it stands, exactly as
the list writes it. `ambiguous: context` also takes inflected forms and other spellings, and asks for evidence where a
word may be something else; lexicon/disambiguation/evidence.py has the table.

The label is that of the first list of the settings that has the entry. A match within a longer one is left out.

`ambiguous: context` also finds a town and a date in brackets: where and when something was done, as in "Z.n. Bypass
(Heidelberg 2013)". Citations look alike ("(Muster 2013)"), and the stacking model has read many. So these are certain,
and it drops neither (ensemble/certain_forms.py): the town is one that no list has as another word or as a name of
people, or a large one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_list
from deid_core.lexicon.disambiguation.evidence import VERDICTS, NameEvidence, Verdict
from deid_core.lexicon.disambiguation.name_flags import AMBIGUOUS
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.lexicon.gazetteer.matcher import Matcher, Matches
from deid_core.recognisers.settings import GazetteerRecogniserSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

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

_STREET_NUMBER = r"""
    (?P<ending>(?:(?<=[sS]tr)\.|(?<=[sS]tr\.)a(?:ß|ss)e)?)   # of "Haupt-Str.", and of the seed's Hauptstr[.](a(ß|ss)e)
    (?:
      GAP
      (?P<digits>
        \d{1,3}(?!\d|\.\d)(?:[ ]?[a-zA-Z](?!\w))?        # 12, 12a, 12 a
        (?:[ ]?[-–/+][ ]?\d{1,3}(?!\d|\.\d)(?:[ ]?[a-zA-Z](?!\w))?){0,2}   # 12-14, 5/2
      )
    | [ ](?P<letter>[a-zA-Z])(?!\w)                        # the seed's expression takes a letter without digits
    )?
"""
_BLANKS = r"[ \u00a0]{1,2}(?:Nr\.?[ ]?)?"
_NUMBER_ACCEPTED = re.compile(_STREET_NUMBER.replace("GAP", _BLANKS), re.VERBOSE)
"""What may follow a street: the seed's ` [0-9]{0,3}[a-zA-Z]?`, and numbers of several parts. Matches always."""
_NUMBER_IN_CONTEXT = re.compile(_STREET_NUMBER.replace("GAP", rf"(?:{_BLANKS}|(?<=[sS]tr\.))"), re.VERBOSE)
"""The same, also without a blank after an abbreviation: Musterstr.12."""

DATED_TOWN, DATE_OF_TOWN = "town.dated", "town.date"
"""The rules of a town and of a date in brackets."""
_DATED_SCORE = 0.95
_LARGE = frozenset(
    line.partition(";")[0]
    for name in ("towns", "towns-austria", "towns-switzerland")
    for line in word_list(f"policies/{name}")
)
_OPENS = re.compile(r"\((?:[^()\n]{0,60}[,;/][ \u00a0])?\Z")
_REACH = 64
_DATE = re.compile(r",?[ \u00a0](?P<date>(?:\d{1,2}[./]){0,2}(?:19|20)\d\d|\d{1,2}/\d\d)(?=[);,])")
_TOWN_LISTS, _NAME_LISTS = bit(ListKind.TOWN), bit(ListKind.FIRST_NAME) | bit(ListKind.SURNAME)


class GazetteerRecogniser:
    """Finds entries of the lists; see the module."""

    kind = "gazetteer"

    def __init__(self, settings: GazetteerRecogniserSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = tuple(check_lists(self.kind, settings.lists, NAME_KINDS))
        in_context = settings.ambiguous == "context"
        self._matcher = Matcher(gazetteer, vocabulary, self._kinds, variants=in_context)
        self._evidence = NameEvidence(gazetteer, vocabulary, self._kinds) if in_context else None

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return a detection for each accepted match; `rule` is the list and the evidence, e.g. "surname.title"."""
        matches = self._matcher.match(document.tokens).outermost()
        if not len(matches):
            return []
        if self._evidence is None:
            start_token, end_token, verdicts = matches.start_token, matches.end_token, self._accepted(matches)
        else:
            start_token, end_token, numbers = self._evidence.judge(document, matches)
            verdicts = [VERDICTS[number] for number in numbers.tolist()]
        starts, ends = document.tokens.starts[start_token].tolist(), document.tokens.ends[end_token - 1].tolist()
        text = document.text
        found = [
            self._detection(text, start, end, verdict)
            for start, end, verdict in zip(starts, ends, verdicts, strict=True)
        ]
        if self._evidence is not None:
            found += self._dated_towns(document, matches, self._evidence.flags_of(document))
        return found

    def _accepted(self, matches: Matches) -> list[Verdict]:
        """Accept every match as a name, as the seed does."""
        return [Verdict(next(k for k in self._kinds if lists & bit(k)), "", 1.0) for lists in matches.lists.tolist()]

    def _detection(self, text: str, start: int, end: int, verdict: Verdict) -> Detection:
        kind, evidence, score = verdict
        if kind is ListKind.STREET:
            expression = _NUMBER_ACCEPTED if self._evidence is None else _NUMBER_IN_CONTEXT
            tail = expression.match(text, end)
            if tail is not None and (tail.group("digits") or (tail.group("letter") and self._evidence is None)):
                end, evidence = tail.end(), "number"
            elif tail is not None:
                end = tail.end("ending")
        rule = f"{kind}.{evidence}" if evidence else str(kind)
        phi = TYPES[kind]
        return Detection(start, end, label_of(phi), phi, self.kind, rule, score)

    def _dated_towns(self, document: Document, matches: Matches, flags: npt.NDArray[np.uint32]) -> Iterator[Detection]:
        """Yield the towns, and the date after each. flags: those of `NameEvidence.flags_of`."""
        text, tokens = document.text, document.tokens
        for number in ((matches.lists & _TOWN_LISTS) != 0).nonzero()[0].tolist():
            first, after = int(matches.start_token[number]), int(matches.end_token[number])
            start, end = int(tokens.starts[first]), int(tokens.ends[after - 1])
            date = _DATE.match(text, end)
            if date is None or not _OPENS.search(text, max(start - _REACH, 0), start):
                continue
            is_ambiguous = bool((flags[first:after] & AMBIGUOUS).all())
            if text[start:end] not in _LARGE and (is_ambiguous or int(matches.lists[number]) & _NAME_LISTS):
                continue
            yield Detection(start, end, Label.LOC, PhiType.TOWN, self.kind, DATED_TOWN, _DATED_SCORE)
            yield Detection(*date.span("date"), Label.DATE, PhiType.DATE, self.kind, DATE_OF_TOWN, _DATED_SCORE)


def check_lists(recogniser: str, names: Iterable[str], allowed: Iterable[ListKind]) -> list[ListKind]:
    """Return the kinds of these names. Raises ConfigurationError, naming those that exist, if one is not allowed."""
    kinds = tuple(allowed)
    wrong = [name for name in names if name not in kinds]
    if wrong:
        raise ConfigurationError(
            f"recogniser {recogniser}: there is no list {', '.join(map(repr, wrong))}; there are: {', '.join(kinds)}"
        )
    return [ListKind(name) for name in names]
