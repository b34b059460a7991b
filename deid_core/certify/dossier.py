"""Everything that whoever signs needs to know of a corpus, as one object: what `dossier.json` holds.

It is made from the lake, the plan and the reviews alone. No clock and no chance enters, so the same lake gives the same
bytes. It holds figures, names of settings and hashes: no text, no id of a note, no reader's name, no path.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from deid_core.audit_page.figures import Figures, gather
from deid_core.audit_page.findings import Severity
from deid_core.certify import manifest
from deid_core.certify.outcomes import (
    PATIENT,
    NoteOutcome,
    NoteState,
    decided,
    leaks_of,
    outcomes,
    reviews_of,
)
from deid_core.certify.policy_rows import kept_types, policy_rows
from deid_core.certify.reading_speed import FASTEST, words_a_minute
from deid_core.certify.results import corpus_results, notes_by_year
from deid_core.certify.sampling_plan import SamplingPlan, read_plan
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.core.spans import DropReason
from deid_core.core.version import __version__
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import pipeline_of
from deid_core.lake.notes.reviews import Review, ReviewRole, read_reviews
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import LEAK_SWEEP
from deid_core.policies.settings import DEFAULT_POLICY, PolicySettings

FORM = "deid dossier 1"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_BY_THE_HOUSE = (DropReason.NEVER, DropReason.KEEP)


@dataclass(frozen=True, slots=True)
class Dossier:
    """The content of dossier.json, and the texts that it covers."""

    content: Mapping[str, Any]
    texts: manifest.Texts

    def to_json(self) -> bytes:
        """Return dossier.json."""
        return (json.dumps(self.content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()

    def corpus(self) -> bytes:
        """Return the manifest of the texts that it covers."""
        return manifest.to_csv(self.texts.elements())


def make_dossier(lake: Lake, policy: PolicySettings, agreement: Mapping[str, float] | None) -> Dossier:
    """Return the dossier of the texts of a policy. agreement: of notes that two readers read; None without such notes.

    Raises ConfigurationError with all that stands in the way: no plan, notes that nobody read, readers who differ,
    tables that disagree. Raises DamageFoundError if a file of the lake is damaged.
    """
    drawn = read_plan(lake)
    if drawn is None:
        raise ConfigurationError(f"--lake {lake.root}: no sampling plan; draw one with `deid certify plan`")
    plan, planned = drawn
    table = _table(lake, policy)
    now = {text.note_id: text for text in manifest.note_texts(lake.deidentified)}
    reviews = read_reviews(lake)
    found = outcomes(plan, reviews, {note_id: text.sha256 for note_id, text in now.items()})
    figures = gather(lake, _last_run(lake))
    if problems := [*_unfinished(found), *_wrong(figures)]:
        raise ConfigurationError(problems)
    unchanged = _unchanged(now.values(), planned)
    covered = Counter((t.year, t.sha256) for t in manifest.note_texts(table) if t.note_id in unchanged)
    if not covered:
        raise ConfigurationError("no text of the plan is left in the corpus; draw a new plan with `deid certify plan`")
    outside = _known_leaks(reviews, plan, {note_id: text.sha256 for note_id, text in now.items()})
    speed = words_a_minute(_of_plan(plan, reviews), _words(lake))
    results = corpus_results(plan, found, planned, covered)
    content = {
        "form": FORM,
        "deid": __version__,
        "statement": {"of_10000": results["leaks"][0]["at_most_of_10000"], "confidence": plan.confidence},
        "corpus": {
            "table": table.name,
            "notes": covered.total(),
            "years": {str(year): n for year, n in sorted(notes_by_year(covered).items())},
            "manifest_sha256": sha256(manifest.to_csv(covered.elements())).hexdigest(),
            "texts_of_plan": plan.notes,
            "not_covered": {
                "later_or_changed": len(now) - len(unchanged),
                "without_output": len(unchanged) - covered.total(),
            },
            "pipelines": dict(sorted(_fingerprints(lake, unchanged).items())),
        },
        "plan": _plan_rows(plan, found),
        "review": _review_rows(plan, reviews, found, agreement) | {"words_a_minute": speed},
        "results": results,
        "exceptions": _exceptions(
            figures,
            plan,
            found,
            {
                "known_leaks": outside,
                "as_placeholders": _as_placeholders(table, lake, plan, reviews),
                "fast_reading": speed if speed and speed > FASTEST else 0,
            },
        ),
        "audit": {
            "summary": {name: _plain(value) for name, value in figures.summary.items()},
            "labels": _label_totals(figures),
            "quarantine": figures.tables["quarantine"],
        },
        "sweep": _sweep(lake),
        "policy": policy_rows(policy),
        "run": {name: _plain(value) for name, value in (figures.tables["runs"] or [{}])[0].items()},
    }
    return Dossier(content, covered)


def reviews_of_plan(lake: Lake) -> list[Review]:
    """Return the reviews that count for the lake's plan, in the order in which they were stored; [] without a plan."""
    drawn = read_plan(lake)
    return [] if drawn is None else _of_plan(drawn[0], read_reviews(lake))


def _of_plan(plan: SamplingPlan, reviews: Iterable[Review]) -> list[Review]:
    texts = {note.note_id: note.text_sha256 for note in plan.sample}
    return [review for given in reviews_of(reviews, texts).values() for review in given]


def _unchanged(now: Iterable[manifest.NoteText], planned: manifest.Texts) -> set[str]:
    """Return the notes with a text of the plan: of equal texts as many as the plan had."""
    left = planned.copy()
    found = set()
    for text in sorted(now):
        if left[text.year, text.sha256]:
            left[text.year, text.sha256] -= 1
            found.add(text.note_id)
    return found


