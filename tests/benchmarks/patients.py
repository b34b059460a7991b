"""Measure surrogates, shifts and leaks over patients with several notes: `python tests/benchmarks/patients.py`.

    python tests/benchmarks/patients.py --patients 1000 --notes-per-patient 5 --seed 26
    python tests/benchmarks/patients.py --patients 100 --spans pipeline

Makes the notes of `deid generate --patients 1000 --split test`, takes their gold spans or those of pipeline `default`,
decides whose notes they are as a lake does, applies each policy with two keys, and prints a table. (That a lake has the
same texts as this, tests/integration/test_jobs_outputs.py holds.)

"With a table" stands for a hospital that says whose notes they are; without it the letters alone tell. Surrogates and
shifts are compared where a span is exactly a mention. A name that the pipeline missed is counted apart from one that is
readable although it was found.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import tee

from deid_core import Deidentifier
from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.core.text_tables import markdown_table
from deid_core.core.word_lists import word_list, word_set
from deid_core.lab.evaluate.significance import wilson
from deid_core.lab.synthetic.generate import iter_notes, patient_case, patient_of
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lake.note_ids import NoteIds
from deid_core.lake.patients import resolve
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.key import PolicyKey
from deid_core.policies.normal_form import name_key, value_key
from deid_core.policies.patient_evidence import evidence_of
from deid_core.policies.redaction import Redactor, load_redactor

SPLIT = "test"
POLICIES = ("thesis", "readable", "research-gdpr", "hipaa-safe-harbor")
NAMES = {PhiType.PATIENT, PhiType.RELATIVE, PhiType.CLINICIAN, PhiType.PERSON}
NUMBERS = {
    PhiType.PHONE,
    PhiType.FAX,
    PhiType.EMAIL,
    PhiType.STREET,
    PhiType.POSTCODE,
    PhiType.PATIENT_ID,
    PhiType.CASE_ID,
    PhiType.INSURANCE_ID,
    PhiType.DEVICE_ID,
    PhiType.ID,
}
STAYING = {name_key(word) for word in word_set("names/particles") | set(word_list("policies/nobility"))}
DATES = {PhiType.DATE, PhiType.BIRTH_DATE}
WORD = re.compile(r"[^\W\d_]+['’]?")
SIBILANTS = ("s", "x", "z")
LONG_NUMBER = 5
"""Characters from which on a number is looked for without its marks too."""


@dataclass
class MeasuredNote:
    """A note with its gold spans, those that are replaced, and the patient_key that a lake gives it."""

    patient: int
    note: Note
    gold: tuple[GoldSpan, ...]
    found: tuple[Span, ...]
    patient_key: str = ""

    def output(self, redactor: Redactor) -> tuple[str, dict[tuple[int, int], str]]:
        """Return the text after a policy, and what stands for each span, by its place in the note."""
        done = redactor.redact(self.note.text, self.found, note_id=self.note.note_id, patient=self.patient_key)
        places = ((span.start, span.end) for span in self.found)
        return done.text, {at: done.text[a:b] for at, (a, b) in zip(places, done.outputs, strict=True)}


def measured_notes(patients: int, per_patient: int, seed: int, *, gold: bool) -> list[MeasuredNote]:
    """Generate the notes and find spans."""
    made, again = tee(iter_notes(patients * per_patient, seed=seed, split=SPLIT, notes_per_patient=per_patient))
    if gold:
        spans = (tuple(Span(g.start, g.end, g.label, g.type, "gold", "gold") for g in item.gold) for item in again)
    else:
        spans = (result.spans for result in Deidentifier.load("default").pipe(item.note for item in again))
    return [
        MeasuredNote(patient_of(number, per_patient), item.note, item.gold, found)
        for number, (item, found) in enumerate(zip(made, spans, strict=True))
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


def days_between(day: date, moved: date) -> int:
    """Return by how many days a date was moved, if by less than 50 years: "31" may be read as 1931 and "30" as 2030."""
    days = (moved - day).days
    if abs(days) > 50 * 366:
        days = (moved.replace(year=moved.year + (100 if days < 0 else -100)) - day).days
    return days


@dataclass
class PatientOutputs:
    """What stands for a patient in the outputs.

    mentions: for each mention its form, and the (true word, form of the word, surrogate) of its words. keys: of each
    mention the patient_key of its note. shifts: in days.
    """

    mentions: list[tuple[str, list[tuple[str, str, str]]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    shifts: Counter[int] = field(default_factory=Counter)
    not_moved: int = 0

    @property
    def surrogates(self) -> dict[str, str]:
        """The commonest surrogate of each word of the patient's name, of the mentions that write it as it is."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for _, words in self.mentions:
            for true, form, new in words:
                if form == "as written":
                    found[true][new] += 1
        return {true: max(sorted(counts), key=counts.__getitem__) for true, counts in found.items()}

    def consistent(self) -> Iterator[tuple[str, bool]]:
        """Yield the form of each mention, and whether all its words are forms of the patient's one surrogate."""
        names = self.surrogates
        for form, words in self.mentions:
            yield (
                form,
                all(
                    any(
                        is_form(new, names[name], how)
                        for name in names
                        if name == true or (how, name[0]) == ("initial", true)
                    )
                    for true, how, new in words
                    if true in names or how == "initial"
                ),
            )


