"""The template language and the layouts: what they give, and what they refuse."""

from __future__ import annotations

import re

import pytest

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Phi, Pieces, text_of
from deid_core.lab.synthetic.letter_layout import parse_layout
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.synthetic.template_language import TemplateError, compile_template, decimal
from deid_core.lab.synthetic.typos import misspelt


def case(seed: str = "1", *, female: bool = False) -> Case:
    """A case of a man's or a woman's letter."""
    numbers = (f"{seed}.{n}" for n in range(100))
    return next(c for c in (Case(Draw(n), lists_of("train"), 2010) for n in numbers) if c.female == female)


def filled(text: str, *, female: bool = False) -> Pieces:
    return compile_template(text).fill(case(female=female))


def test_text_stays_as_it_is() -> None:
    assert text_of(filled("Kein Meningismus, LDL < 70 mg/dl")) == "Kein Meningismus, LDL < 70 mg/dl"


def test_sex_is_resolved() -> None:
    assert text_of(filled("<Der Patient|Die Patientin> klagt")) == "Der Patient klagt"
    assert text_of(filled("<Der Patient|Die Patientin> klagt", female=True)) == "Die Patientin klagt"
    assert filled("{Herrn}", female=True) == (Phi("Frau", PhiType.SALUTE),)


def test_alternatives_may_be_empty_and_hold_slots() -> None:
    template = compile_template("RR[ {110-120}| gut|]")
    seen = {text_of(template.fill(case(str(n)))) for n in range(60)}
    assert {"RR", "RR gut"} < seen
    assert all(re.fullmatch(r"RR( gut| 1(1\d|20))?", text) for text in seen)


def test_numbers_keep_to_range_step_and_decimals() -> None:
    template = compile_template("{110-160/25} {0,6-1,9}")
    for n in range(40):
        whole, small = text_of(template.fill(case(str(n)))).split(" ")
        assert whole in ("110", "135", "160")
        assert re.fullmatch(r"[01],\d", small) and 0.6 <= float(small.replace(",", ".")) <= 1.9


def test_marked_texts_and_numbers_are_gold() -> None:
    assert filled("{salute:Frau} Kollegin") == (Phi("Frau", PhiType.SALUTE), " Kollegin")
    assert filled("{age:67-67} Jahre")[0] == Phi("67", PhiType.AGE)


def test_a_full_stop_is_not_doubled() -> None:
    template = compile_template("am {stay.short}.")
    texts = [text_of(template.fill(case(str(n)))) for n in range(60)]
    assert all(text.endswith(".") and not text.endswith("..") for text in texts)


@pytest.mark.parametrize(
    ("text", "identifying"), [("RR {120-130} [a|b]", False), ("am {stay}", True), ("[am {stay}|]", True)]
)
def test_a_template_knows_whether_it_identifies(text: str, identifying: bool) -> None:
    assert compile_template(text).identifying is identifying


@pytest.mark.parametrize(
    "text", ["{pateint}", "{nosuch:Frau}", "{patient", "a]", "{1-2,5}", "{9-5}", "{salute:}", "[{stay}|"]
)
def test_mistakes_are_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        compile_template(text)


@pytest.mark.parametrize(
    "text",
    ["Text ohne Rumpf", "@body\n@body", "@nosuch\n@body", "@table\n@cell\na\n@body", "@table\na\n@end\n@body",
     "@table\n@cell\na\n@row\n@cell\na\n@cell\nb\n@end\n@body"],
)  # fmt: skip
def test_mistakes_in_layouts_are_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        parse_layout(text)


@pytest.mark.parametrize(("value", "places", "text"), [(35, 0, "35"), (35, 1, "3,5"), (5, 2, "0,05"), (120, 2, "1,20")])
def test_decimals(value: int, places: int, text: str) -> None:
    assert decimal(value, places) == text


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_typing_error_changes_a_word_by_two_letters_at_most(split: str) -> None:
    rules = lists_of(split).typos
    for n, surname in enumerate(lists_of(split).surnames):
        wrong = misspelt(surname, Draw(str(n)), rules)
        assert wrong[0] == surname[0]
        assert abs(len(wrong) - len(surname)) <= 1
    changed = [s for s in lists_of(split).surnames if misspelt(s, Draw(s), rules) != s]
    assert len(changed) > 0.8 * len([s for s in lists_of(split).surnames if len(s) > 3])
