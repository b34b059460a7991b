"""Names that are sure in one place, found in the others."""

from __future__ import annotations

import pytest

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.ensemble.certain_forms import is_never_dropped
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.recognisers.settings import CustomPattern, CustomSettings

GAZETTEER = compile_lists(
    {
        ListKind.COMMON_WORD: ["sommer", "klagt", "haus", "magen", "kam", "mit", "frau", "konsil"],
        ListKind.STOP_WORD: ["im", "der"],
        ListKind.EPONYM: ["Billroth"],
        ListKind.SURNAME: ["Richter", "Sommer"],
    }
)


# The pipeline without its models, which would find some of the names by themselves; own expressions give certain names.
DEFAULT = load_pipeline("default")
NAMES = CustomSettings(
    kind="custom",
    patterns=[
        CustomPattern(name=name, label=Label.PER, type=phi, regex=expression)
        for name, phi, expression in (
            ("salute", PhiType.PATIENT, r"\b(?:Herr|Frau) (?P<phi>\p{Lu}[\w-]+)"),
            ("small", PhiType.PATIENT, r"\bherr (?P<phi>\w+)"),
            ("birth", PhiType.PATIENT, r"(?P<phi>\p{Lu}\w+ \p{Lu}[\w-]+), geb"),
            ("title", PhiType.CLINICIAN, r"\bDr\. (?P<phi>(?:\p{Lu}\. )?\p{Lu}\w+)"),
        )
    ],
)
PIPELINE = DEFAULT.model_copy(
    update={
        "recognisers": [*(r for r in DEFAULT.recognisers if r.kind != "crf"), NAMES],
        "stacking": None,
        "subtypes": None,
    }
)


def redacted(text: str) -> str:
    return Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER)).deidentify(Note("n", text)).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Herr Xylander kam. Xylander klagt.", "<SALUTE> <PER> kam. <PER> klagt."),
        ("Xylanders Frau rief an. Herr Xylander kam.", "<PER> Frau rief an. <SALUTE> <PER> kam."),
        ("Herr Xylander: XYLANDER, Xylanter", "<SALUTE> <PER>: <PER>, <PER>"),
        ("Herr Haus kam. Haus klagt im Haus.", "<SALUTE> <PER> kam. <PER> klagt im Haus."),
        ("Herr Knarz-Xyla kam, Xyla klagt.", "<SALUTE> <PER> kam, <PER> klagt."),
        ("Herr Müßig kam. MUESSIG klagt. Das ist müßig.", "<SALUTE> <PER> kam. <PER> klagt. Das ist müßig."),
        ("Xylander klagt.", "Xylander klagt."),
        ("Herr Haus kam. Mit Hauss Frau gesprochen.", "<SALUTE> <PER> kam. Mit Hauss Frau gesprochen."),
        ("Herr Knarl kam. Knarls Frau, A. Knarl", "<SALUTE> <PER> kam. <PER> Frau, <PER>"),
        ("Frau Xylander rief an. Da sagte Xylan-\nder nein.", "<SALUTE> <PER> rief an. Da sagte <PER> nein."),
        ("Frau Xylander rief an. Da sagte Xylan\u00ad\nder nein.", "<SALUTE> <PER> rief an. Da sagte <PER> nein."),
        ("Frau Xylander rief an, Xylan‐ \n  der nicht.", "<SALUTE> <PER> rief an, <PER> nicht."),
        ("Frau Xylander rief an, XYLAN‐ \n  DER nicht.", "<SALUTE> <PER> rief an, <PER> nicht."),
        ("Frau Xylander rief an, XYLAN-\n  der nicht.", "<SALUTE> <PER> rief an, <PER> nicht."),
        ("Frau Xylander rief an, Xylan-\n", "<SALUTE> <PER> rief an, Xylan-\n"),
        ("herr xylander kam, xylander klagt.", "herr <PER> kam, <PER> klagt."),
        ("herr knarl kam, knarls frau auch, knarlt nicht.", "herr <PER> kam, <PER> frau auch, knarlt nicht."),
        (
            "Herr Knarl kam. Die Knarl'sche Frau, die Knarlschen",
            "<SALUTE> <PER> kam. Die <PER> Frau, die <PER>",
        ),
        ("herr knarl kam, die knarl'sche frau", "herr <PER> kam, die <PER> frau"),
        ("Herr Knarlig kam. DIE KNARLIG'SCHE FRAU", "<SALUTE> <PER> kam. DIE <PER> FRAU"),
        ("Herr Lau kam. Das Lauschen, die Lau'sche Frau", "<SALUTE> <PER> kam. Das Lauschen, die <PER> Frau"),
        ("Dr. Billroth kam. Billrothsche Operation", "<TITLE> <PER> kam. Billrothsche Operation"),
        ("Anna Xyla, geb. 1.2.1950\n\nA. X. klagt, A. Y. nicht", "<PER>, geb. <DATE>\n\n<PER> klagt, A. Y. nicht"),
        ("Herr Richter kam. Richter klagt.", "<SALUTE> <PER> kam. <PER> klagt."),
        ("Dr. Billroth kam. Magen nach Billroth, Billroth II", "<TITLE> <PER> kam. Magen nach Billroth, Billroth II"),
    ],
)
def test_a_sure_name_is_found_everywhere(text: str, expected: str) -> None:
    assert redacted(text) == expected


