"""A new label or type: what has to be said of it is said, or a sentence names the table that lacks it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from deid_core.core.labels import LABELS, TYPES, Label, PhiType, label_of, types_with
from deid_core.ensemble.stacking.type_groups import TYPE_GROUP_OF
from deid_core.lab.synthetic.surrogates.mixes import CATEGORIES
from deid_core.lab.training.augmentation import _EXCHANGED, _NAMES

REPOSITORY = Path(__file__).resolve().parents[3]
UNGROUPED = {PhiType.URI, PhiType.EMAIL, PhiType.OTHER}
"""Types that the stacking model has no label for."""
AS_WRITTEN = {"birth_date", "date", "phone", "fax", "uri", "email", "salute", "title", "age", "other"}
"""Types whose texts augmented letters keep, but for the names in them."""
RECOGNISERS = {
    "author": ("recognisers/author.py",),
    "gazetteer": ("recognisers/gazetteer.py",),
    "suffix": ("recognisers/suffix.py",),
    "crf": ("recognisers/crf.py",),
    "letterhead": ("recognisers/letterhead.py", "letterhead/*.py"),
    "pattern": ("recognisers/pattern/*.py",),
    "institution": ("recognisers/institution/*.py",),
}


@pytest.mark.parametrize("label", Label)
def test_a_label_is_in_every_table(label: Label) -> None:
    assert label in LABELS, f"{label}: deid_core/core/labels.py, `LABELS`, has no row for it"
    entry = LABELS[label]
    assert label_of(entry.general) is label, f"{label}: deid_core/core/labels.py, `LABELS`: general is another label's"
    assert len(entry.key) == 1 and entry.key.islower(), f"{label}: deid_core/core/labels.py, `LABELS`: key is a letter"
    assert types_with(label), f"{label}: deid_core/core/labels.py, `_ROWS`, has no type of it"


@pytest.mark.parametrize("phi", PhiType)
def test_a_type_is_in_every_table(phi: PhiType) -> None:
    assert phi in TYPES, f"{phi}: deid_core/core/labels.py, `_ROWS`, has no row for it"
    assert (phi in TYPE_GROUP_OF) != (phi in UNGROUPED), (
        f"{phi}: deid_core/ensemble/stacking/type_groups.py: name it in `TYPE_GROUPS` and train the stacking model and "
        "the subtypes again, or in `UNGROUPED` of this test, if the model has no label for it"
    )
    assert (phi in _NAMES | _EXCHANGED) != (phi in AS_WRITTEN), (
        f"{phi}: deid_core/lab/training/augmentation.py: name it in `_PLACES` or `_EXCHANGED`, or in `AS_WRITTEN` of "
        "this test, if augmented letters keep its texts"
    )
    assert phi in CATEGORIES or label_of(phi) not in (Label.PER, Label.LOC), (
        f"{phi}: deid_core/lab/synthetic/surrogates/mixes.py: `CATEGORIES` has no category for it"
    )


def test_no_key_is_of_two_types() -> None:
    keys = Counter(["p", "b", *(entry.key for entry in LABELS.values())])
    assert {key for key, count in keys.items() if count > 1} == set()


def test_the_page_says_which_recogniser_finds_a_type() -> None:
    page = (REPOSITORY / "docs" / "labels.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.partition("| recogniser | types |\n")[2].splitlines()[1:]]
    told = {row[0].strip("`"): row[1].split(", ") for row in rows if len(row) == 2}
    found = {}
    for kind, patterns in RECOGNISERS.items():
        files = [file for pattern in patterns for file in (REPOSITORY / "deid_core").glob(pattern)]
        named = {name for file in files for name in re.findall(r"PhiType\.([A-Z_]+)", file.read_text(encoding="utf-8"))}
        found[kind] = [str(phi) for phi in PhiType if phi.name in named]
    assert told == found, "docs/labels.md: the table of recognisers does not name the types that their modules do"
