"""The pattern recogniser: settings, invariants, prefilter, and hostile text, which neither hangs it nor is skipped."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.recognisers.pattern import recogniser as pattern
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.recogniser import GUARDED_CHARS, PatternRecogniser
from deid_core.recognisers.pattern.rule import PatternRule
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.document import Document
from deid_core.text.regex_set import FLAGS, KeptExpressions, RegexSet
from deid_core.text.vocabulary import Vocabulary

CASES = Path(__file__).parents[2] / "cases" / "pattern"
RULES = [rule for rules in GROUPS.values() for rule in rules]


class Finder:
    """A recogniser and its vocabulary."""

    def __init__(self, *groups: str) -> None:
        self.vocabulary = Vocabulary()
        self.recogniser = PatternRecogniser(PatternSettings(kind="pattern", groups=list(groups)), self.vocabulary)

    def __call__(self, text: str) -> list[Detection]:
        document = Document(Note("note", text), self.vocabulary.tokenise(text), self.vocabulary)
        return list(self.recogniser.recognise(document))


@pytest.fixture(scope="module")
def warm_finder() -> Finder:
    """All groups, with a vocabulary that has seen other texts."""
    finder = Finder(*GROUPS)
    for text in ("Tel.: 06221/56-1234", "am 3.4.2010 und 12/09", "Herrn Prof. Dr. Müller, 67 J.", "69120 Heidelberg"):
        assert finder(text)
    return finder


def test_all_unknown_groups_are_reported() -> None:
    with pytest.raises(ConfigurationError) as raised:
        Finder("date", "dates", "phones")
    assert len(raised.value.problems) == 2
    assert "'dates'" in raised.value.problems[0] and "'phones'" in raised.value.problems[1]
    assert all(name in raised.value.problems[0] for name in GROUPS)


def test_no_groups_find_nothing() -> None:
    assert Finder()("am 01.12.1956") == []


def test_a_detection_has_rule_label_and_type() -> None:
    (found,) = Finder("date")("Frau Muster, geb. 01.12.1956")
    assert (found.label, found.type) == (Label.DATE, PhiType.BIRTH_DATE)
    assert (found.recogniser, found.rule) == ("pattern", "date.birth")


@pytest.mark.parametrize(
    ("text", "group", "phi_type"),
    [
        ("* 01.12.1956", "date", PhiType.BIRTH_DATE),
        ("am 01.12.1956", "date", PhiType.DATE),
        ("Fax: 06221/56-35", "phone", PhiType.FAX),
        ("Tel.: 06221/56-35", "phone", PhiType.PHONE),
        ("Fallnummer 1234567", "id", PhiType.CASE_ID),
        ("PIZ 1234567", "id", PhiType.PATIENT_ID),
        ("A123456780", "id", PhiType.INSURANCE_ID),
        ("65 170839 J 003", "id", PhiType.INSURANCE_ID),
        ("SN: AB-12345", "id", PhiType.DEVICE_ID),
        ("LANR 123456789", "id", PhiType.ID),
        ("Pkw HD-AB 123", "id", PhiType.ID),
        ('MS "Musterfrau"', "id", PhiType.OTHER),
    ],
)
def test_types(text: str, group: str, phi_type: PhiType) -> None:
    assert [d.type for d in Finder(group)(text)] == [phi_type]


def test_a_wrong_check_digit_is_no_insurance_number() -> None:
    finder = Finder("id")
    assert [d.rule for d in finder("A123456780")] == ["id.health_insurance"]
    assert [d.rule for d in finder("A123456781")] == ["id.letter_number"]
    assert finder("7561234567898")[0].rule == "id.long_number"
    assert [d.rule for d in finder("756.1234.5678.98")] == ["id.swiss_insurance_dotted"]


def test_offsets_count_code_points() -> None:
    text = "Größe 😀 am 01.12.1956"
    (found,) = Finder("date")(text)
    assert text[found.start : found.end] == "01.12.1956"


def test_offsets_are_the_raw_texts() -> None:
    text = "Fu\u0308r Pa\u00adtient am 12\u20113\u20112010, ge\u00adboren 01.12.1956"
    places = [(d.start, d.end) for d in Finder("date")(text)]
    assert [text[start:end] for start, end in places] == ["12\u20113\u20112010", "01.12.1956"]


def test_groups_are_independent() -> None:
    found = Finder("plz", "phone")("Tel.: 06221/56 69120 Heidelberg, 06221/69120")
    assert {d.label for d in found} == {Label.PHONE, Label.PLZ}


def test_a_rule_with_a_token_pair_is_tried_at_such_pairs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = PatternRule("date.x", PhiType.DATE, token_regex=r"\d{2}", pattern=r"\d{1,2}", token_pair=(r"\d", r"Uhr|-"))
    monkeypatch.setitem(GROUPS, "date", (rule,))
    finder = Finder("date")
    text = "3 Uhr 4 mal 5. Uhr 6 \u2013 7 88 9"
    assert [text[d.start : d.end] for d in finder(text)] == ["3", "5", "6", "88"]
    assert [d.start for d in finder("5 Uhr")] == [0] and finder("5.") == [] and finder("") == []


def test_the_prefilter_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        line.split("\t")[0] for path in sorted(CASES.glob("*.tsv")) for line in path.read_text("utf-8").split("\n")
    ]
    filtered = Finder(*GROUPS)
    for group, rules in GROUPS.items():
        monkeypatch.setitem(GROUPS, group, tuple(map(_without_conditions, rules)))
    unfiltered = Finder(*GROUPS)
    assert sum(rule.token_pair is not None for rule in RULES) >= 40
    for text in texts:
        text = text.replace("\\n", "\n").replace("\\t", "\t")
        assert filtered(text) == unfiltered(text), text


def _without_conditions(rule: PatternRule) -> PatternRule:
    """The rule, tried wherever its token fits."""
    tokens = [rule.token_regex] if rule.token_regex is not None else []
    tokens += [rule.token_pair[0]] if rule.token_pair is not None else []
    return PatternRule(
        rule.name,
        rule.type,
        token_regex="|".join(f"(?:{token})" for token in tokens),
        pattern=rule.pattern,
        score=rule.score,
        check=rule.check,
        style=rule.style,
    )


def test_the_conditions_of_all_groups_have_room_in_one_mask() -> None:
    """A bit each, beside the sign and ALWAYS."""
    assert len({condition for rule in RULES for condition in _conditions(rule)}) <= 64 - 2


def _conditions(rule: PatternRule) -> list[str]:
    around = [rule.next_token, rule.second_next]
    around += [rule.token_pair[1]] if rule.token_pair else []
    return [condition for condition in around if condition is not None]


def test_kept_patterns_match_as_compiled_ones_do() -> None:
    """What cannot be compiled is found here, not in some night's note."""
    patterns = tuple(rule.pattern for rule in RULES)
    text = (
        "Herr Dr. Müller, geb. 1.2.1950 (74 J.), Tel. 06221 123456, 69115 Heidelberg, Fall-Nr. 1234567, ab 3. Mai 2010"
    )
    for _ in range(2):  # what was just compiled, and what the cache has
        kept = KeptExpressions(patterns)
        for number, source in enumerate(patterns):
            compiled = regex.compile(source, FLAGS)
            for start in range(len(text)):
                found, expected = kept[number].match(text, start), compiled.match(text, start)
                assert (found and found.groupdict()) == (expected and expected.groupdict())


