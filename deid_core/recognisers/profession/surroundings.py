"""The words around a profession, as bits of a word type: what announces it, what may stand between, what rules it out.

"gelernter", "Beruf", "als", a relative, "ist", "Herr"; and behind it "gewesen", "werden", "gearbeitet".
"""

from __future__ import annotations

import re

from deid_core.lexicon.flags import bits_by_word

ANNOUNCES, LEADS, COPULA, KIN = 8, 16, 32, 64
"""als, gelernter, Beruf; zum, zur; ist, war; Tochter."""
ADDRESSES, PASSED, JOINS, ENDS = 128, 256, 512, 1024
"""Herr, Dr.; what may stand between: "ist jetzt wieder"; a comma, "und", "("; the end of a sentence."""
STRONG, WORKS, FOLLOWS, ALS, SINCE = 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 21
"""gelernter, Umschulung: nothing but a profession follows; gearbeitet, Lehre: what "als" is about; gewesen, lernen:
stands behind what somebody was; the word "als" itself; danach, heute: stands before what somebody then is."""
PATIENT, AGED, YEAR, FROM = 1 << 22, 1 << 23, 1 << 24, 1 << 25
"""Patient; "Jahre" behind an age; a year; "ab", "seit" before one."""

_CONTEXT = {
    ANNOUNCES: """
        als beruf berufe berufswunsch tätigkeit lernte gelernt exprof gelernter gelernte gelernten gelernt. gel.
        angelernter angelernte ehemaliger ehemalige ehemaligen ehem. ehem ehemals früherer frühere frueher frueherer
        fruehere früheren früher früh. vormals zuletzt berenteter berentete pensionierter pensionierte pens. pens
        emeritierter emeritierte selbständiger selbständige selbstständiger selbstständige selbst. arbeitsloser
        arbeitslose angehender angehende langjähriger langjährige einstiger einstige umschulung umgeschult ausbildung
        ausbildg ausbildg. lehre studierter studierte diplomierter diplomierte sozial soziales sozialanamnese sozialan.
        berufsanamnese beruflich beruflicher berufl. haupterwerb nebenerwerb nebenbei nebenher hauptberuflich
        nebenberuflich erlernter erlernt staatl. geprüfter geprüfte
    """,
    STRONG: """
        beruf berufe berufswunsch gelernter gelernte gelernten gel. angelernter angelernte umschulung umgeschult
        ausbildung lehre lernte gelernt erlernt erlernter exprof studierter studierte diplomierter diplomierte
        qualifizierung meisterprüfung gesellenprüfung anlernung beruflich berufsanamnese
    """,
    LEADS: """
        zum zur eines einer ein eine einen einem dann danach später spaeter anschließend anschliessend davor daneben
        vorher schließlich schliesslich zuvor
    """,
    COPULA: "ist war sei waren wäre wurde",
    KIN: """
        ehemann ehemannes ehefrau mann frau gatte gattin gatten tochter töchter töchtern toechter sohn söhne söhnen
        sohnes soehne mutter vater vaters eltern bruder brüder schwester geschwister enkel enkelin enkelkind
        lebensgefährte lebensgefährtin lebenspartner lebenspartnerin partner partnerin großmutter großvater
        grossmutter grossvater oma opa verheiratet verh. verh heirat heiratete onkel tante nichte neffe
        schwiegersohn schwiegertochter schwiegervater schwiegermutter schwager schwägerin schwaegerin kindsvater
        kindesvater kindsmutter kindesmutter zwilling cousin cousine pflegevater pflegemutter stiefvater stiefmutter
        verlobter verlobte verlobten verwitwet geschieden kinder kindern ältester älteste jüngster jüngste freundin
        freund exmann exfrau mama papa
    """,
    ADDRESSES: "herr herrn hr. hrn. frau fr. fräulein familie fam. dr. prof. dres. dr",
    PASSED: """
        jetzt heute noch bis seit selbst auch wieder von beruf tätig dann danach später spaeter derzeit zuletzt früher
        lange jahre ein eine halbtags vollzeit teilzeit inzwischen ebenfalls einmal gelernter gelernte jahrelang
        zeitweise lebenslang immer zunächst erst zuerst schließlich zuvor vorher ab einst sowohl nur mehr ebenso
        zugleich unter über tage kurz dort hier damals i.r. a.d. i.p.
    """,
    JOINS: "und sowie u. bzw. oder sodann",
    WORKS: """
        gearbeitet arbeitet arbeitete arbeiten arbeit tätig tätigkeit beschäftigt beschäftigung angestellt anstellung
        stelle lehre ausbildung umschulung eingliederung eingesetzt einsatz jahre jahren jobbt jobbte diente verdient
        verdiente saison angelernt anlernzeit eingestellt vorher davor danach dann später zuletzt früher berufstätig
        beruf schicht begonnen anfing fing dienst verdingt verdingte fuhr ging werk fabrik firma fa. bis seit ab
        selbständig selbstständig taetig beschaeftigt teilzeit vollzeit halbtags minijob aushilfsweise volksschule
        schulentlassung lehrstelle
    """,
    FOLLOWS: "gewesen werden geworden lernen gelernt gearbeitet beschäftigt tätig taetig war i.r. i.p. a.d.",
    ALS: "als",
    SINCE: """
        dann danach später spaeter anschließend anschliessend davor vorher zuvor heute derzeit seither jetzt schließlich
        schliesslich daneben früher frueher vormals ursprünglich nebenbei nebenher momentan aktuell inzwischen
    """,
    PATIENT: "patient patientin pat pat. patienten",
    AGED: "jahre jahren j j. jährig jährige",
    FROM: "ab seit von bis dann",
}  # fmt: skip
_BY_WORD = bits_by_word(_CONTEXT)
_MARKS = dict.fromkeys(",/(&:-–+", JOINS) | dict.fromkeys(".;!?", ENDS)
_YEAR = re.compile(r"(?:19|20)\d\d")
_AGED = (
    "jähriger", "jährige", "jährigen", "jähriges", "jährig", "jaehriger", "jaehrige", "jaehrigen", "jähr.",
)  # fmt: skip


def mark_bits(mark: str) -> int:
    """The bits of a token that is no word: a mark or a number."""
    if mark[0].isdigit():
        return PASSED | (YEAR if _YEAR.fullmatch(mark) else 0)
    return _MARKS.get(mark, 0)


def context_bits(lower: str) -> int:
    """The bits of a word in lower case."""
    return _BY_WORD.get(lower, 0) | (ANNOUNCES if lower.endswith(_AGED) else 0)
