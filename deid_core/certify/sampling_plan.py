"""The sampling plan: which notes people read so that what they find holds for the whole corpus.

Notes are drawn at random in strata: neighbouring years, and in each the tenth of the notes that is most doubtful, of
which more are drawn, since leaks are likelier there. What is found is weighted, so no stratum counts for more than its
notes. The draw depends on the seed and the notes' ids alone, so anybody who may read the lake can repeat it.

restricted/sampling_plan holds the plan and the manifest of the corpus from which it was drawn.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import NamedTuple

from deid_core.certify import manifest
from deid_core.certify.bounds import CONFIDENCE, PER, StratumCount, notes_to_draw
from deid_core.core.errors import ConfigurationError
from deid_core.core.files import PRIVATE, write_whole
from deid_core.lake.layout import RESTRICTED_MODE, Lake
from deid_core.review.doubt import NoteDoubt

DOUBTFUL_SHARE = 0.1
"""Of the notes of a group of years: so many are its doubtful stratum."""
OVERSAMPLING = 3
"""So many times as many are drawn of doubtful notes as of others."""
_FEWEST = 5
"""So many notes are drawn of a group of years at least: years with fewer are joined."""
_FORM = "deid sampling plan 1"

_Members = tuple[list[NoteDoubt], bool, tuple[int, int]]
"""The notes of a stratum, whether it is a doubtful one, its first and last year."""


class PlanStratum(NamedTuple):
    """A stratum: its years, whether it has the doubtful notes of these, its notes, and how many were drawn."""

    first_year: int
    last_year: int
    doubtful: bool
    notes: int
    drawn: int


class PlannedNote(NamedTuple):
    """A note to read. stratum: its index in the plan. text_sha256: of its redacted text when the plan was drawn."""

    note_id: str
    year: int
    stratum: int
    text_sha256: str


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """A plan.

    seed: of the draw. at_most: the wanted bound, notes of 10,000. allowed: of the notes with weight, so many may leak
    for the bound to hold. notes: of the corpus. corpus_sha256: of the manifest. earlier: plans that were drawn of this
    lake before. sample: in the order in which they are read.
    """

    seed: str
    at_most: int
    allowed: int
    confidence: float
    notes: int
    corpus_sha256: str
    earlier: int
    strata: tuple[PlanStratum, ...]
    sample: tuple[PlannedNote, ...]

    def to_json(self) -> bytes:
        """Return the file of the plan."""
        content = {"form": _FORM, **asdict(self)}
        content["strata"] = [stratum._asdict() for stratum in self.strata]
        content["sample"] = [note._asdict() for note in self.sample]
        return (json.dumps(content, indent=1) + "\n").encode()

    @property
    def id(self) -> str:
        """16 hexadecimal digits that name the plan."""
        return sha256(self.to_json()).hexdigest()[:16]

    def best_bound(self) -> list[StratumCount]:
        """Return the strata as if no note leaked, for the lowest bound that the plan can give."""
        return [StratumCount(stratum.notes, stratum.drawn) for stratum in self.strata]


class PlanChoices(NamedTuple):
    """What a caller wants of a plan. simple: without strata. Otherwise as in SamplingPlan."""

    at_most: int
    allowed: int
    seed: str
    simple: bool = False


def draw(doubts: Sequence[NoteDoubt], texts: Mapping[str, str], choices: PlanChoices, earlier: int = 0) -> SamplingPlan:
    """Return the plan of these notes. texts: the SHA-256 of the text of each, by note_id; years are those of `doubts`.

    Raises ConfigurationError if there are no notes.
    """
    if not doubts:
        raise ConfigurationError("the lake has no de-identified notes to draw from")
    years = {doubt.note_id: doubt.year for doubt in doubts}
    content = manifest.to_csv_with_years(
        (years[note_id], digest) for note_id, digest in texts.items() if note_id in years
    )
    rate = min(1.0, notes_to_draw(choices.at_most / PER, choices.allowed) / len(doubts))
    order = {doubt.note_id: sha256(f"{choices.seed}\0{doubt.note_id}".encode()).digest() for doubt in doubts}
    strata: list[PlanStratum] = []
    sample: list[PlannedNote] = []
    for members, doubtful, years_of_stratum in _strata(doubts, rate, simple=choices.simple):
        drawn = min(len(members), math.ceil(len(members) * rate * (OVERSAMPLING if doubtful else 1)))
        chosen = sorted((member.note_id for member in members), key=lambda note_id: order[note_id])[:drawn]
        sample += (PlannedNote(note_id, years[note_id], len(strata), texts[note_id]) for note_id in chosen)
        strata.append(PlanStratum(*years_of_stratum, doubtful, len(members), drawn))
    return SamplingPlan(
        seed=choices.seed,
        at_most=choices.at_most,
        allowed=choices.allowed,
        confidence=CONFIDENCE,
        notes=len(doubts),
        corpus_sha256=sha256(content).hexdigest(),
        earlier=earlier,
        strata=tuple(strata),
        sample=tuple(sorted(sample, key=lambda note: order[note.note_id])),
    )


def write_plan(lake: Lake, plan: SamplingPlan, corpus: Iterable[tuple[int, str]]) -> None:
    """Write the plan and the manifest of its corpus in place of an earlier one. Raises OSError."""
    lake.sampling_plan.mkdir(mode=RESTRICTED_MODE, exist_ok=True)
    write_whole(lake.sampling_plan / "corpus.csv", manifest.to_csv_with_years(corpus), mode=PRIVATE)
    write_whole(lake.sampling_plan / "plan.json", plan.to_json(), mode=PRIVATE)


def read_plan(lake: Lake) -> tuple[SamplingPlan, manifest.Texts] | None:
    """Return the plan and the texts of its corpus; None if none was drawn.

    Raises ConfigurationError if this account may not read it, or a file of it is not what was written.
    """
    file = lake.sampling_plan / "plan.json"
    try:
        content = json.loads(file.read_bytes())
        corpus = (lake.sampling_plan / "corpus.csv").read_bytes()
        if content.pop("form") != _FORM or content["corpus_sha256"] != sha256(corpus).hexdigest():
            raise ValueError("another form, or another corpus")
        content["strata"] = tuple(PlanStratum(**stratum) for stratum in content["strata"])
        content["sample"] = tuple(PlannedNote(**note) for note in content["sample"])
        return SamplingPlan(**content), manifest.from_csv_with_years(corpus)
    except FileNotFoundError:
        return None
    except PermissionError:
        raise ConfigurationError(f"{lake.sampling_plan}: this account may not read it") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigurationError(
            f"{lake.sampling_plan}: is damaged or of another version; `deid certify plan --again` draws a new plan"
        ) from None


def earlier_plans(lake: Lake) -> int:
    """Return how many plans were drawn of a lake; of damaged ones only the last is known."""
    try:
        drawn = read_plan(lake)
    except ConfigurationError:
        return 1
    return drawn[0].earlier + 1 if drawn else 0


def _strata(doubts: Sequence[NoteDoubt], rate: float, *, simple: bool) -> Iterator[_Members]:
    """Yield the notes of each stratum, none empty."""
    for group in [list(doubts)] if simple else _groups_of_years(doubts, rate):
        years = (min(note.year for note in group), max(note.year for note in group))
        by_doubt = sorted(group, key=lambda note: (-note.points, note.note_id))
        doubtful = 0 if simple else math.ceil(len(group) * DOUBTFUL_SHARE)
        for members, is_doubtful in ((by_doubt[:doubtful], True), (by_doubt[doubtful:], False)):
            if members:
                yield members, is_doubtful, years


def _groups_of_years(doubts: Sequence[NoteDoubt], rate: float) -> list[list[NoteDoubt]]:
    """Return the notes of neighbouring years, joined so that enough are drawn of each group."""
    by_year: defaultdict[int, list[NoteDoubt]] = defaultdict(list)
    for note in doubts:
        by_year[note.year].append(note)
    groups: list[list[NoteDoubt]] = [[]]
    for year in sorted(by_year):
        if len(groups[-1]) * rate >= _FEWEST:
            groups.append([])
        groups[-1] += by_year[year]
    if len(groups) > 1 and len(groups[-1]) * rate < _FEWEST:
        last = groups.pop()
        groups[-1] += last
    return groups