def test_every_rule_has_candidates() -> None:
    assert all(rule.token_regex is not None or rule.token_pair is not None for rule in RULES)


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"next_token": r"\."}, ["2", "4"]),
        ({"second_next": r"\n"}, ["2", "5"]),
    ],
)
def test_conditions_on_neighbouring_tokens(
    monkeypatch: pytest.MonkeyPatch, conditions: dict[str, str], found: list[str]
) -> None:
    rule = PatternRule("date.x", PhiType.DATE, pattern=r"\d", token_pair=(r"\d", "Uhr"))
    monkeypatch.setitem(GROUPS, "date", (replace(rule, **conditions),))  # type: ignore[arg-type]
    text = "a 1 Uhr x a 2. Uhr\nb 3 Uhr x x 4. Uhr y " + "x 5 Uhr"
    assert [text[d.start : d.end] for d in Finder("date")(text)] == found


def test_a_line_separator_ends_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = PatternRule("date.x", PhiType.DATE, pattern=r"\d[ ]Uhr\n", token_pair=(r"\d", "Uhr"), second_next=r"\n")
    monkeypatch.setitem(GROUPS, "date", (rule,))
    assert len(Finder("date")("1 Uhr\u2028x")) == 1 and Finder("date")("1 Uhr x") == []


def test_rule_names_are_unique_and_begin_with_their_group() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.name.startswith(f"{group}.") for group, rules in GROUPS.items() for rule in rules)
    assert all(0 < rule.score <= 1 for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_every_quantifier_is_bounded_or_possessive(rule: PatternRule) -> None:
    bare = regex.sub(r"\\p\{\w+\}|\\.", "x", rule.pattern)
    bare = regex.sub(r"\[\^?\]?[^\]]*+\]", "x", bare)
    assert not regex.findall(r"(?<![+*?}])[*+](?![+])|\{\d*,\}(?!\+)", bare)


HOSTILE = {
    "digits": "1",
    "zeros": "0",
    "letters": "a",
    "blanks": " ",
    "dotted": "1.",
    "dashed": "1-",
    "slashed": "1/",
    "numbers": "1 2 ",
    "years": "2009/",
    "ranges": "10. / ",
    "month names": "März-",
    "births": "geb. in a ",
    "stars": "* ",
    "addresses": "a@",
    "obfuscated": "a(at)",
    "schemes": "http://",
    "www": "www.",
    "domains": "a.de.",
    "area codes": "06221 ",
    "brackets": "(0",
    "pluses": "+49 ",
    "triggers": "Tel. und ",
    "fax": "Fax: 1 ",
    "salutations": "Frau/",
    "titles": "Univ.-Prof. Dr.med.-",
    "identifiers": "Fall-Nr. A1-",
    "accounts": "DE89 3704 ",
    "ages": "67 - ",
    "postcodes": "12345\t",
    "months": "Stent 3/10, ",
    "joules": "Schock mit 50 J. ",
    "users": "signiert von a.",
    "plates": "Kfz HD-",
    "broken numbers": "06221/\n",
    "decomposed": "u\u0308 ",
    "marks": "\u0308\u0301",
    "soft hyphens": "a\u00ad",
    "format characters": "\u200b",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_processed_to_its_end(warm_finder: Finder, unit: str) -> None:
    """No match exceeds its time limit, and a date after the hostile text is still found."""
    text = unit * (GUARDED_CHARS // len(unit) + 1) + "\n\nBefund: Aufnahme am 01.12.1956"
    assert "01.12.1956" in {text[d.start : d.end] for d in warm_finder(text)}


@pytest.mark.parametrize("unit", ["1.1.", "a@a", "06221/", "wort", "X1"])
def test_a_long_line_without_blanks(warm_finder: Finder, unit: str) -> None:
    text = unit * (200_000 // len(unit)) + " am 01.12.1956"
    assert warm_finder(text)[-1].end == len(text)


def test_a_long_number_is_one_detection() -> None:
    text = "9" * 100_000
    assert [(d.start, d.end) for d in Finder("id")(text)] == [(0, len(text))]


def test_a_match_that_exceeds_its_time_stops_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = PatternRule("slow.rule", PhiType.OTHER, token_regex="start", pattern=r"start[ ](?:a|aa|aaa)+b")
    monkeypatch.setattr(pattern, "GROUPS", {"slow": (slow,)})
    monkeypatch.setattr(pattern, "MATCH_TIMEOUT_S", 0.01)
    with pytest.raises(NoteError) as raised:
        Finder("slow")("start " + "a" * (GUARDED_CHARS + 1))
    assert (raised.value.reason, raised.value.detail) == (Reason.ENGINE_TIMEOUT, "slow.rule")


PIECES = st.sampled_from(
    "01.12.1956 12.3. 12/09 3/6 2009 3. März Sommer 2009 geb. * Tel.: 06221/56-1234 (06221) -35 +49 Fax 69120 D-69120 "
    "Heidelberg a@b.de @ www.x.de Herrn Frau Dr. med. Müller 67 -jährige J. Jahre alt Fall-Nr.: 1234567 A123456780 "
    "12\u20113\u20112010 Ma\u0308rz Thor\u00adwaldsen Herr\u200bKnarz signiert Pkw HD-AB 123 67J "
    "DE89 120/80 mg 😀 ä ( ) , . - / ' `09 und bis am".split()
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "\n", "\t", "\u00a0"])), max_size=25).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)