def is_form(new: str, name: str, form: str) -> bool:
    """Return whether a surrogate is the name in a form."""
    if form == "misspelt genitive" and new == name:
        return True
    if form.endswith("genitive"):
        return new.casefold() in (f"{name}s".casefold(), f"{name}'".casefold())
    if form == "initial":
        return new.casefold() == name[0].casefold()
    return new == (name.upper() if form == "capitals" else name)


@cache
def true_words(seed: int, patient: int) -> dict[str, str]:
    """Return the words of a patient's name by their keys."""
    person = patient_case(seed, SPLIT, patient).patient
    words = WORD.findall(f"{person.given} {person.surname}")
    return {name_key(word): word for word in words if name_key(word) not in STAYING}


def word_form(word: str, true: dict[str, str]) -> tuple[str, str]:
    """Return the true word that a word of a mention stands for, and in which form; ("", "") for another name.

    The patient's maiden name is another name. Misspelt is what the generator's rules of typing errors make of the true
    word or of its genitive.
    """
    key = name_key(word.rstrip("'’"))
    if len(key) == 1:
        return next(((true[name][0], "initial") for name in true if name[0] == key), ("", ""))
    for name, written in true.items():
        if key == name and not word.endswith(("'", "’")):
            return written, "capitals" if word.isupper() and not written.isupper() else "as written"
        # "Hanss" is "Hans" with a typing error, since its genitive is "Hans'".
        if key == name or (key == name + "s" and not name.endswith(SIBILANTS)):
            return written, "genitive"
    for written in true.values():
        if word in misspellings(written):
            return written, "misspelt"
        if word.rstrip("'’") in misspellings(f"{written}s") | misspellings(written):
            return written, "misspelt genitive"
    return "", ""


@cache
def misspellings(word: str) -> frozenset[str]:
    """Return what the rules of typing errors make of a word at each place."""
    made = set()
    for right, wrong in lists_of(SPLIT).typos:
        place = word.find(right, 1)
        while place > 0:
            made.add(word[:place] + wrong + word[place + len(right) :])
            place = word.find(right, place + 1)
    return frozenset(made - {word})


