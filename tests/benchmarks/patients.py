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
from collections import defaultdict

from patient_consistency import of_consistency, outputs_of_patients
from patient_leaks import of_leaks
from patient_notes import MeasuredNote, measured_notes, percent, set_patient_keys

from deid_core.core.text_tables import markdown_table
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import load_redactor


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