def _unfinished(found: Sequence[NoteOutcome]) -> Iterable[str]:
    states = Counter(outcome.state for outcome in found)
    if unread := states[NoteState.UNREAD]:
        yield f"{unread} of {len(found)} notes of the plan are not yet read: deid review --order plan --reader NAME"
    if disputed := states[NoteState.DISPUTED]:
        yield f"of {disputed} notes two readers say different things: deid review --adjudicate --reader NAME"


def _wrong(figures: Figures) -> Iterable[str]:
    for finding in figures.findings:
        if finding.severity is Severity.WRONG:
            yield (
                f"the lake is not in order ({finding.name}, {finding.values['n']}): `deid report --html FILE` says "
                "what to do"
            )


def _plan_rows(plan: SamplingPlan, found: Sequence[NoteOutcome]) -> dict[str, Any]:
    read = Counter(outcome.stratum for outcome in found if outcome.state is NoteState.READ)
    return {
        "id": plan.id,
        "seed": plan.seed,
        "wanted_of_10000": plan.at_most,
        "allowed": plan.allowed,
        "earlier_plans": plan.earlier,
        "strata": [stratum._asdict() | {"read": read[number]} for number, stratum in enumerate(plan.strata)],
    }


def _review_rows(
    plan: SamplingPlan,
    reviews: Iterable[Review],
    found: Sequence[NoteOutcome],
    agreement: Mapping[str, float] | None,
) -> dict[str, Any]:
    of_plan = _of_plan(plan, reviews)
    dates = sorted(review.finished[:10] for review in of_plan)
    return {
        "readers": len({review.reader for review in of_plan if review.role is ReviewRole.READER}),
        "notes": sum(outcome.state is NoteState.READ for outcome in found),
        "read_twice": sum(outcome.readers > 1 for outcome in found),
        "adjudicated": sum(outcome.adjudicated for outcome in found),
        "first_day": dates[0] if dates else None,
        "last_day": dates[-1] if dates else None,
        "agreement": None if agreement is None else {name: round(value, 3) for name, value in agreement.items()},
    }


def _exceptions(
    figures: Figures, plan: SamplingPlan, found: Sequence[NoteOutcome], others: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return what a reader of the dossier should know besides: name and number, only where the number is not 0."""
    kept = sum(row["detections"] for row in figures.tables["dropped"] if row["reason"] in _BY_THE_HOUSE)
    own = {
        "lost": sum(outcome.state is NoteState.LOST for outcome in found),
        "earlier_plans": plan.earlier,
        "kept_by_lists": kept,
    }
    rows = [{"name": name, "n": n} for name, n in {**others, **own}.items() if n]
    return rows + [{"name": finding.name, **finding.values} for finding in figures.findings]


def _as_placeholders(table: Path, lake: Lake, plan: SamplingPlan, reviews: Iterable[Review]) -> int:
    """Return of how many drawn notes nobody read the text of this output as it is now."""
    if table == lake.deidentified:
        return 0
    read = {(review.note_id, review.output_sha256) for review in _of_plan(plan, reviews)}
    drawn = {note.note_id for note in plan.sample}
    return sum(text.note_id in drawn and (text.note_id, text.sha256) not in read for text in manifest.note_texts(table))


def _known_leaks(reviews: Iterable[Review], plan: SamplingPlan, now: Mapping[str, str]) -> int:
    """Return in how many notes outside of the plan's sample a reader could read a patient's name that still stands."""
    sample = {note.note_id for note in plan.sample}
    others = {note_id: given for note_id, given in reviews_of(reviews, now).items() if note_id not in sample}
    return sum((review := decided(given)) is not None and PATIENT in leaks_of(review) for given in others.values())


def _label_totals(figures: Figures) -> list[dict[str, Any]]:
    spans: Counter[str] = Counter()
    for row in figures.tables["labels"]:
        spans[row["label"]] += row["spans"]
    return [{"label": label, "spans": count} for label, count in sorted(spans.items())]


def _sweep(lake: Lake) -> list[dict[str, Any]]:
    """Return the rows of clean/leak_sweep, sorted; [] if no note was searched."""
    rows: list[dict[str, Any]] = delta_reader.read(lake.leak_sweep, LEAK_SWEEP.names).to_pylist()
    return sorted(rows, key=lambda row: tuple(map(str, row.values())))


def _table(lake: Lake, policy: PolicySettings) -> Path:
    if PhiType.PATIENT in kept_types(policy):
        raise ConfigurationError(
            f"--policy {policy.name}: keeps patients' names; nobody can certify that they are gone"
        )
    table = lake.deidentified if policy.name == DEFAULT_POLICY else lake.output(policy.name)
    if not delta_reader.exists(table):
        raise ConfigurationError(f"--policy {policy.name}: the lake has no texts of it; `deid run` makes them")
    return table


def _fingerprints(lake: Lake, note_ids: set[str]) -> Counter[str]:
    pairs = delta_reader.rows(lake.deidentified, ["note_id", "fingerprint"])
    return Counter(pipeline_of(fingerprint) for note_id, fingerprint in pairs if note_id in note_ids)


def _last_run(lake: Lake) -> datetime:
    finished = delta_reader.read(lake.runs, ["finished"])["finished"].to_pylist()
    return max(finished, default=_NEVER)


def _words(lake: Lake) -> dict[str, int]:
    """Return the words and marks of each note."""
    return dict(delta_reader.rows(lake.deidentified, ["note_id", "tokens"]))


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value
