"""conf/policies: all problems of a file at once, with file and line; the shipped policies say what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.labels import TYPES, PhiType
from deid_core.policies.settings import load_policy, policy_names

WRONG = """\
name: ours
description: with mistakes
basis: []
assumptions: []
consistancy: note
labels:
  PER: shift
  DATE: {operator: shift, yers: keep}
  AGE: {operator: generalise, top: 200}
types:
  clinican: keep
"""


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(WRONG)
    with pytest.raises(ConfigurationError) as error:
        load_policy(str(path))
    told = {problem.removeprefix(f"{path}:").split(":")[0]: problem for problem in error.value.problems}
    assert sorted(told) == ["11", "5", "7", "8", "9"]
    assert "did you mean 'consistency'" in told["5"]
    assert "there is no 'shift'" in told["7"]
    assert "top" in told["9"]


def test_a_policy_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(ConfigurationError, match=r"readable.*thesis"):
        load_policy("nosuch")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_policy("nosuch.yaml")


def test_a_types_operator_takes_precedence_over_its_labels(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(
        "name: a\ndescription: b\nbasis: []\nassumptions: []\nlabels: {PER: typed}\ntypes: {patient: keep}\n"
    )
    policy = load_policy(str(path))
    assert policy.operator(PhiType.PATIENT).operator == "keep"
    assert policy.operator(PhiType.CLINICIAN).operator == "typed"
    assert policy.operator(PhiType.DATE).operator == "placeholder"


@pytest.mark.parametrize("name", policy_names())
def test_shipped_policies_cite_the_law_and_say_their_assumptions(name: str) -> None:
    policy = load_policy(name)
    assert policy.name == name
    assert len(policy.basis) >= 2 and len(policy.assumptions) >= 2
    assert all(line.startswith(("GDPR ", "BDSG ", "45 CFR ")) for line in policy.basis)
    if policy.shifts_dates:
        assert any("weekday" in line for line in policy.assumptions)


def test_show_prints_what_becomes_of_every_type(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policies", "show", "hipaa-safe-harbor"]) == ExitCode.DONE
    out = capsys.readouterr().out
    rows = {line.split("\t")[0]: line for line in out.splitlines() if "\t" in line}
    assert set(TYPES) <= set(rows)
    assert "band_years: 1, top: 90" in rows["age"]
    assert "164.514(b)(2)(ii)" in out and "key: none" in out
    assert main(["policies", "list"]) == ExitCode.DONE
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == policy_names()
    assert main(["policies", "show", "nosuch"]) == ExitCode.USAGE


def test_show_prints_only_what_applies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policies", "show", "research-gdpr"]) == ExitCode.DONE
    out = capsys.readouterr().out
    meanings = {line.split("\t")[0]: line.split("\t")[-1] for line in out.splitlines() if "\t" in line}
    assert (meanings["birth_date"], meanings["date"]) == ("the year", "month and year")
    assert meanings["age"] == "a band of 5 years; one band from 90 on"
    # Pseudonyms need a key, but no date is moved and no surrogate drawn.
    assert "consistency: patient" in out and "shift:" not in out and "repeat_surrogate" not in out
    assert main(["policies", "show", "readable"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert "shift: " in out and "repeat_surrogate: 1.0" in out
    assert main(["policies", "show", "hipaa-safe-harbor"]) == ExitCode.DONE
    assert "the age in years; one band from 90 on" in capsys.readouterr().out
