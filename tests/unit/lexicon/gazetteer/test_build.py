"""sources.yaml, readers, cleaning and the build's account: every problem at once, nothing dropped without a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.lexicon.gazetteer import cache, readers
from deid_core.lexicon.gazetteer.build import Build, build, unread_files
from deid_core.lexicon.gazetteer.settings import GazetteerSettings
from deid_core.lexicon.gazetteer.sources import load_sources


def write(folder: Path, sources: str, **lists: bytes | str) -> GazetteerSettings:
    """A sources.yaml with lists beside it; `towns` is written to towns.txt."""
    (folder / "sources.yaml").write_text(f"sources:\n{sources}", encoding="utf-8")
    for name, content in lists.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / f"{name}.txt").write_bytes(data)
    return GazetteerSettings(sources=str(folder / "sources.yaml"), cache_dir=str(folder / "cache"))


def source(name: str, kind: str = "town", more: str = "") -> str:
    return f"  - {{name: {name}, kind: {kind}, licence: own, file: {name}.txt{', ' + more if more else ''}}}\n"


def problems_of(settings: GazetteerSettings) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        build(settings)
    return caught.value.problems


def only(built: Build, name: str) -> tuple[int, int, dict[str, int]]:
    report = next(s for s in built.sources if s.name == name)
    return report.read, report.taken, dict(report.dropped)


def test_entries_comments_and_empty_lines(tmp_path: Path) -> None:
    built = build(write(tmp_path, source("towns"), towns="# a comment\n\nUlm\nBad Homburg \nUlm\n"))
    assert only(built, "towns") == (2, 2, {"repeated": 1})
    assert built.gazetteer.words("town") == {"Ulm"}


def test_all_malformed_lines_of_all_lists_are_named_at_once(tmp_path: Path) -> None:
    settings = write(
        tmp_path,
        source("towns") + source("names", "surname"),
        towns=b"Ulm\nK\xf6ln\nBa\x00d\nA\tB\n - \n",
        names=b"M\xc3\xbcller\nM\xfcller\n",
    )
    problems = problems_of(settings)
    expected = [
        ("towns.txt:2:", "not UTF-8 at byte 2"),
        ("towns.txt:3:", "control character"),
        ("towns.txt:4:", "tab"),
        ("towns.txt:5:", "no letter or digit"),
        ("names.txt:2:", "not UTF-8"),
    ]
    assert len(problems) == len(expected)
    for problem, (place, what) in zip(sorted(problems, key=problems.index), expected, strict=True):
        assert place in problem and what in problem


def test_a_csv_with_wrong_columns_counts_and_names(tmp_path: Path) -> None:
    more = "format: csv, column: name, count_column: count"
    settings = write(tmp_path, source("rows", "first_name", more), rows="name,count\nAnna,3\nPeter\n,4\nEva,x\n")
    problems = problems_of(settings)
    assert [p.split(": ")[0].rsplit(":", 1)[1] for p in problems] == ["3", "4", "5"]
    assert problems_of(write(tmp_path, source("rows", "first_name", more), rows="nom,count\nAnna,3\n"))[0].endswith(
        "has no column 'name'; it has: nom, count"
    )


def test_malformed_lines_are_counted_where_they_are_dropped(tmp_path: Path) -> None:
    built = build(write(tmp_path, source("towns", more="malformed: drop"), towns=b"Ulm\nK\xf6ln\n"))
    assert only(built, "towns") == (1, 1, {"malformed": 1})


def test_a_list_of_malformed_lines_alone_is_refused_all_the_same(tmp_path: Path) -> None:
    assert len(problems_of(write(tmp_path, source("towns", more="malformed: drop"), towns=b"K\xf6ln\n"))) == 1


def test_counts_of_equal_names_are_added(tmp_path: Path) -> None:
    more = "format: csv, column: name, count_column: count, filters: {min_count: 5}"
    built = build(write(tmp_path, source("rows", "first_name", more), rows="name,count\nAnna,3\nAnna,2\nEva,4\n"))
    assert built.gazetteer.words("first_name") == {"Anna"}
    assert only(built, "rows") == (2, 1, {"too rare": 1})


def test_every_filter_has_its_reason(tmp_path: Path) -> None:
    filters = (
        "filters: {min_length: 3, drop_digits: true, capitalised: true, max_words: 2, drop_pattern: '-->', "
        "without: [known]}"
    )
    settings = write(
        tmp_path,
        source("known") + source("towns", more=filters),
        known="ULM\n",
        towns="Au\nA7b\nulmen\nEins Zwei Drei\nA --> B\nUlm\nKöln\n",
    )
    reasons = (
        "has digits",
        "in another source",
        "matches drop_pattern",
        "not capitalised",
        "too many words",
        "too short",
    )
    read, taken, dropped = only(build(settings), "towns")
    # "A --> B" has three words, and the first reason counts.
    assert (read, taken) == (7, 1)
    assert dropped == {r: 1 for r in reasons if r != "matches drop_pattern"} | {"too many words": 2}


@pytest.mark.parametrize(
    ("step", "entry", "words"),
    [
        ("strip_brackets", "Neustadt (Holstein)", {"Neustadt"}),
        ("split_slash", "Achern/Gamshurst", {"Achern", "Gamshurst"}),
        ("split_comma", "Venezuela, Republik", {"Venezuela", "Republik"}),
        ("strip_district", "Seedorf OT Fallingen", {"Seedorf", "Fallingen"}),
        ("lower", "STEIN", {"stein"}),
    ],
)
def test_steps_of_cleaning(tmp_path: Path, step: str, entry: str, words: set[str]) -> None:
    built = build(write(tmp_path, source("towns", more=f"normalise: [{step}]"), towns=f"{entry}\n"))
    assert built.gazetteer.words("town") == words


def test_umlauts_are_composed(tmp_path: Path) -> None:
    assert build(write(tmp_path, source("towns"), towns="Ko\u0308ln\n")).gazetteer.words("town") == {"Köln"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  - {name: a, kind: town, licence: own}\n", "exactly one of"),
        ("  - {name: a, kind: tawn, licence: own, file: a}\n", "kind"),
        ("  - {name: a, kind: town, file: a}\n", "licence"),
        ("  - {name: a, kind: town, licence: own, file: a, format: csv}\n", "column"),
        ("  - {name: a, kind: town, licence: own, file: a, filters: {without: [b]}}\n", "do not exist: b"),
        (source("a") + source("a"), "more than once: a"),
        ("  - {name: a, kind: town, licence: own, file: a, filtres: {}}\n", "filtres: is not a setting"),
    ],
)
def test_mistakes_in_sources_are_named_with_their_place(tmp_path: Path, line: str, message: str) -> None:
    settings = write(tmp_path, line)
    with pytest.raises(ConfigurationError, match=r"sources\.yaml:\d+: ") as caught:
        load_sources(Path(settings.sources))
    assert message in str(caught.value)


def test_a_missing_file_is_named_with_its_source(tmp_path: Path) -> None:
    (problem,) = problems_of(write(tmp_path, source("gone")))
    assert "gone.txt: cannot be read" in problem and "source gone" in problem


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(readers.importlib, "import_module", absent)
    line = "  - {name: p, kind: surname, licence: MIT, package: faker, reader: surnames}\n"
    (problem,) = problems_of(write(tmp_path, line))
    assert "sources.yaml:2: " in problem and how_to_install("gazetteers") in problem


def test_a_circle_of_without_is_refused(tmp_path: Path) -> None:
    lines = source("a", more="filters: {without: [b]}") + source("b", more="filters: {without: [a]}")
    assert "circle" in problems_of(write(tmp_path, lines, a="A1\n", b="B1\n"))[0]


def test_lists_of_a_folder_that_is_not_set_are_reported_as_skipped(tmp_path: Path) -> None:
    settings = write(tmp_path, "  - {name: big, kind: town, licence: own, lists_dir: big.txt}\n", big="Ulm\n")
    assert build(settings).sources[0].skipped == "no lists folder is set"
    in_folder = settings.model_copy(update={"lists_dir": str(tmp_path)})
    assert build(in_folder).gazetteer.words("town") == {"Ulm"}


def hospital_folder(tmp_path: Path, **lists: str) -> GazetteerSettings:
    folder = tmp_path / "house"
    folder.mkdir()
    for name, text in lists.items():
        (folder / f"{name.replace('_', '-')}.txt").write_text(text, encoding="utf-8")
    return GazetteerSettings(lists_dir=str(folder), cache_dir=str(tmp_path / "cache"))


def test_a_folder_with_only_ones_own_lists_joins_the_shipped_ones(tmp_path: Path) -> None:
    settings = hospital_folder(tmp_path, surnames="Xylanderski\n", medical_words="Kollwitz\n", towns="Oberquandt\n")
    built = build(settings)
    words = built.gazetteer.words
    assert {"Xylanderski", "Müller"} <= words("surname")
    assert "Oberquandt" in words("town") and "Heidelberg" in words("town")
    assert "kollwitz" in words("medical_word")
    assert words("kept_word") == {"kollwitz"}
    skipped = {source.name: source.skipped for source in built.sources}
    assert skipped["osm-streets"] == skipped["house-first-names"] == "not in the lists folder"
    assert skipped["house-surnames"] == ""


def test_an_own_list_with_malformed_lines_is_refused_by_line(tmp_path: Path) -> None:
    settings = hospital_folder(tmp_path, surnames="Xylanderski\na\tb\n", towns="--\n")
    begins = [f"{settings.lists_dir}/towns.txt:1: ", f"{settings.lists_dir}/surnames.txt:2: "]
    problems = problems_of(settings)
    assert all(problem.startswith(begin) for problem, begin in zip(problems, begins, strict=True))


@pytest.mark.parametrize("check", [build, cache.cache_key])
def test_a_folder_that_may_not_be_mounted_is_an_error(
    tmp_path: Path, check: Callable[[GazetteerSettings], object]
) -> None:
    with pytest.raises(ConfigurationError, match="has none of the lists"):
        check(hospital_folder(tmp_path, surname="Xylander\n"))
    with pytest.raises(ConfigurationError, match="there is no such folder"):
        check(GazetteerSettings(lists_dir=str(tmp_path / "gone")))


def test_files_that_are_not_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = hospital_folder(tmp_path, surname="Xylander\n", first_names="Xaverius\n")
    assert unread_files(settings) == ["surname.txt"]
    monkeypatch.setattr(cache, "_folders", lambda _: [tmp_path])
    assert main(["gazetteers", "build", "--lists-dir", str(settings.lists_dir)]) == 0
    said = capsys.readouterr().out
    assert "not read: surname.txt; did you mean surnames.txt?" in said
    # No list of streets comes with the packages.
    assert "street: 0 entries; the thesis (seed 000) had 96,100" in said


def test_the_projects_own_sources_compile() -> None:
    built = build(GazetteerSettings())
    assert built.entries["town"] > 10_000 and built.entries["street"] == 0
    assert {"first_name", "surname", "town", "country", "eponym", "stop_word", "common_word"} <= set(
        built.gazetteer.lists
    )
    # A frequent surname is no common word, a name that is also a word is one.
    assert "müller" not in built.gazetteer.words("common_word")
    assert {"stein", "sommer", "kaiser"} <= built.gazetteer.words("common_word")


@pytest.mark.shared
def test_the_shared_lists_compile(shared_dir: Path) -> None:
    built = build(GazetteerSettings(lists_dir=str(shared_dir / "gazetteers")))
    taken = {s.name: s.taken for s in built.sources}
    assert taken["osm-streets"] > 95_000 and taken["germaner-surnames"] > 110_000 and taken["osm-towns"] > 13_000
    assert {"street", "hospital", "postcode"} <= set(built.gazetteer.lists)
