"""Ward lists of data augmentation: beds, names, what there is to do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import PhiType
from deid_core.lab.corpora.letters import join_annotations, split_annotations
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.ward_lists import ward_list

PHRASES = ("Exzision einer Warze", "Verlust der Milz")


def lines(seed: object) -> list[str]:
    drawn = ward_list(lambda draw: draw.pick(("Kurz", "Berg")), PHRASES, Draw(str(seed)))
    return [join_annotations(line) for line in drawn]


@given(st.integers())
def test_a_list_has_three_to_eight_lines_that_can_be_read_again(seed: int) -> None:
    drawn = ward_list(lambda draw: draw.pick(("Kurz", "Berg")), PHRASES, Draw(str(seed)))
    assert 3 <= len(drawn) <= 8
    for line in drawn:
        assert "".join(text for _, text in split_annotations(join_annotations(line))) == "".join(t for _, t in line)
        assert {phi for phi, _ in line} <= {None, PhiType.PATIENT, PhiType.AGE}
        assert all(text.strip() == text for phi, text in line if phi)


def test_all_names_of_a_list_are_written_alike_and_some_beds_have_none() -> None:
    lists = [lines(seed) for seed in range(60)]
    named = [[line for line in drawn if "<patient>" in line] for drawn in lists]
    assert 0 < sum(map(len, named)) < sum(map(len, lists))
    for drawn in named:
        names = {line.partition("<patient>")[2].partition("</patient>")[0] for line in drawn}
        assert any(all(name == case(name) for name in names) for case in (str.lower, str.upper, str.capitalize))
    assert any("<age>" in line for drawn in named for line in drawn)
    assert any("kurz" in line and "exzision einer warze" in line for drawn in named for line in drawn)