@settings(max_examples=150, deadline=None)
@given(text=st.one_of(TEXTS, st.text(max_size=60)))
@example(text="+4967(06221) ")
def test_invariants(warm_finder: Finder, text: str) -> None:
    found = warm_finder(text)
    assert found == warm_finder(text)
    for d in found:
        assert 0 <= d.start < d.end <= len(text)
        assert not text[d.start].isspace() and not text[d.end - 1].isspace()
        assert d.label is label_of(d.type)
    for group in GROUPS:
        places = sorted((d.start, d.end) for d in found if d.rule.startswith(f"{group}."))
        assert all(before[1] <= after[0] for before, after in pairwise(places))


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_earlier_notes_do_not_matter(warm_finder: Finder, text: str) -> None:
    assert Finder(*GROUPS)(text) == warm_finder(text)


_EXPRESSIONS = {
    expression
    for rule in RULES
    for expression in (rule.token_regex, *(rule.token_pair or ()), *_conditions(rule))
    if expression is not None
}
RegexSet(sorted(_EXPRESSIONS))
_SET = RegexSet(sorted(_EXPRESSIONS))
"""Its compiled expressions are read from the cache, where the one before put them."""
_PIECES = [
    "12",
    ".",
    "3",
    "2O16",
    "l7",
    "Fall",
    "nr",
    "Spar",
    "bank",
    "burtstag",
    "Zwillings",
    "kinder",
    "-",
    "/",
    "ſ",
    "İ",
]


@pytest.mark.parametrize(
    "word", ["12.3.2O16", "l7.", "Fallnr.", "S", "0ktober", "XVII", "*", "", "jährige", "Volksbank", "SPARKAſſE", "\n"]
)
def test_a_regex_set_matches_as_its_expressions_do(word: str) -> None:
    assert _SET.matches(word) == _matching(word)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=2), max_size=4).map("".join))
def test_a_regex_set_matches_joined_words_as_its_expressions_do(word: str) -> None:
    assert _SET.matches(word) == _matching(word)


def _matching(word: str) -> set[str]:
    return {e for e in _EXPRESSIONS if regex.fullmatch(e, word, regex.VERBOSE | regex.VERSION0)}
