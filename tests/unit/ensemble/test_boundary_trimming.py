"""BoundaryTrimmer: what is cut from a span, what never is, and that something is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import Note
from deid_core.core.spans import DropReason, Span
from deid_core.ensemble.boundary_trimming import BoundaryTrimmer
from deid_core.ensemble.settings import BoundaryTrimmingSettings
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

SETTINGS = BoundaryTrimmingSettings(max_words=3)
GAZETTEER = compile_lists(
    {
        ListKind.SURNAME: ["Muster", "Bruder", "Praktikant"],
        ListKind.FIRST_NAME: ["Grete", "Hans"],
        ListKind.STOP_WORD: ["der", "die", "vom", "am", "und"],
    }
)


def cut(text: str, *spans: tuple[int, int, PhiType]) -> list[str]:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    given = [Span(start, end, label_of(phi), phi, "crf", "r", 1.0) for start, end, phi in spans]
    return [
        text[span.start : span.end]
        for span in BoundaryTrimmer(SETTINGS, GAZETTEER, vocabulary).trim(document, given).spans
    ]


def cut_from(text: str, name: str) -> str:
    start = text.index(name)
    (left,) = cut(text, (start, start + len(name), PhiType.PERSON))
    return left


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("PATIENT: MUSTER ANNA GEB: 1950", "MUSTER ANNA GEB", ["MUSTER ANNA"]),
        ("Vorname: Anna  Titel: Dr.", "Anna  Titel", ["Anna"]),
        ("Str=Am Weg 3", "Str", []),
        ("Muster [Tel] 4711", "Tel", []),
        ("Instr.: Sr. Anna", "Instr.", []),
        ("Anna Muster: gut", "Anna Muster", ["Anna Muster"]),
        ("Herr Titel kam", "Titel", ["Titel"]),
        ("Frau Titel: Blutdruck gut", "Titel", ["Titel"]),
        ("Visite RS: Blutdruck gut", "RS", ["RS"]),
        ("Anna Kreis: Blutdruck gut", "Anna Kreis", ["Anna Kreis"]),
    ],
)
def test_the_label_of_a_field_is_cut(text: str, name: str, left: list[str]) -> None:
    start = text.index(name)
    assert cut(text, (start, start + len(name), PhiType.PERSON)) == left


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("MTA Anna Muster", "Anna Muster"),
        ("Anna Muster vom", "Anna Muster"),
        ("dem Hinrich", "Hinrich"),
        ("JAN MUSTER IST", "JAN MUSTER"),
        ("PJ OA Muster e.h.", "Muster"),
        ("Muster sen.", "Muster"),
        ("Muster OÄ", "Muster"),
        ("Hallo Muster", "Muster"),
        ("Zeugin Uta Muster", "Uta Muster"),
        ("OBERARZT MUSTER", "MUSTER"),
        ("zum Brief Muster, Anna", "Muster, Anna"),
        ("Entlassungsbericht Muster", "Muster"),
        ("mehmet und", "mehmet"),
        ("PJ vom", "vom"),
        ("Sahin u", "Sahin"),
        ("Sahin u.", "Sahin"),
        ("Anna Muster am", "Anna Muster"),
        ("Zivildiener Anna Muster", "Anna Muster"),
        ("Schwaegerin Anna", "Anna"),
        ("STATIONSAERZTIN MUSTER", "MUSTER"),
        ("MUSTER HAT", "MUSTER"),
        ("Anna Muster Fragezeichen", "Anna Muster"),
    ],
)
def test_what_is_cut_from_a_name(name: str, left: str) -> None:
    assert cut_from(f"Es kam {name} zu uns", name) == left


@pytest.mark.parametrize(
    ("name", "after", "left"),
    [
        ("Anna Muster Zi", " 7", "Anna Muster"),
        ("Anna Muster App", ". 4711", "Anna Muster"),
        ("Anna Zi", " schläft", "Anna Zi"),
        ("Anna Zi", "\n7. Mai", "Anna Zi"),
        ("Anna Zi", " 12.03.1957", "Anna Zi"),
        ("Anna Zi", " 06221/4711", "Anna Zi"),
        ("Hans Zimmer", " 7", "Hans Zimmer"),
    ],
)
def test_the_abbreviation_of_a_room_is_cut_before_its_number(name: str, after: str, left: str) -> None:
    assert cut_from(f"Es kam {name}{after}", name) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Lieber Anna,\ndanke", "Anna"),
        ("Dr. Koch\n\nLiebe Anna Muster !\n", "Anna Muster"),
        ("  Lieber Anna,", "Anna"),
        ("Lieber Anna, geb. 1950", "Lieber Anna"),
        ("Lieber Anna\ngeb. 1950", "Lieber Anna"),
        ("Pat. Lieber Anna,\n", "Lieber Anna"),
        ("Patient:\nLieber Anna,\ngeb. 1950", "Lieber Anna"),
        ("Kopie an:\nLieber Anna,\n\n", "Lieber Anna"),
        ("Kopien\n\nLieber Anna,\nAm Weg 3", "Lieber Anna"),
    ],
)
def test_a_greeting_that_has_the_line_for_itself_is_no_name(text: str, left: str) -> None:
    name = next(n for n in ("Lieber Anna", "Liebe Anna Muster") if n in text)
    assert cut_from(text, name) == left


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Vater Hans Kolon-Ca., gesund", "Hans Kolon-Ca.", "Hans"),
        ("Bruder Dirk L. Urothel-CA", "Dirk L. Urothel-CA", "Dirk L."),
        ("Mutter Grete Hirntumor", "Grete Hirntumor", "Grete"),
        ("Mutter Grete Mamma Ca", "Grete Mamma Ca", "Grete"),
        ("Vater Hans Kolon Ca mit 45", "Hans Kolon", "Hans"),
        ("Vater Hans Kolon-Muster", "Hans Kolon-Muster", "Hans Kolon-Muster"),
        ("Vater Hans Magen mit 45", "Hans Magen", "Hans Magen"),
        ("Frau Maria Ca kam", "Maria Ca", "Maria Ca"),
        ("Vater Hans Muster Ca", "Hans Muster Ca", "Hans Muster Ca"),
        ("Mutter Grete Schulze-Karzinom", "Grete Schulze-Karzinom", "Grete Schulze-Karzinom"),
        ("Franziska Müller-Ca", "Franziska Müller-Ca", "Franziska Müller-Ca"),
        ("Frau Demenz", "Demenz", "Demenz"),
        ("Anna-Demenz", "Anna-Demenz", "Anna-Demenz"),
    ],
)
def test_a_name_ends_before_a_disease(text: str, name: str, left: str) -> None:
    assert cut_from(text, name) == left


def test_a_disease_that_a_list_has_as_a_name_stays() -> None:
    gazetteer = compile_lists({ListKind.SURNAME: ["Demenz"]})
    vocabulary = Vocabulary()
    document = Document(Note("n", "Hans Demenz"), vocabulary.tokenise("Hans Demenz"), vocabulary)
    span = Span(0, 11, label_of(PhiType.PERSON), PhiType.PERSON, "crf", "r", 1.0)
    assert BoundaryTrimmer(SETTINGS, gazetteer, vocabulary).trim(document, [span]).spans == (span,)


def test_a_medical_form_is_left_out_and_recorded_but_not_beside_an_own_word() -> None:
    text = "nach EAU 2022"
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    year = Span(9, 13, label_of(PhiType.DATE), PhiType.DATE, "stacking", "date", 0.5)
    trimmer = BoundaryTrimmer(SETTINGS, GAZETTEER, vocabulary)
    result = trimmer.trim(document, [year])
    assert (result.spans, [found.reason for found in result.trimmed]) == ((), [DropReason.TRIMMED])
    assert trimmer.trim(document, [year], [year]).spans == (year,)


@pytest.mark.parametrize(
    ("text", "names", "left"),
    [
        ("Muster     i. A. Koch", ["Muster", "i", "A. Koch"], ["Muster", "Koch"]),
        ("gez. i.V. Koch", ["i", "V. Koch"], ["Koch"]),
        ("i. A. Ge", ["i. A", "Ge"], ["Ge"]),
        ("i. A. Koch", ["A", "Koch"], ["Koch"]),
        ("i. A. Koch", ["i. A. Koch"], ["Koch"]),
        ("bei A. Koch", ["A. Koch"], ["A. Koch"]),
        ("A. Koch i. A.", ["A. Koch"], ["A. Koch"]),
    ],
)
def test_whoever_signs_for_somebody_is_named_after_it(text: str, names: list[str], left: list[str]) -> None:
    spans, at = [], 0
    for name in names:
        at = text.index(name, at)
        spans.append((at, at := at + len(name), PhiType.PERSON))
    assert cut(text, *spans) == left


@pytest.mark.parametrize(
    ("names", "left"),
    [
        (["Muster", "Grete"], ["Muster, Grete"]),
        (["Muster-Koch", "Grete von", "Koch"], ["Muster-Koch, Grete", "Koch"]),
        (["von Muster", "G.-H."], ["von Muster, G.-H."]),
        (["Sahin", "Grete", "Hans"], ["Sahin, Grete", "Hans"]),
        (["Hans", "Sahin", "Grete"], ["Hans", "Sahin", "Grete"]),
        (["Hans", "Grete"], ["Hans", "Grete"]),
        (["Hans K.", "Grete"], ["Hans K.", "Grete"]),
        (["Muster", "Koch"], ["Muster", "Koch"]),
        (["Muster", "Grete Koch"], ["Muster", "Grete Koch"]),
        (["-", "Grete"], ["-", "Grete"]),
    ],
)
def test_a_surname_and_the_given_name_after_its_comma_are_one_name(names: list[str], left: list[str]) -> None:
    text = ", ".join(names)
    starts = [text.index(name) for name in names]
    assert cut(text, *((start, start + len(n), PhiType.PERSON) for start, n in zip(starts, names, strict=True))) == left


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("Kim und Ali", ["Kim", "Ali"]),
        ("P. Sahin u. K. Koch", ["P. Sahin", "K. Koch"]),
        ("Sahin u. Koch", ["Sahin", "Koch"]),
        ("KIM UND ALI", ["KIM", "ALI"]),
        ("Kim, Ali und Uta", ["Kim, Ali", "Uta"]),
        ("Kim und Ali und Uta", ["Kim", "Ali", "Uta"]),
        ("Karl von und zu Muster", ["Karl von und zu Muster"]),
        ("Muster.", ["Muster"]),
        ("Anna-Muster.", ["Anna-Muster"]),
        ("Must.", ["Must."]),
        ("Muster,", ["Muster"]),
        (",", [","]),
        ("Mu-kb", ["Mu", "kb"]),
        ("Mu-Kb", ["Mu-Kb"]),
        ("Anna-li", ["Anna-li"]),
    ],
)
def test_a_span_is_one_name_without_what_follows_in_the_sentence(name: str, left: list[str]) -> None:
    text = f"Es kam {name} zu uns"
    start = text.index(name)
    assert cut(text, (start, start + len(name), PhiType.PERSON)) == left


@pytest.mark.parametrize(
    "name",
    """
    MEHMET ER|mehmet er|JAN HOLT|NGUYEN THI AN|KIM SO|LEE IM|PARK UM|YAO DA|TRAN VAN BEI|LI AB|MICHAEL WIE|AYSE VON
    |KIM IN|PETER DANN|JENS OHNE|AHMET UNS|Anna Im|MUSTER I.A.|I.A. Muster|ALI KAM|DAN ZUR|CAN TEL|anna an
    |Ata Yilmaz|ATA YILMAZ|Ha Nguyen|HA NGUYEN|Kok Wei Chen|Ota Novak|Ra Kim|Sani Bello|Ca Dao|Sta Maria Jose|Pat Meyer
    |Kind Anna|Lieber Anna|Liebe Muster|Laut Peter|Fall Peter|Zeuge Peter|Pass Anna|Bruder Anna|Vetter Anna|Mutter Anna
    |Bergleiter Hans|DAS ANITA|SEIN WIN|vom Lehn|VOM HOFE KARL|von der Au|Springer Anna|Richter Anna
    |Franz Klammer|Hans Komma|Anna Bescheid|Anna Absatz|Hans Raum|Hans Bett|Kumpel Anna
    |KIM JUN|KOK WEI CHEN|POK MIN|ANITA SEN|anita sen|Moin Uddin|Oma Obi|Muster CA
    |PJ|MTA|Muster|MTA-Muster|mfa_muster
    """.replace("\n", "").split("|"),
)
def test_what_may_be_a_name_in_some_language_stays(name: str) -> None:
    name = name.strip()
    for text in (f"Patient: {name}, geb.", f"Es kam {name} zu uns", f"{name}\ngeb. 1.2.1950", f"kam Herr {name}"):
        assert cut_from(text, name) == name


@pytest.mark.parametrize(
    ("name", "phi", "left"),
    [
        ("Musterstadt der", PhiType.TOWN, "Musterstadt"),
        ("die AOK und", PhiType.ORGANISATION, "AOK"),
        ("vom Klinikum Muster", PhiType.HOSPITAL, "Klinikum Muster"),
        ("am Markt 3", PhiType.STREET, "am Markt 3"),
        ("am musterberg", PhiType.PLACE, "am musterberg"),
        ("Mühlheim am Main", PhiType.TOWN, "Mühlheim am Main"),
        ("und", PhiType.TOWN, "und"),
    ],
)
def test_function_words_belong_to_no_place(name: str, phi: PhiType, left: str) -> None:
    text = f"Es kam aus {name} zu uns"
    start = text.index(name)
    assert cut(text, (start, start + len(name), phi)) == [left]


def test_a_name_that_another_span_continues_keeps_its_end() -> None:
    text = "Frau Cosima von der Hellen kam"
    assert cut(text, (5, 19, PhiType.PERSON), (20, 26, PhiType.HOSPITAL)) == ["Cosima von der", "Hellen"]


@pytest.mark.parametrize(
    ("text", "phi"),
    [("Anna Muster vom AOK", PhiType.ORGANISATION), ("Anna Muster am 3.4.", PhiType.DATE)],
)
def test_what_follows_and_cannot_be_a_name_continues_none(text: str, phi: PhiType) -> None:
    name = text.index(" ", 5)
    assert cut(text, (0, text.rindex(" "), PhiType.PERSON), (text.rindex(" ") + 1, len(text), phi))[0] == text[:name]


@pytest.mark.parametrize("before", ["Herr", "Frau Dr.", "Patient:"])
def test_behind_what_announces_a_name_nothing_is_cut_from_its_front(before: str) -> None:
    assert cut_from(f"{before} Praxis Muster", "Praxis Muster") == "Praxis Muster"
    assert cut_from("am Praxis Muster", "Praxis Muster") == "Muster"


def test_a_word_that_a_list_has_as_a_name_is_never_cut() -> None:
    assert cut_from("Es kam Hausarzt Muster", "Hausarzt Muster") == "Muster"
    assert cut_from("Es kam Praktikant Muster", "Praktikant Muster") == "Praktikant Muster"


@pytest.mark.parametrize("phi", [PhiType.PATIENT, PhiType.TOWN, PhiType.HOSPITAL])
@pytest.mark.parametrize("between", ["-\n", "- \n  ", "\u00ad\n", "\u2011\n\t"])
def test_of_a_word_that_a_line_end_divides_nothing_is_cut(phi: PhiType, between: str) -> None:
    text = f"Anna MUSTER{between}der"
    assert cut(text, (0, len(text), phi)) == [text]


def test_a_span_without_a_token_and_a_full_stop_alone_stay() -> None:
    assert cut("\u00ad\u200b", (0, 2, PhiType.PERSON)) == ["\u00ad\u200b"]
    assert cut("5.", (1, 2, PhiType.ID)) == ["."]


def test_of_an_identifier_the_sentences_full_stop_is_cut_and_nothing_else() -> None:
    assert cut("Nr. 12/345. Akte III 4 / Hd.", (4, 11, PhiType.ID), (17, 28, PhiType.ID)) == ["12/345", "III 4 / Hd."]
    assert cut("Lot 7H 20934-C.", (4, 15, PhiType.ID)) == ["7H 20934-C"]


def test_other_spans_stay_as_they_are() -> None:
    text = "MTA vom Klinikum, am 3."
    assert cut(text, (0, 7, PhiType.PROFESSION), (21, 23, PhiType.DATE)) == ["MTA vom", "3."]


WORDS = ["MTA", "Anna", "vom", "-", "OA", "HAT", "Muster", "\n", "x", "3", "von"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), st.sampled_from(list(PhiType)))
def test_something_is_left_and_none_of_it_is_new(text: str, phi: PhiType) -> None:
    stripped = text.strip()
    if not stripped:
        return
    start = text.index(stripped)
    (left,) = cut(text, (start, start + len(stripped), phi))
    assert left and left in stripped
    assert left.strip() == left
    assert "Muster" in left or "Muster" not in stripped
    assert "Anna" in left or "Anna" not in stripped


@pytest.mark.parametrize(
    ("text", "phi", "ranges"),
    [
        ("MTA Anna Muster vom", PhiType.PERSON, ["MTA", "vom"]),
        ("PJ  OA Muster", PhiType.PERSON, ["PJ  OA"]),
        ("12/345.", PhiType.ID, ["."]),
        ("Anna Muster", PhiType.PERSON, []),
    ],
)
def test_every_trimmed_range_is_recorded_with_the_rule_of_its_span(text: str, phi: PhiType, ranges: list[str]) -> None:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    span = Span(0, len(text), label_of(phi), phi, "crf", "r", 0.7)
    trimmed = BoundaryTrimmer(SETTINGS, GAZETTEER, vocabulary).trim(document, [span]).trimmed
    assert [text[found.start : found.end] for found in trimmed] == ranges
    assert {found[2:] for found in trimmed} <= {(*span[2:], DropReason.TRIMMED)}