def outputs_of_patients(notes: list[MeasuredNote], redactor: Redactor, seed: int) -> dict[int, PatientOutputs]:
    """Return the surrogates and shifts of each patient."""
    found: defaultdict[int, PatientOutputs] = defaultdict(PatientOutputs)
    for note in notes:
        _, replaced = note.output(redactor)
        patient = found[note.patient]
        true = true_words(seed, note.patient)
        for span in note.gold:
            new = replaced.get((span.start, span.end))
            if new is None:
                continue
            old = note.note.text[span.start : span.end]
            if span.type is PhiType.PATIENT:
                forms = [(*word_form(word, true), word) for word in WORD.findall(old)]
                news = WORD.findall(new)
                # What the pipeline takes for a place has as many words as that.
                news += [""] * (len(forms) - len(news))
                words = [
                    (t, f, n) for (t, f, o), n in zip(forms, news, strict=False) if t and name_key(o) not in STAYING
                ]
                kinds = {form for _, form, _ in words} - {"as written"}
                if words:
                    patient.mentions.append((min(kinds, default="as written"), words))
                    patient.keys.append(note.patient_key)
            elif span.type in DATES and (day := day_of(old)) is not None:
                moved = day_of(new)
                patient.not_moved += moved is None
                if moved is not None:
                    patient.shifts[days_between(day, moved)] += 1
    return dict(found)


@dataclass(frozen=True)
class Original:
    """A word of a name or place, or a number, and whether all places where the note has it are in a span."""

    text: str
    phi: PhiType
    is_found: bool


def originals(note: MeasuredNote) -> list[Original]:
    """Return each name, number and address of the note once.

    A name counts word by word, without particles and titles of nobility, which every policy may keep. Of a street the
    longest word counts besides the whole. A word that stands outside the gold spans as well is left out: "Arm" is a
    name and a word.
    """
    text = note.note.text
    covered, outside = bytearray(len(text)), list(text)
    for span in note.found:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    found: dict[str, tuple[PhiType, bool]] = {}
    for span in note.gold:
        outside[span.start : span.end] = "\0" * (span.end - span.start)
        words = [(span.start + m.start(), span.start + m.end()) for m in WORD.finditer(text[span.start : span.end])]
        words = [(start, end) for start, end in words if end - start > 2 and name_key(text[start:end]) not in STAYING]
        places = []
        if span.type in NAMES | {PhiType.TOWN}:
            places = words
        elif span.type in NUMBERS:
            places = [(span.start, span.end)]
            if span.type is PhiType.STREET and words:
                longest = max(words, key=lambda word: word[1] - word[0])
                places += [longest] if "stra" not in text[slice(*longest)].lower()[:4] else []
        for start, end in places:
            phi, all_found = found.get(text[start:end], (span.type, True))
            found[text[start:end]] = phi, all_found and all(covered[start:end])
    rest = Readable("".join(outside))
    return [Original(name, phi, told) for name, (phi, told) in found.items() if name not in rest]


