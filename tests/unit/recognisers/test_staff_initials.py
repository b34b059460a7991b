"""Signs of those who dictated or wrote, of those who signed an entry, and what looks like them."""

from __future__ import annotations

import pytest

from deid_core.core.note import Note
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.person_context import PersonContextRecogniser
from deid_core.recognisers.staff_initials import chains, clues, columns, finder, pairs, places, words
from deid_core.recognisers.staff_initials.chains import chain_bits
from deid_core.recognisers.staff_initials.flags import LEADS, LINK, SEVERAL
from deid_core.recognisers.staff_initials.words import DOUBTFUL, MAY_SIGN, sign_shape, signers
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


def signs(text: str, gazetteer: Gazetteer, lowest: float = 0.0) -> list[str]:
    vocabulary = Vocabulary()
    recogniser = PersonContextRecogniser(gazetteer, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    found = {
        (d.start, d.end) for d in recogniser.recognise(document) if d.rule.startswith("sign") and d.score >= lowest
    }
    return [text[start:end] for start, end in sorted(found) if text[start:end][0].isalpha()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Beispielstadt, 3.4.2010 mü/kb\n\nSehr geehrte Damen", ["mü", "kb"]),
        ("Oberarzt\n\nzoe/ju/hd", ["zoe", "ju", "hd"]),
        # The note's last token is not before its first.
        ("mü/kb\nBefund/", ["mü", "kb"]),
        ("M. Xyla      (ah/ku)", ["ah", "ku"]),
        ("Beispielstadt, 3.4.2010 / muc\n", ["muc"]),
        ("Diktat Mu, geschr. 3.4. kb", ["Mu", "kb"]),
        ("Diktat Prof. gr/ Schreibb. wm", ["gr", "wm"]),
        ("diktiert von mü am 3.4.", ["mü"]),
        ("Protokoll: kb", ["kb"]),
        ("erbrochen. brx\nschläft\nstabil. brx\nruhig. brx", ["brx", "brx", "brx"]),
        ("erbrochen. brxaq\nschläft. qwxaq", []),
        ("150 mg/dl\n5 ml/min\nfrequenz 60/min", []),
        ("re/li\nund/oder", []),
        ("Diktat und Kontrolle", []),
    ],
)
def test_cases(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert signs(text, small_gazetteer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Twice in places of signs: behind a sentence, a gap, in brackets, behind a date.
        ("Wunde reizlos. qb\nmobil, T 38,2     qb\nschläft. qb\n", ["qb", "qb", "qb"]),
        ("rr 148/82 (qx)\nlunge frei (qx)\nblutabnahme (qx, nüchtern)", ["qx", "qx", "qx"]),
        ("3.4. 14:00 rö\nsediert\n4.4. 07:10 rö\nwach", ["rö", "rö"]),
        ("3.4. Gx: stabil\n4.4. Gx: verlegt", ["Gx", "Gx"]),
        ("reizlos. qb/Wg\nverlegt. qb\nmobil. Wg", ["qb", "Wg", "qb", "Wg"]),
        ("verstanden. hz\nkein Rückruf. hz\n", ["hz", "hz"]),
        ("3.4.\tstabil\tQar\n4.4.\tfiebert\tQar", ["Qar", "Qar"]),
        # Then elsewhere as well.
        ("stabil. qz\nfiebert. qz\nan qz weiter", ["qz", "qz", "qz"]),
        # Once, and a name of the note may have given it.
        ("Visite Dr. Xylander: stabil. XY\n", ["XY"]),
        ("Dr. Dorn-Sommer sah den Kranken. DS\n", ["DS"]),
        ("Dr. Xylander: Echo (xl) vom 3.4. gut", ["xl"]),
        # The note tells the sign of a name.
        ("Dr. Xylander (Xy) kam. Um 5 holte Xy die Akte", ["Xy", "Xy"]),
        # A full stop at the end belongs to the sign.
        ("Visite Dr. Xylander: stabil. Xy.\n", ["Xy."]),
        # Once, with nothing for it.
        ("Koronare Herzkrankheit (KHK)\nBefund. EKG\n", []),
        ("Wunde reizlos, li. und re.\nUrin o.B. neg\nAbd. neg\n", []),
        ("Kreatinin 1,2   mg\nHarnstoff 40   mg\n", []),
        # A common word needs three places.
        ("Besuch\tVisite\tHaus\nBesuch\tVisite\tHaus\n", []),
        # Seldom where entries are signed.
        ("xq fehlt, xq da, xq weg, xq neu, xq alt, xq tief (xq)\nstabil (xq)\n", []),
    ],
)
def test_entries(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert signs(text, small_gazetteer, 0.6) == expected


def test_a_single_sign_without_a_name_is_unsure(small_gazetteer: Gazetteer) -> None:
    assert signs("Wunde reizlos. qb\n", small_gazetteer) == ["qb"]
    assert signs("Wunde reizlos. qb\n", small_gazetteer, 0.6) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unser Zeichen: Mu/kb", ["Mu", "kb"]),
        ("Unsere Zeichen: pa-sb/we", ["pa", "sb", "we"]),
        ("Beispielstadt, 3. Mai 2010 / büx", ["büx"]),
        ("Beispielstadt, 3.4.2010 / pey / qim", ["pey", "qim"]),
        ("DR. XYLANDER\n\nXY/WI", ["XY", "WI"]),
        ("Dr. Xylander\n\nXY  /  ÖB\n", ["XY", "ÖB"]),
        ("Dr. Xylander\n(XY/HEI)", ["XY", "HEI"]),
        ("Dialyse\tMo/Mi/Fr", []),
        ("Dr. Xylander\nNr: 5, m/w: w", []),
        ("EK/FFP\nHWS/BWS", []),
        ("Operation 2001, Lyse", []),
        ("geb. 3.4.1950   aok   vers.", []),
    ],
)
def test_chains(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert signs(text, small_gazetteer, 0.6) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Schrift: gtj\n", ["gtj"]),
        ("Schreiben ceb, 3.4.2018", ["ceb"]),
        ("korr. DMX\n", ["DMX"]),
        ("vid. QU 5.5.21", ["QU"]),
        ("freigegeben von xylander_r, 3.4.2019", ["xylander_r"]),
        ("validiert xylj01, 3.4.2016", ["xylj01"]),
        ("elektronisch, user: GEBQ)", ["GEBQ"]),
        ("Dr. Xylander\ngedruckt 3.4.2011 von xylander2\n", ["xylander2"]),
        ("export ixylander_its 3.4.2020", ["ixylander_its"]),
        ("gesehen re.\n", []),
        ("Schreiben der Kasse", []),
        ("freigegeben von der Abteilung", []),
        ("Druck im Bauch", []),
        ("erfasst HbA1c 7,2, dokumentiert FEV1 80", []),
    ],
)
def test_clues(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert signs(text, small_gazetteer, 0.6) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("qb", MAY_SIGN),
        ("Qu.", MAY_SIGN),
        ("bk", MAY_SIGN | DOUBTFUL),
        ("mg", 0),
        ("neg.", 0),
        ("q", 0),
        ("qwert", 0),
        ("q1", 0),
    ],
)
def test_shapes(word: str, expected: int) -> None:
    assert sign_shape(word) == expected


