"""Header words in the text: the seed's untyped way, and the typed one."""

from __future__ import annotations

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import BlockKind, Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.recognisers.letterhead import LetterheadRecogniser
from deid_core.recognisers.settings import LetterheadSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

HEADER = "Klinikum Xystadt\n\nHerrn\nPeter Xylander\nHauptstr. 5\n69120 Heidelberg\nTel. 06221 4711"
BODY = "Xylanders Sohn sah Xylandr und XYLANDER, nicht die Xylose. Das Haus Heidelbrg, Haupt am 5. Klinikum 4711."


def note(body: str = BODY, header: str = HEADER) -> Note:
    builder = CanonicalBuilder()
    builder.add_row([header, ""], table=0, row=0)
    builder.add(BlockKind.PARAGRAPH, "Sehr geehrte Kollegen,")
    builder.add(BlockKind.PARAGRAPH, body)
    return builder.build("n")


def recognise(of: Note, gazetteer: Gazetteer, *, typed: bool) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = LetterheadRecogniser(
        LetterheadSettings(kind="letterhead", max_ratio=0.333, typed=typed), gazetteer, vocabulary
    )
    return sorted(recogniser.recognise(Document(of, vocabulary.tokenise(of.text), vocabulary)))


def in_body(of: Note, found: list[Detection]) -> list[str]:
    start = of.text.index("Sehr geehrte")
    return [of.text[d.start : d.end] for d in found if d.start >= start]


def test_untyped_takes_every_variant_and_gives_no_label(small_gazetteer: Gazetteer) -> None:
    found = recognise(note(), small_gazetteer, typed=False)
    assert {d.label for d in found} == {Label.OTHER}
    # XYLANDER is eight edits away by the seed's formula; "Klinikum" is on the stop list; numbers are no search terms.
    assert in_body(note(), found) == ["Xylanders", "Xylandr", "Heidelbrg"]


def test_words_and_numbers_of_the_letterhead_are_found_in_it(small_gazetteer: Gazetteer) -> None:
    of = note(body="", header=HEADER + "\nDatum S. 3")
    found = [of.text[d.start : d.end] for d in recognise(of, small_gazetteer, typed=False)]
    # "Klinikum" is part of an institution's name; single letters stay.
    assert found == [
        *("Klinikum", "Xystadt", "Peter", "Xylander", "Hauptstr.", "5", "69120", "Heidelberg", "06221", "4711"),
        *("Datum", "3"),
    ]


def test_findings_before_the_first_section_heading_are_no_letterhead(small_gazetteer: Gazetteer) -> None:
    address = "Klinikum Xystadt\nHerrn\nPeter Xylander"
    findings = "Ergometrie 75 Watt\nRuhefrequenz 62"
    of = Note("n", f"{address}\n\n{findings}\n\nBefund: Ergometrie, Xylandr, 75 Watt")
    found = [of.text[d.start : d.end] for d in recognise(of, small_gazetteer, typed=False)]
    assert found == ["Klinikum", "Xystadt", "Peter", "Xylander", "Xylandr"]


def test_a_line_of_running_text_is_no_letterhead(small_gazetteer: Gazetteer) -> None:
    sentence = "Frau Xylander kam nach einem Sturz " + "und klagte lange " * 6 + "in der Praxis Zylinderkopf."
    of = Note("n", f"{sentence}\n\nBefund: Zylinderkopf, Sturz")
    found = {of.text[d.start : d.end] for d in recognise(of, small_gazetteer, typed=False)}
    assert "Zylinderkopf" not in found


def test_common_words_of_the_letterhead_are_left_in_the_letter(small_gazetteer: Gazetteer) -> None:
    of = note(body="Das Haus liegt an der Xystadt.", header="Klinikum Xystadt\n\nHaus 3")
    assert in_body(of, recognise(of, small_gazetteer, typed=False)) == ["Xystadt"]


def test_typed_variants_take_their_fields_type_and_fold_case(small_gazetteer: Gazetteer) -> None:
    of = note()
    start = of.text.index("Sehr geehrte")
    types = {of.text[d.start : d.end]: d.type for d in recognise(of, small_gazetteer, typed=True) if d.start >= start}
    assert types == {
        "Xylanders": PhiType.CLINICIAN,
        "Xylandr": PhiType.CLINICIAN,
        "XYLANDER": PhiType.CLINICIAN,
        "Heidelbrg": PhiType.TOWN,
    }


def test_typed_leaves_a_variant_that_is_a_common_word(small_gazetteer: Gazetteer) -> None:
    of = note(body="Das Haus. Hauß kam.", header="Herrn\nPeter Hauß\nHauptstr. 5\n69120 Heidelberg")
    found = recognise(of, small_gazetteer, typed=True)
    assert in_body(of, found) == ["Hauß"]


def test_without_header_the_introduction_gives_the_search_terms(small_gazetteer: Gazetteer) -> None:
    of = Note("n", "wir berichten über Herrn Peter Xylander, geboren am 1.2.1950. Xylanders Sohn")
    for typed in (False, True):
        found = {of.text[d.start : d.end] for d in recognise(of, small_gazetteer, typed=typed)}
        assert {"Xylander", "Xylanders"} <= found
