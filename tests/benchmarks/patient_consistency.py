"""Whether mentions of a patient have one surrogate, and dates one shift, for patients.py."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from patient_notes import SPLIT, STAYING, WORD, MeasuredNote, percent

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.generate import patient_case
from deid_core.lab.synthetic.lists import lists_of
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.normal_form import name_key
from deid_core.policies.redaction import Redactor

DATES = {PhiType.DATE, PhiType.BIRTH_DATE}
SIBILANTS = ("s", "x", "z")


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
