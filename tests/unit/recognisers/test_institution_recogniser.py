"""Institutions: what makes a head word a name, how far the name goes, and generic mentions that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.institution import InstitutionRecogniser, head_words
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.FIRST_NAME: ["Vinzenz", "Elisabeth", "Anna"],
        ListKind.SURNAME: ["Knarz", "Muster", "Knarzmann"],
        ListKind.TOWN: ["Heidelberg", "Mannheim", "Biberach", "Singen", "Weil", "Essen"],
        ListKind.REGION: ["Bergstraße", "Odenwald", "Baden-Württemberg", "Pfalz", "Kurpfalz"],
        ListKind.CLINIC_WORD: ["klinik", "kardiologie", "medizinische", "innere", "station", "praxis", "patient"],
        ListKind.MEDICAL_WORD: ["dyspnoe", "herz", "gefäß", "haut", "therapie", "kopf"],
        ListKind.COMMON_WORD: [
            "besserung", "unsere", "guten", "hirten", "essen", "singen", "kontrolle", "muster", "knarz", "rheintal",
            "zustand", "gesetzliche", "deutsche", "software", "union", "tasche", "der", "mit",
        ],
    }
)  # fmt: skip


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = InstitutionRecogniser(GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


def found(text: str) -> list[str]:
    return [text[d.start : d.end] for d in detections(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Verlegung in die Rheintalklinik am Montag", "Rheintalklinik"),
        ("aus dem Marienhaus Klinikum Heidelberg übernommen", "Marienhaus Klinikum Heidelberg"),
        ("des Klinikums Heidelberg", "Klinikums Heidelberg"),
        ("Asklepios Klinik", "Asklepios Klinik"),
        ("Sankt Rochus Kliniken Mannheim", "Sankt Rochus Kliniken Mannheim"),
        ("vom St.-Josefs-Krankenhaus Mannheim", "St.-Josefs-Krankenhaus Mannheim"),
        ("im Evangelischen Krankenhaus, dort", "Evangelischen Krankenhaus"),
        ("Klinik am Südring Biberach, dort", "Klinik am Südring Biberach"),
        ("Krankenhaus zum Guten Hirten Singen", "Krankenhaus zum Guten Hirten Singen"),
        ("in der Klinik Bergstraße behandelt", "Klinik Bergstraße"),
        ("Universitätsklinikum Heidelberg berichtet", "Universitätsklinikum Heidelberg"),
        ("Klinikum Weil am Rhein", "Klinikum Weil am Rhein"),
        ("Rehaklinik Bad Schönborn", "Rehaklinik Bad Schönborn"),
        ("Herz- und Gefäßklinik Mannheim", "Herz- und Gefäßklinik Mannheim"),
        ("Reha-Klinik Sonnenhalde", "Reha-Klinik Sonnenhalde"),
        ("Vinzenz-Haus Mannheim", "Vinzenz-Haus Mannheim"),
        ("KLINIK AM SÜDRING BIBERACH", "KLINIK AM SÜDRING BIBERACH"),
        ("ST. ROCHUS KLINIKEN", "ST. ROCHUS KLINIKEN"),
        ("Klinikum Essen", "Klinikum Essen"),
        ('im Pflegeheim "Haus Abendfrieden" versorgt', 'Pflegeheim "Haus Abendfrieden"'),
        ("Praxisklinik Dr. Knarzmann Mannheim", "Praxisklinik Dr. Knarzmann Mannheim"),
        ("Reha-Klinik Sonnenhalde, Heidelberg", "Reha-Klinik Sonnenhalde, Heidelberg"),
        ("LKH Biberach, Ambulanz", "LKH Biberach"),
        ("Krankenhaus der Barmherzigen Schwestern, dort", "Krankenhaus der Barmherzigen Schwestern"),
        ("lebt im Haus Lindenhof Biberach.", "Haus Lindenhof Biberach"),
        ("Sonnen-Apotheke Biberach", "Sonnen-Apotheke Biberach"),
        ("Klinikum Sonnenhalde gGmbH", "Klinikum Sonnenhalde gGmbH"),
        ("am UKE vorgestellt", "UKE"),
    ],
)
def test_hospitals(text: str, name: str) -> None:
    assert found(text) == [name]
    assert (detections(text)[0].label, detections(text)[0].type) == (Label.LOC, PhiType.HOSPITAL)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("über AOK Baden-Württemberg versichert", "AOK Baden-Württemberg"),
        ("Barmer Ersatzkasse", "Barmer Ersatzkasse"),
        ("bei der TK versichert", "TK"),
        ("über die Bahn-BKK versichert", "Bahn-BKK"),
        ("der Deutschen Rentenversicherung Pfalz", "Deutschen Rentenversicherung Pfalz"),
        ("Techniker Krankenkasse", "Techniker Krankenkasse"),
        ("Fahrer der Xylon Xylander AG, dort", "Xylon Xylander AG"),
        ("Autohaus Xylo GmbH & Co. KG", "Autohaus Xylo GmbH & Co. KG"),
        ("Turnverein Xylo e.V.", "Turnverein Xylo e.V."),
        ("arbeitete er als Koch bei Software Union.", "Software Union"),
        ("ist bei Bäckerei Muster angestellt", "Bäckerei Muster"),
        ("Sparkasse Odenwald", "Sparkasse Odenwald"),
        ("Kasse:\tAOK plus\tNr.", "AOK plus"),
        ("versicherung aok, karte", "aok"),
        ("Meldung an die BG Holz und Metall", "BG Holz und Metall"),
        ("Antrag bei der DRV Bund", "DRV Bund"),
        ("Fahrt mit dem DRK.", "DRK"),
        ("durch das Rote Kreuz", "Rote Kreuz"),
        ("spielt beim TSV Biberach", "TSV Biberach"),
        ("Jugendamt Landkreis Biberach", "Jugendamt Landkreis Biberach"),
        ("besucht die Kita Sonnenkäfer", "Kita Sonnenkäfer"),
        ("Vorgang beim Polizeikommissariat Biberach", "Polizeikommissariat Biberach"),
        ("Rückruf der Giftzentrale Mannheim", "Giftzentrale Mannheim"),
        ("im Gasthof Zum Guten Hirten", "Gasthof Zum Guten Hirten"),
        ("bei der Firma Xylo, dort", "Xylo"),
        ("Verkäuferin bei Edeka", "Edeka"),
        ("Sie war bei der Deutschen Bahn beschäftigt. Er kam bei Tag.", "Deutschen Bahn"),
    ],
)
def test_organisations(text: str, name: str) -> None:
    assert name in found(text)
    assert {(d.label, d.type) for d in detections(text)} == {(Label.ORG, PhiType.ORGANISATION)}


def test_a_ward_named_after_a_person_is_a_department() -> None:
    assert [(d.label, d.type) for d in detections("auf Station Knarz")] == [(Label.LOC, PhiType.DEPARTMENT)]


@pytest.mark.parametrize(
    "text",
    [
        "Aufnahme in unsere Klinik",
        "die Klinik war unauffällig",
        "Hausarztpraxis",
        "in der Klinik Besserung",
        "Klinik: Dyspnoe",
        "Klinik Dyspnoe",
        "Augenklinik",
        "Eine Hautklinik",
        "Universitätsklinik",
        "im Krankenhaus zur Kontrolle",
        "Klinikum\nHeidelberg",
        "Gesetzliche Krankenkasse",
        "2 TK transfundiert",
        "BG: pH 7,4",
        "KV: unbekannt",
        "Lift-Hotel",
        "im Haus Besserung",
        "Kraft KG 4/5",
        "Praxis Dr. Knarzmann",
        "die Schule besucht er gern",
        "mit dem Taxi nach Hause",
        "Suspension und Stereotaxie LWK 2",
        "UK schmerzhaft",
        "Lunge: AG vesikulär",
        "tätig bei Zustand nach Infarkt",
        "auf Station Kopf",
        "klinik heidelberg",
        "Sehr geehrter Herr Kollege Knarzmann",
    ],
)
def test_generic_mentions_are_no_names(text: str) -> None:
    assert found(text) == []


WORDS = [
    *"Klinik KLINIKUM am zum Bad St. - und Dr. AG GmbH & Co. AOK TK bei arbeitet Station Xylo . , der 3".split(),
    *["Heidelberg", "Rhein", '"', "\n", "\t"],
]


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", " ", "  "]))
def test_a_name_stays_on_its_line_and_within_its_reach(words: list[str], gap: str) -> None:
    for name in found(gap.join(words)):
        assert name == name.strip()
        assert "\n" not in name
        assert "\t" not in name


@given(st.sampled_from(sorted(head_words._HEADS)) | st.text(max_size=4), st.text(max_size=3))
def test_a_word_ends_with_the_longest_of_the_head_words_that_it_ends_with(head: str, before: str) -> None:
    ends = [ending for ending in head_words._HEADS if (before + head).endswith(ending)]
    assert head_words.head_of(before + head) == max(ends, key=len, default="")
