"""Measure surrogates, shifts and leaks over patients with several notes: `python tests/benchmarks/patients.py`.

    python tests/benchmarks/patients.py --patients 1000 --notes-per-patient 5 --seed 26

Makes the notes of `deid generate --patients 1000 --split test`, finds spans with pipeline `default`, decides whose
notes they are as a lake does, applies each policy with two keys, and prints a table. (That a lake has the same texts as
this, tests/integration/test_jobs_outputs.py holds.)

Surrogates and shifts are compared where the pipeline found a mention exactly. A name that it missed is counted apart
from one that is readable although it was found. "With a table" stands for a hospital that says whose notes they are;
without it the letters alone tell.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import tee
from math import sqrt

from deid_core import Deidentifier
from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.core.tables import markdown_table
from deid_core.core.word_lists import word_list, word_set
from deid_core.lab.synthetic.generate import iter_notes, patient_of
from deid_core.lake.identity import NoteIds
from deid_core.lake.patients import resolve
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.key import PolicyKey
from deid_core.policies.patient_evidence import evidence_of
from deid_core.policies.redaction import Redacted, Redactor, load_redactor

POLICIES = ("thesis", "readable", "research-gdpr", "hipaa-safe-harbor")
NAMES = {PhiType.PATIENT, PhiType.RELATIVE, PhiType.CLINICIAN, PhiType.PERSON}
OTHERS = {
    PhiType.PHONE,
    PhiType.FAX,
    PhiType.EMAIL,
    PhiType.STREET,
    PhiType.POSTCODE,
    PhiType.PATIENT_ID,
    PhiType.CASE_ID,
    PhiType.INSURANCE_ID,
}
STAYING = word_set("names/particles") | {word.casefold() for word in word_list("policies/nobility")}
DATES = {PhiType.DATE, PhiType.BIRTH_DATE}


@dataclass
class MeasuredNote:
    """A note with its gold spans, those of the pipeline, and the patient_key that a lake gives it."""

    patient: int
    note: Note
    gold: tuple[GoldSpan, ...]
    found: tuple[Span, ...]
    patient_key: str = ""

    def redacted(self, redactor: Redactor) -> Redacted:
        """Return the note after a policy."""
        return redactor.redact(self.note.text, self.found, note_id=self.note.note_id, patient=self.patient_key)


def measured_notes(patients: int, per_patient: int, seed: int) -> list[MeasuredNote]:
    """Generate the notes and find spans."""
    made, again = tee(iter_notes(patients * per_patient, seed=seed, split="test", notes_per_patient=per_patient))
    results = Deidentifier.load("default").pipe(item.note for item in again)
    return [
        MeasuredNote(patient_of(number, per_patient), item.note, item.gold, result.spans)
        for number, (item, result) in enumerate(zip(made, results, strict=True))
    ]


def set_patient_keys(notes: list[MeasuredNote], *, with_table: bool) -> Counter[str]:
    """Decide whose notes they are, as a lake does. Return how many notes stand alone, by reason."""
    evidence = {note.note.note_id: evidence_of(note.note.text, note.found) for note in notes}
    resolved = resolve(evidence, {note.note.note_id: {str(note.patient)} for note in notes} if with_table else {})
    ids = NoteIds(b"a key of a measurement alone 123")
    for note in notes:
        note.patient_key = ids.patient_key(resolved.patient_of(note.note.note_id).identity)
    reasons = Counter(str(reason) for _, reason in {(found.note_id, found.reason) for found in resolved.conflicts})
    alone = sum(resolved.patient_of(note_id).source == "note" for note_id in evidence)
    return reasons + Counter({"no_evidence": alone - reasons.total()})


def share_of_commonest(values: Mapping[object, Counter[object]]) -> tuple[int, int]:
    """Return how many values are the commonest of their group, and how many there are, in groups of two or more."""
    groups = [counter for counter in values.values() if counter.total() > 1]
    return sum(max(counter.values()) for counter in groups), sum(counter.total() for counter in groups)


def day_of(text: str) -> date | None:
    """Return the date of a span that is one whole date."""
    parsed = parse_date(text)
    if parsed is None or len(parsed.moments) != 1:
        return None
    moment = parsed.moments[0]
    if moment.year is None or moment.month is None or moment.day is None or moment.year < 100:
        return None
    try:
        return date(moment.year, moment.month, moment.day)
    except ValueError:
        return None


def surrogates_and_shifts(
    notes: list[MeasuredNote], redactor: Redactor
) -> tuple[dict[object, Counter[object]], dict[object, Counter[object]], int]:
    """Return surrogates of each patient and name as written, shifts of each patient in days, and dates not moved.

    Names are those of the patient, in small letters, that the pipeline found exactly.
    """
    names: defaultdict[object, Counter[object]] = defaultdict(Counter)
    shifts: defaultdict[object, Counter[object]] = defaultdict(Counter)
    not_moved = 0
    for note in notes:
        done = note.redacted(redactor)
        places = ((span.start, span.end) for span in note.found)
        replaced = {place: done.text[start:end] for place, (start, end) in zip(places, done.outputs, strict=True)}
        for start, end, phi in _gold(note):
            if (start, end) not in replaced:
                continue
            before, after = note.note.text[start:end], replaced[start, end]
            if phi is PhiType.PATIENT:
                names[note.patient, before.casefold()][after.casefold()] += 1
            elif phi in DATES and (day := day_of(before)) is not None:
                moved = day_of(after)
                not_moved += moved is None
                if moved is not None:
                    shifts[note.patient][(moved - day).days] += 1
    return dict(names), dict(shifts), not_moved


def originals(note: MeasuredNote) -> Iterator[tuple[str, bool]]:
    """Yield each name, number and address of the note once, and whether all its mentions were found.

    A name counts word by word, without particles and titles of nobility, which every policy may keep.
    """
    covered = bytearray(len(note.note.text))
    for span in note.found:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    found: dict[str, bool] = {}
    for start, end, phi in _gold(note):
        parts = re.finditer(r"[^\W\d_]{3,}", note.note.text[start:end]) if phi in NAMES else ()
        places = [(start + part.start(), start + part.end()) for part in parts]
        places = [(begin, stop) for begin, stop in places if note.note.text[begin:stop].casefold() not in STAYING]
        for begin, stop in places if phi in NAMES else [(start, end)] if phi in OTHERS else ():
            text = note.note.text[begin:stop]
            found[text] = found.get(text, True) and all(covered[begin:stop])
    outside = list(note.note.text)
    for start, end, _ in _gold(note):
        outside[start:end] = "\0" * (end - start)
    rest = "".join(outside)
    for text, all_found in found.items():
        # "Arm" is a name and a word: as a word it stays.
        if not stands_in(text, rest):
            yield text, all_found


def stands_in(text: str, where: str) -> bool:
    """Return whether a text stands somewhere as whole words."""
    return text in where and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", where) is not None


def percent(count: int, total: int) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    share, z = count / total, 1.96
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return f"{share:.4f} ({max(0.0, centre - half):.4f} to {min(1.0, centre + half):.4f}) of {total:,}"


def of_patients(notes: list[MeasuredNote]) -> list[tuple[object, ...]]:
    """Return how well the notes of a patient were joined."""
    keys: defaultdict[int, set[str]] = defaultdict(set)
    patients: defaultdict[str, set[int]] = defaultdict(set)
    for note in notes:
        keys[note.patient].add(note.patient_key)
        patients[note.patient_key].add(note.patient)
    whole = sum(len(found) == 1 for found in keys.values())
    return [
        ("patients all of whose notes have one patient_key", percent(whole, len(keys))),
        ("keys that join notes of two patients", sum(len(found) > 1 for found in patients.values())),
    ]


def of_consistency(notes: list[MeasuredNote], key: PolicyKey) -> list[tuple[object, ...]]:
    """Return how far surrogates and shifts agree over the notes of a patient."""
    names, shifts, not_moved = surrogates_and_shifts(notes, load_redactor("readable", key))
    one = sum(len(found) == 1 for found in shifts.values())
    return [
        ("mentions of a patient's name with the patient's commonest surrogate", percent(*share_of_commonest(names))),
        ("patients with one shift for all dates", percent(one, len(shifts))),
        ("dates moved by their patient's commonest shift", percent(*share_of_commonest(shifts))),
        ("whole dates that became a placeholder", not_moved),
    ]


def of_leaks(notes: list[MeasuredNote], key: PolicyKey) -> Iterator[tuple[object, ...]]:
    """Yield what is readable in the outputs."""
    told = [(note, list(originals(note))) for note in notes]
    yield "names, numbers and addresses in the notes", f"{sum(len(texts) for _, texts in told):,}"
    for policy in POLICIES:
        redactor = load_redactor(policy, key)
        readable: Counter[bool] = Counter()
        for note, texts in told:
            text = note.redacted(redactor).text
            readable.update(found for original, found in texts if stands_in(original, text))
        yield f"{policy}: readable although found", readable[True]
        yield f"{policy}: readable, missed by the pipeline", readable[False]


def of_two_keys(notes: list[MeasuredNote], one: PolicyKey, other: PolicyKey) -> list[tuple[object, ...]]:
    """Return what the outputs of two keys have in common."""
    (names, shifts, _), (other_names, other_shifts, _) = (
        surrogates_and_shifts(notes, load_redactor("readable", key)) for key in (one, other)
    )
    tokens = []
    for key in (one, other):
        redactor = load_redactor("research-gdpr", key)
        text = " ".join(note.redacted(redactor).text for note in notes)
        tokens.append(set(re.findall(r"<PER-\w{12}>", text)))
    same_name = sum(names[name].keys() == other_names[name].keys() for name in names)
    same_shift = sum(shifts[patient].keys() == other_shifts[patient].keys() for patient in shifts)
    return [
        ("two keys: names with the same surrogate", percent(same_name, len(names))),
        ("two keys: patients with the same shift", percent(same_shift, len(shifts))),
        ("two keys: common pseudonyms of persons", f"{len(tokens[0] & tokens[1])} of {len(tokens[0]):,}"),
    ]


def _gold(note: MeasuredNote) -> Iterator[tuple[int, int, PhiType]]:
    return ((span.start, span.end, span.type) for span in note.gold)


def main() -> None:
    """Generate, find, replace, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=1000)
    parser.add_argument("--notes-per-patient", type=int, default=5)
    parser.add_argument("--seed", type=int, default=26)
    args = parser.parse_args()
    notes = measured_notes(args.patients, args.notes_per_patient, args.seed)
    one, other = (PolicyKey(f"{number}: a secret of a measurement alone".encode()) for number in (1, 2))
    rows: list[tuple[object, ...]] = [("measured", "result")]
    for how, with_table in (("letters alone", False), ("with a table", True)):
        alone = set_patient_keys(notes, with_table=with_table)
        found = [*of_patients(notes), *of_consistency(notes, one)]
        found += [(f"notes that stand alone: {reason}", count) for reason, count in sorted(alone.items())]
        rows += [(f"{how}: {name}", value) for name, value in found]
    print(markdown_table([*rows, *of_leaks(notes, one), *of_two_keys(notes, one, other)]))


if __name__ == "__main__":
    main()
