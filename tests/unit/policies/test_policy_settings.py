"""conf/policies: all problems of a file at once, with file and line; the shipped policies say what they are for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode, SecretMissingError
from deid_core.core.labels import TYPES, Label, PhiType
from deid_core.core.spans import Span
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import load_policy, operators_of, policy_model, policy_names
from deid_core.policies.surrogates import surrogate_operator

REPOSITORY = Path(__file__).resolve().parents[3]

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


@pytest.mark.parametrize("module", ["settings", "operators.factory", "surrogates"])
def test_a_module_can_be_the_first_that_a_process_imports(module: str) -> None:
    """As of `deid policies` and `deid release`: modules that import each other fail by who comes first."""
    program = [sys.executable, "-c", f"import deid_core.policies.{module}"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize(("policy", "loads"), [("thesis", False), ("readable", True)])
def test_surrogates_are_loaded_by_a_policy_that_has_some(policy: str, *, loads: bool) -> None:
    program = (
        "import sys\n"
        "from deid_core.policies.key import PolicyKey\n"
        "from deid_core.policies.redaction import Redactor\n"
        "from deid_core.policies.settings import load_policy\n"
        f"policy = load_policy({policy!r})\n"
        "module = 'deid_core.policies.surrogates'\n"
        "before = module in sys.modules\n"
        "Redactor(policy, PolicyKey(bytes(32)))\n"
        "print(before, module in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", str(loads)]


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


@pytest.mark.parametrize("label", Label)
def test_surrogates_that_do_not_exist_are_refused_with_file_and_line(label: Label, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"name: a\ndescription: b\nbasis: []\nassumptions: []\nlabels:\n  {label}: surrogate\n")
    types = [phi for phi, entry in TYPES.items() if entry.label is label]
    try:
        load_policy(str(path))
    except ConfigurationError as error:
        assert error.problems[0].startswith(f"{path}:6: labels.{label}: there is no 'surrogate'")
        with pytest.raises(KeyError):
            list(map(surrogate_operator, types))
    else:
        assert all(map(surrogate_operator, types))


@pytest.mark.parametrize("label", Label)
def test_an_operator_that_draws_says_that_it_is_keyed(label: Label) -> None:
    text = "12.3.2010"
    spans = {phi: Span(0, len(text), label, phi, "", "") for phi, entry in TYPES.items() if entry.label is label}
    for settings in operators_of(label):
        given = {"name": "a", "description": "b", "basis": [], "assumptions": []}
        policy = policy_model().model_validate(given | {"labels": {label: settings()}})
        if settings.keyed:
            with pytest.raises(SecretMissingError):
                Redactor(policy)
        redactor = Redactor(policy, PolicyKey(bytes(32)) if settings.keyed else None)
        for phi, span in spans.items():
            # Drawing without a key raises RuntimeError.
            assert redactor.redact(text, [span]).text, f"{settings.__name__}, {phi}"


def test_a_typed_pseudonym_names_the_type_and_keeps_the_digits() -> None:
    """So that a person whose type was read wrongly once can still be joined."""
    text = "Karl Muster"
    redactor = Redactor(load_policy("research-shifted"), PolicyKey(bytes(32)))
    plain = Redactor(load_policy("research-gdpr"), PolicyKey(bytes(32)))
    patient, relative = (
        redactor.redact(text, [Span(0, len(text), Label.PER, phi, "", "")], patient="1").text
        for phi in (PhiType.PATIENT, PhiType.RELATIVE)
    )
    untyped = plain.redact(text, [Span(0, len(text), Label.PER, PhiType.PATIENT, "", "")], patient="1").text
    assert patient.startswith("<PATIENT-") and relative.startswith("<RELATIVE-") and untyped.startswith("<PER-")
    assert len({token.partition("-")[2] for token in (patient, relative, untyped)}) == 1


def test_a_policy_without_basis_or_assumptions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("name: a\ndescription: b\n")
    with pytest.raises(ConfigurationError) as error:
        load_policy(str(path))
    assert {name for name in ("basis", "assumptions") if name in str(error.value)} == {"basis", "assumptions"}


def test_the_page_names_the_labels_of_every_operator() -> None:
    page = (REPOSITORY / "docs" / "policies.md").read_text(encoding="utf-8").partition("\n## Operators\n")[2]
    rows = [line.strip("| ").split(" | ")[:2] for line in page.strip().split("\n\n")[0].splitlines()[2:]]
    labels: dict[type, list[str]] = {}
    for label in Label:
        for settings in operators_of(label):
            labels.setdefault(settings, []).append(label)

    def told(of: list[str]) -> str:
        but = [label for label in Label if label not in of]
        few = len(but) < len(of)
        return "all labels" if not but else f"all but {', '.join(but)}" if few else ", ".join(of)

    expected = sorted((settings().operator, told(of)) for settings, of in labels.items())
    problem = "docs/policies.md, Operators: the table has a row for each operator, with its labels"
    assert sorted((name.strip("`"), of) for name, of in rows) == expected, problem


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
