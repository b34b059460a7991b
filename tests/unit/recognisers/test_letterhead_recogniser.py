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
    # XYLANDER is eight edits away by the seed's formula; "Klinikum" is on the stop list; 4711 is no word.
    assert in_body(note(), found) == ["Xylanders", "Xylandr", "Heidelbrg"]


def test_every_header_word_less_the_stop_list_is_found_in_the_header(small_gazetteer: Gazetteer) -> None:
    of = note(body="")
    found = {of.text[d.start : d.end] for d in recognise(of, small_gazetteer, typed=False)}
    assert found == {"Xystadt", "Peter", "Xylander", "Hauptstr.", "5", "69120", "Heidelberg", "06221", "4711"}


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
