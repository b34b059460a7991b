"""Recognisers of other packages: by the decorator, by an entry point, and what is wrong with them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from deid_core import Deidentifier, register_recogniser
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection
from deid_core.pipeline.config import load_pipeline
from deid_core.recognisers import registry
from deid_core.recognisers.base import RecogniserSettings, Resources
from deid_core.text.document import Document

PLUGIN = '''
"""A recogniser of study numbers."""
import re
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.base import RecogniserSettings


class StudyNumbers:
    kind = "study_number"

    class Settings(RecogniserSettings):
        prefix: str = "STUDY"

    def __init__(self, settings, resources):
        self._number = re.compile(rf"{settings.prefix}[0-9]+")

    def recognise(self, document):
        for match in self._number.finditer(document.text):
            yield Detection(*match.span(), Label.ID, PhiType.ID, self.kind, "number")
'''
PIPELINE = (
    "name: own\ndescription: d\nrecognisers:\n  - {kind: pattern, groups: [date]}\n"
    "  - {kind: study_number, prefix: ABC}\norder: [pattern]\nlabels_from: []\n"
)


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    known, modules, path = dict(registry._KINDS), dict(sys.modules), list(sys.path)
    yield
    registry._KINDS.clear()
    registry._KINDS.update(known)
    for name in set(sys.modules) - set(modules):
        if name.startswith("study"):
            del sys.modules[name]
    sys.path[:] = path


def install(folder: Path, source: str, version: str = "1.0", entry: str = "study_number = study:StudyNumbers") -> None:
    """Put a package with its metadata on sys.path, as pip does."""
    sys.modules.pop("study", None)
    registry._KINDS.pop("study_number", None)
    folder.mkdir()
    (folder / "study.py").write_text(source)
    metadata = folder / f"study-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: study\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[deid.recognisers]\n{entry}\n")
    sys.path[:] = [str(folder), *(path for path in sys.path if not Path(path, "study.py").exists())]


def fingerprint(folder: Path, *arguments: str) -> str:
    install(folder, *arguments)
    path = folder / "own.yaml"
    path.write_text(PIPELINE)
    return Deidentifier.load(path).fingerprint


def test_a_recogniser_of_an_installed_package_is_named_in_a_pipeline(tmp_path: Path) -> None:
    install(tmp_path / "site", PLUGIN)
    path = tmp_path / "own.yaml"
    path.write_text(PIPELINE)
    result = Deidentifier.load(path).redact("Studie ABC4711 am 1.2.2010")
    assert result.text == "Studie <ID> am <DATE>"
    assert [(span.recogniser, span.rule) for span in result.spans] == [
        ("study_number", "number"),
        ("pattern", "date.numeric"),
    ]


def test_the_fingerprint_changes_with_the_plugins_code_and_version_alone(tmp_path: Path) -> None:
    first = fingerprint(tmp_path / "a", PLUGIN)
    commented = PLUGIN.replace('"""A recogniser of study numbers."""', '"""Other words."""  # a comment')
    assert fingerprint(tmp_path / "b", commented) == first
    assert fingerprint(tmp_path / "c", PLUGIN, "1.1") != first
    assert fingerprint(tmp_path / "d", PLUGIN.replace("[0-9]+", "[0-9]{4,}")) != first


@pytest.mark.parametrize(
    ("source", "entry", "told"),
    [
        (PLUGIN, "study_number = study:Absent", "AttributeError"),
        ("import absent_library\n", "study_number = study:StudyNumbers", "No module named 'absent_library'"),
        (
            PLUGIN.replace('    kind = "study_number"\n', ""),
            "study_number = study:StudyNumbers",
            "needs `kind`, a string",
        ),
        (
            PLUGIN.replace('"study_number"', '"other"'),
            "study_number = study:StudyNumbers",
            "the class has the kind 'other'",
        ),
        ("StudyNumbers = 5\n", "study_number = study:StudyNumbers", "needs `kind`, a string, `Settings`"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_one_line_with_its_entry_point(
    source: str, entry: str, told: str, tmp_path: Path
) -> None:
    install(tmp_path / "site", source, "1.0", entry)
    path = tmp_path / "own.yaml"
    path.write_text(PIPELINE)
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    [problem] = error.value.problems
    assert problem.startswith(f"entry point {entry} of the group deid.recognisers: cannot be used: ")
    assert told in problem
    assert "\n" not in problem


def test_a_plugin_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    install(tmp_path / "site", PLUGIN.replace("self._number = ", "self._number = 1 / 0 + "))
    path = tmp_path / "own.yaml"
    path.write_text(PIPELINE)
    with pytest.raises(ConfigurationError, match=r"recogniser study_number .*cannot be made: ZeroDivisionError"):
        Deidentifier.load(path)


def test_settings_of_a_plugin_are_checked_with_file_and_line(tmp_path: Path) -> None:
    install(tmp_path / "site", PLUGIN)
    path = tmp_path / "own.yaml"
    path.write_text(PIPELINE.replace("prefix: ABC", "prefix: 5"))
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    assert error.value.problems == [f"{path}:5: recognisers.1.study_number.prefix: Input should be a valid string"]


class Vessels:
    """Takes "Vena" for a name, which the stacking model never does."""

    kind = "vessels"

    class Settings(RecogniserSettings):
        label: str

    def __init__(self, settings: Settings, resources: Resources) -> None:
        self._label = Label(settings.label)

    def recognise(self, document: Document) -> Iterable[Detection]:
        for match in re.finditer("Vena cava|Peter", document.text):
            yield Detection(*match.span(), self._label, PhiType.OTHER, self.kind, "vessel")


TEXT = "Thrombose der Vena cava inferior, EF 55 %. Herr Peter Xylander kam am 1.2.2010."


def test_a_registered_recogniser_is_never_dropped_and_comes_first_though_no_order_names_it() -> None:
    assert register_recogniser(Vessels) is Vessels
    default = load_pipeline("default")
    vessels = registry.settings_types()["vessels"].model_validate({"kind": "vessels", "label": "ID"})
    own = default.model_copy(update={"recognisers": [*default.recognisers, vessels]})
    assert Deidentifier.load("default").redact(TEXT).text == (
        "Thrombose der Vena cava inferior, EF 55 %. <SALUTE> <PER> kam am <DATE>."
    )
    result = Deidentifier.load(own).redact(TEXT)
    assert result.text == "Thrombose der <ID> inferior, EF 55 %. <SALUTE> <ID> <PER> kam am <DATE>."
    assert [span for span in result.spans if span.recogniser == "vessels"] == [
        (14, 23, Label.ID, PhiType.OTHER, "vessels", "vessel", 1.0),
        (48, 53, Label.ID, PhiType.OTHER, "vessels", "vessel", 1.0),
    ]


def test_a_registered_recogniser_that_the_order_names_last_is_not_dropped_either() -> None:
    register_recogniser(Vessels)
    default = load_pipeline("default")
    vessels = registry.settings_types()["vessels"].model_validate({"kind": "vessels", "label": "ID"})
    last = {"recognisers": [*default.recognisers, vessels], "order": [*default.order, "vessels"]}
    text = Deidentifier.load(default.model_copy(update=last)).redact(TEXT).text
    assert text == "Thrombose der <ID> inferior, EF 55 %. <SALUTE> <PER> kam am <DATE>."


def test_a_class_says_all_that_it_lacks() -> None:
    class Nothing:
        pass

    with pytest.raises(TypeError, match=r"Nothing needs `kind`, a string, `Settings`, .*, the method `recognise`"):
        register_recogniser(Nothing)


def test_a_kind_is_taken_once_but_a_cell_of_a_notebook_may_run_again() -> None:
    register_recogniser(Vessels)
    register_recogniser(Vessels)
    other = type("Other", (Vessels,), {})
    with pytest.raises(ValueError, match="there is a recogniser of the kind 'vessels' already"):
        register_recogniser(other)
    with pytest.raises(ValueError, match="'crf' already: the project's own"):
        register_recogniser(type("Crf", (Vessels,), {"kind": "crf"}))


def test_every_settings_class_of_the_project_has_its_recogniser() -> None:
    """A kind that can be written in a pipeline but not built would find nothing."""
    from deid_core.recognisers import settings

    kinds = {
        each.model_fields["kind"].annotation.__args__[0]
        for each in vars(settings).values()
        if isinstance(each, type) and issubclass(each, RecogniserSettings) and each is not RecogniserSettings
    }
    assert kinds == set(registry._KINDS)