class Readable:
    """The words and numbers of a text, as somebody finds them who looks for a name in any spelling."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = {name_key(word.rstrip("'’")) for word in WORD.findall(text)}

    def __contains__(self, original: str) -> bool:
        """Return whether a name stands there as a word, in capitals too, or a number, without its marks too."""
        if WORD.fullmatch(original):
            return name_key(original.rstrip("'’")) in self.names
        key = value_key(original)
        return any(
            form in self.text and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", self.text) is not None
            for form in (original, key if len(key) >= LONG_NUMBER else original)
        )


def percent(count: int, total: int) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    low, high = wilson(count, total)
    return f"{count / total:.4f} ({low:.4f} to {high:.4f}) of {total:,}"


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


def of_consistency(patients: dict[int, PatientOutputs]) -> Iterator[tuple[object, ...]]:
    """Yield how far surrogates and shifts agree over the notes of a patient."""
    by_form: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for patient in patients.values():
        commonest = Counter(patient.keys).most_common(1)
        for (form, same), key in zip(patient.consistent(), patient.keys, strict=True):
            by_form["all"][same] += 1
            by_form[form][same] += 1
            if key == commonest[0][0]:
                by_form["all of notes with the patient's commonest patient_key"][same] += 1
    for form, counts in sorted(by_form.items()):
        yield f"mentions of patients with the patient's one surrogate: {form}", percent(counts[True], counts.total())
    shifts = [patient.shifts for patient in patients.values() if patient.shifts]
    same = sum(max(counts.values()) for counts in shifts)
    yield "whole dates moved by their patient's one shift", percent(same, sum(map(Counter.total, shifts)))
    yield "patients all of whose intervals are equal", percent(sum(len(c) == 1 for c in shifts), len(shifts))
    yield "whole dates that became a placeholder", sum(patient.not_moved for patient in patients.values())


def of_leaks(notes: list[MeasuredNote], key: PolicyKey) -> Iterator[tuple[object, ...]]:
    """Yield what is readable in the outputs."""
    told = [(note, originals(note)) for note in notes]
    yield "names, numbers and addresses in the notes", f"{sum(len(texts) for _, texts in told):,}"
    for policy in POLICIES:
        redactor = load_redactor(policy, key)
        states = redactor.policy.operator(PhiType.TOWN).operator == "generalise"
        readable: Counter[bool] = Counter()
        for note, texts in told:
            text = Readable(note.output(redactor)[0])
            for original in texts:
                # Berlin, Bremen and Hamburg are states.
                if original.text in text and not (states and original.phi is PhiType.TOWN):
                    readable[original.is_found] += 1
        yield f"{policy}: readable although found", readable[True]
        yield f"{policy}: readable, missed by the pipeline", readable[False]


def of_two_keys(notes: list[MeasuredNote], keys: tuple[PolicyKey, PolicyKey], seed: int) -> list[tuple[object, ...]]:
    """Return what the outputs of two keys have in common, beside what two patients have in common by chance."""
    one, other = (outputs_of_patients(notes, load_redactor("readable", key), seed) for key in keys)
    names = [(patient, true) for patient in one for true in one[patient].surrogates]
    same = [one[patient].surrogates[true] == other[patient].surrogates.get(true) for patient, true in names]
    surrogates = [one[patient].surrogates[true] for patient, true in names]
    others = [other[patient].surrogates.get(true) for patient, true in names]
    step = 2 * len(names) // len(one)  # names of another patient, a given name beside a given name as a rule
    chance = [a == b for a, b in zip(surrogates, others[step:] + others[:step], strict=True)]
    shift = [one[patient].shifts.most_common(1) for patient in one]
    shift_other = [other[patient].shifts.most_common(1) for patient in one]
    tokens = []
    for key in keys:
        redactor = load_redactor("research-gdpr", key)
        tokens.append({token for note in notes for token in re.findall(r"<PER-\w{12}>", note.output(redactor)[0])})
    return [
        ("two keys: words of a patient's name with the same surrogate", percent(sum(same), len(same))),
        ("one key beside the other's next patient", percent(sum(chance), len(chance))),
        (
            "two keys: patients with the same shift",
            percent(sum(a == b for a, b in zip(shift, shift_other, strict=True)), len(one)),
        ),
        ("two keys: common pseudonyms of persons", f"{len(tokens[0] & tokens[1])} of {len(tokens[0]):,}"),
    ]


def main() -> None:
    """Generate, find, replace, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=1000)
    parser.add_argument("--notes-per-patient", type=int, default=5)
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--spans", choices=("gold", "pipeline"), default="gold")
    args = parser.parse_args()
    notes = measured_notes(args.patients, args.notes_per_patient, args.seed, gold=args.spans == "gold")
    one, other = (PolicyKey(f"{number}: a secret of a measurement alone".encode()) for number in (1, 2))
    rows: list[tuple[object, ...]] = [("measured", "result")]
    for how, with_table in (("letters alone", False), ("with a table", True)):
        alone = set_patient_keys(notes, with_table=with_table)
        patients = outputs_of_patients(notes, load_redactor("readable", one), args.seed)
        found = [*of_patients(notes), *of_consistency(patients)]
        found += [(f"notes that stand alone: {reason}", count) for reason, count in sorted(alone.items())]
        rows += [(f"{how}: {name}", value) for name, value in found]
    print(markdown_table([*rows, *of_leaks(notes, one), *of_two_keys(notes, (one, other), args.seed)]))


if __name__ == "__main__":
    main()
