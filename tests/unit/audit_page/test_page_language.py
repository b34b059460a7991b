"""The words of the audit page: both languages have the same, and one for every name that the program writes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

pytest.importorskip("jinja2", reason="needs the extra spark")

from deid_core.audit_page import page_language
from deid_core.audit_page.page_language import LANGUAGES, Language
from deid_core.cli import report
from deid_core.core.errors import Reason
from deid_core.core.labels import TYPES, Label
from deid_core.core.spans import DropReason
from deid_core.ensemble import own_lists, propagation
from deid_core.ensemble.stacking import stacking_model
from deid_core.lake.checks.leak_sweep import Outcome
from deid_core.lake.checks.night_profile import Measure
from deid_core.lake.states import YearSource
from deid_core.pipeline import sweep
from deid_core.pipeline.known_terms import TermKind, TermSource
from deid_core.policies.patient_evidence import EvidenceKind
from deid_core.recognisers import author
from deid_core.recognisers.registry import plugin_of, settings_types


def words(name: str) -> dict[str, Any]:
    return yaml.safe_load((page_language.FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def keys(value: object, prefix: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {prefix}
    return set().union(*(keys(below, f"{prefix}.{name}") for name, below in value.items()))


def test_languages_have_the_same_words() -> None:
    assert set(LANGUAGES) == set(report.LANGUAGES) == {"de", "en"}
    assert keys(words("de")) == keys(words("en"))


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_name_of_the_tables_has_words(name: str) -> None:
    there = words(name)
    file = f"deid_core/audit_page/words/{name}.yaml"
    assert set(there["labels"]) == set(Label), f"{file}: `labels` has a name for each label"
    assert set(there["types"]) == set(TYPES), f"{file}: `types` has a name for each type"
    assert set(there["reasons"]) == set(Reason)
    assert set(there["drop_reasons"]) == set(DropReason)
    assert set(there["year_sources"]) == set(YearSource)
    assert set(there["known_terms"]) == set(TermKind)
    assert set(there["known_from"]) == set(TermSource)
    assert set(there["patient_evidence"]) == set(EvidenceKind)
    assert set(there["drift"]["measures"]) == set(Measure)
    assert set(there["drift"]["units"]) < set(Measure)
    assert set(there["sweep_outcomes"]) == set(Outcome)
    added = {own_lists.KIND, propagation.KIND, stacking_model.KIND, author.AuthorRecogniser.kind, sweep.KIND}
    own = {kind for kind in settings_types() if plugin_of(kind) is None}
    assert set(there["recognisers"]) == own | added


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("en", 1234567, "1,234,567"),
        ("de", 1234567, "1.234.567"),
        ("en", 0.0, "0"),
        ("de", 1234.56, "1.234,6"),
        ("de", 9.876, "9,88"),
        ("en", 0.0123, "0.012"),
    ],
)
def test_numbers(name: str, value: float, shown: str) -> None:
    assert Language(name).number(value) == shown


def test_shares() -> None:
    assert Language("de").share(1, 3) == "33,3 %"
    assert Language("en").share(1, 100_000) == "under 0.1 %"
    assert Language("en").share(0, 0) == "0 %"


def test_one_and_many() -> None:
    assert Language("en")("summary.deidentified", n=1).startswith("1 of them was")
    assert Language("de")("summary.deidentified", n=1200).startswith("1.200 davon wurden")


def test_a_name_without_words_is_shown_as_it_is() -> None:
    assert Language("de").described("recognisers", "study_numbers") == "study_numbers"