def test_signs_of_names() -> None:
    staff = signers(["Anna Dorn-Sommer", "Müller"])
    assert [s for s in ("AD", "DS", "SA", "Do", "Smr", "mü", "mlr", "xy", "nn") if staff.may_sign(s)] == [
        "AD", "DS", "SA", "Do", "Smr", "mü", "mlr",
    ]  # fmt: skip
    assert staff.begins("DS") and staff.begins("Mü") and not staff.begins("Mlr")
    assert not signers([]).may_sign("ab")


def test_what_tells_that_a_chain_may_be_there() -> None:
    alone, part, lead = (chain_bits(word) for word in ("pa-sb", "kb", "3.4.2010"))
    assert alone & SEVERAL and alone & LINK
    assert part & LINK and not part & (SEVERAL | LEADS)
    assert lead == LEADS and all(chain_bits(mark) & LEADS for mark in ("/", ":", "-", ";", "2010"))
    assert not chain_bits(",") & LEADS  # "Bypass 2001, Lyse"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uhr\tRR\tZeichen\n07:50\t118/64\tOb\n09:00\t96/52\tKrs\nBGA 12:10 Ob", ["Ob", "Krs"]),
        ("Uhr\tHdz.\tRR\n8:00\tSLG/Ob\t120/80\n9:00\t\t110/70\n10:00\tSLG\t110/70", ["SLG", "Ob", "SLG"]),
        ("Uhr\tZeichen\n7:50\tnein\n8:10\t12 Ob 3", []),
        ("Uhr\tZeichen der Herzinsuffizienz\n7:50\tOb", []),
        ("Uhr\tRR\n7:50\tOb", []),
        # A heading that is also a value below another; a column ends with the row that does not have it.
        (
            "Uhr\tArznei\tZeichen\n8:00\tgegeben\tKrs\n9:00\tOb\tOb\n10:00\tOb\n11:00\t7,5\tOb",
            ["Krs", "Ob", "Ob", "Ob"],
        ),
    ],
)
def test_signs_stand_below_the_heading_of_their_column(
    text: str, expected: list[str], small_gazetteer: Gazetteer
) -> None:
    assert signs(text, small_gazetteer) == expected


def test_each_cell_below_headings_is_looked_at_once(
    small_gazetteer: Gazetteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = []

    class Counted:
        def fullmatch(self, cell: str) -> None:
            cells.append(cell)

    monkeypatch.setattr(columns, "_SIGNED", Counted())
    signs("Arznei\tFrage\tSign\n" + "Xyl\tgegeben\tgegeben\n" * 50, small_gazetteer)
    assert len(cells) == 99


def test_no_two_bits_of_words_are_the_same() -> None:
    named = [
        *(pairs.FIRST, pairs.SECOND, pairs.SLASH),
        *(words.MAY_SIGN, words.DOUBTFUL),
        *(places.JOINS, places.COMMA, places.STOP, places.OPENS, places.CLOSES, places.COLON, places.ENDS_SENTENCE),
        *(places.DIGIT, places.LETTER, places.SHORT, places.DATING),
        *(chains.LINK, chains.LABEL, chains.SEVERAL, chains.LEADS, chains.AFTER, chains.JOINT),
        *(clues.WRITTEN, clues.READ, clues.USER, clues.LOGGED),
        columns.HEADING,
    ]
    assert all(bit.bit_count() == 1 for bit in named)
    assert len(set(named)) == len(named)
    # And there are no others.
    looked_at = """
        kb Mu. q bk mg pa-sb / : - ; , . ) ( [ ] + ! " 3 3.4.2010 2010 o.k. uhr Mo zeichen az schrift vis user druck
        freigegeben gegeben Hdz.
    """.split()
    assert set(named) == {1 << n for word in looked_at for n in range(32) if finder._shape_bits(word) >> n & 1}