def found(text: str, rule: str) -> list[str]:
    engine = Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER))
    document = engine.document(Note("n", text))
    return [
        document.text[d.start : d.end]
        for d in engine.detections(document)
        if d.recogniser == "propagation" and d.rule == rule
    ]


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("RR 130 (KX), Gruß Dr. K. Xylander", {"sign_initials": ["KX"]}),
        ("Visite mit Xyl besprochen. Dr. K. Xylander", {"sign_beginning": ["Xyl"]}),
        ("Labor xr/ab. Dr. K. Xylander", {"sign_letters": ["xr"]}),
        ("EF 55 %, AZ gut. Dr. K. Xylander", {}),
        ("RR 130 (KX), Müller, Karl Xaver, geb. 1.2.1950", {}),
    ],
)
def test_initials_of_staff_that_is_named_are_found(text: str, signs: dict[str, list[str]]) -> None:
    rules = ("sign_initials", "sign_beginning", "sign_letters")
    assert {rule: words for rule in rules if (words := found(text, rule))} == signs


@pytest.mark.parametrize(
    ("text", "rule", "words"),
    [
        ("Klinikum Xylonberg\n\nzurück ins Klinikum Xylonberg", "word", []),
        ("Verlegung aus dem Krankenhaus Xylonberg. In Xylonberg stabil", "word", ["Xylonberg"]),
        ("Fallnr. 88120417-4\n\nEtikett 88120417-4 fehlt, 120", "phrase", ["88120417-4"]),
        # Of "4131 2", as the field's number is read, only the token "2" is whole.
        ("16:42 FAX O4131 2O88l7        PRAXIS\n\nSehr geehrte Damen,\nauf 2 x 5 mg", "phrase", []),
        ("Versicherter bei der AOK, die AOK zahlt", "phrase", []),
    ],
)
def test_what_else_is_sure_is_found_again(text: str, rule: str, words: list[str]) -> None:
    assert found(text, rule) == words


def test_looking_for_forms_of_a_name_adds_no_word_to_the_vocabulary() -> None:
    engine = Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER))
    document = engine.document(Note("n", "herr knarl kam, knarl klagt."))
    engine.detections(document)
    assert "knarl" in document.vocabulary.words
    assert "knarls" not in document.vocabulary.words


@pytest.mark.parametrize(
    ("compound", "expected"),
    [
        ("Xylander-Konsil", ["Xylander"]),
        ("XYLANDER-KONSIL", ["XYLANDER"]),
        ("Xylander-Billroth", ["Xylander"]),
        ("Xylanderer-Konsil", []),  # a variant is not certain
        ("Haus-Konsil", []),  # a clinician's name that is a common word
        ("Sommer-Konsil", ["Sommer"]),  # the patient's, and a listed surname
        ("Magen-Konsil", []),  # the patient's, and no listed surname
        ("Knarz-Puhlig-Konsil", ["Knarz-Puhlig"]),
        ("A. Knarz-Konsil", ["Knarz"]),
        ("BILLROTH-ZEICHEN", []),
        ("Billroth-Zeichen", []),
        ("Konsil", []),
    ],
)
def test_a_certain_name_in_a_compound_is_never_dropped_unless_it_is_another_word(
    compound: str, expected: list[str]
) -> None:
    engine = Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER))
    people = (
        "Anna Sommer, geb. 1.2.1950, Mia Magen, geb. 1.2.1950, Dr. Xylander, Dr. Haus, Dr. Billroth, Eva Knarz-Puhlig"
    )
    document = engine.document(Note("n", f"{people}, geb. 3.4.1950. Das {compound}"))
    place = document.text.index(compound)
    found = [d for d in engine.detections(document) if d.rule == "compound" and d.start >= place]
    assert [document.text[d.start : d.end] for d in found] == expected
    assert all(is_never_dropped(d.recogniser, d.rule) for d in found)


def test_the_other_part_of_a_word_that_has_the_patients_name_is_not_searched_for() -> None:
    engine = Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER))
    header = "Patient: Xylo, Anna, geb. 3.4.1951\n\nSehr geehrte Kollegen,\n"
    document = engine.document(Note("n", f"{header}Knarz-Xylo kam. Das Knarz-Konsil, auch Knarz."))
    found = {document.text[d.start : d.end] for d in engine.detections(document)}
    assert "Knarz-Xylo" in found
    assert not found & {"Knarz", "Knarz-Konsil"}


@pytest.mark.parametrize(("name", "parts"), [("Knarz-Xylo", {"Knarz", "Xylo"}), ("Li-Xylo", {"Xylo"})])
def test_a_double_name_that_the_hospital_knows_is_searched_for_by_its_parts(name: str, parts: set[str]) -> None:
    engine = Engine(EngineSpec(PIPELINE, EngineSettings(), GAZETTEER))
    known = (Term(TermKind.NAME, f"Petra {name}", TermSource.HOSPITAL),)
    document = engine.document(Note("n", f"Wir sahen {name} heute. Das Xylo-Konsil, das Knarz-Konsil."), known)
    found = {document.text[d.start : d.end] for d in engine.detections(document) if d.rule == "compound"}
    assert found >= parts
