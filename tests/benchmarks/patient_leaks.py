"""Which names, numbers and addresses of notes are readable in the outputs of policies, for patients.py."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from patient_notes import STAYING, WORD, MeasuredNote

from deid_core.core.labels import PhiType
from deid_core.policies.key import PolicyKey
from deid_core.policies.normal_form import name_key, value_key
from deid_core.policies.redaction import load_redactor

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
LONG_NUMBER = 5
"""Characters from which on a number is looked for without its marks too."""


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
