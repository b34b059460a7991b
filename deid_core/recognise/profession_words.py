"""What a word type is to the recogniser `profession`, as bits: a profession and how sure, or a word of its context.

The list `profession` has the masculine forms in lower case. Derived are the feminine ("Bäuerin", "Kauffrau"), case
endings and umlauts written out; a word that ends with an entry is a profession as well ("Betriebsschlosser").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.tokens import WORD, Vocabulary, token_kind
from deid_core.word_types import TypeColumn

SURE, STAFF, SURNAME = 1, 2, 4
"""A profession wherever it stands; one that the letter's own staff has as well; one that is also a family name."""
ANY = SURE | STAFF | SURNAME
ANNOUNCES, LEADS, COPULA, KIN = 8, 16, 32, 64
"""als, gelernter, Beruf; zum, zur; ist, war; Tochter."""
ADDRESSES, PASSED, JOINS, ENDS = 128, 256, 512, 1024
"""Herr, Dr.; what may stand between: "ist jetzt wieder"; a comma, "und", "("; the end of a sentence."""
CAPITAL, MIXED, WORDLIKE = 2048, 4096, 8192
"""A capital first; with a small letter behind it; a word."""

_STAFF = frozenset(
    """
    arzt zahnarzt apotheker apothekenhelfer altenpfleger krankenpflegehelfer krankenpfleger krankenschwester pfleger
    pflegehelfer pflegefachfrau pflegefachmann pflegehilfskraft physiotherapeut ergotherapeut psychotherapeut psychologe
    logopäde hebamme sozialarbeiter sozialpädagoge masseur krankengymnast heilpraktiker rettungsassistent
    rettungssanitäter sanitäter optiker augenoptiker hörgeräteakustiker orthopädietechniker orthopädiemechaniker
    orthopädieschuhmacher arzthelfer mfa zfa zahnarzthelfer zahnarztassistent mta mtra laborant ernährungsberater
    fußpfleger
    familienpfleger dorfhelfer familienhelfer führer helfer heilerziehungspfleger sekretär schreibkraft fahrer bote
    oberschwester gemeindeschwester ordensschwester rechtspfleger sachverständiger präparator heilpädagoge
    personenschützer schwesternhelfer meister geselle lehrling techniker fahrlehrer raumpfleger hilfskraft
    servicekraft laborleiter stanzer
    steiger
    """.split()
)
_SURNAMES = frozenset(
    """
    bauer bergmann böttcher bötticher brauer drechsler dreher färber fischer former fuhrmann gärtner gerber glaser
    goldschmied händler hauer häuer hausmann hirte hofmeister jäger kantor kaufmann kellner klempner knecht koch küfer
    kürschner küster kutscher maler maurer melker mesner messner metzger müller näher packer pförtner richter sänger
    säger sattler schäfer schaffner schiffer schlachter schleifer schlosser schmied schneider schreiner schuhmacher
    schuster seiler senner setzer siedler spengler steinmetz stellmacher sticker stricker tänzer tischler töpfer
    wächter wagner wärter wäscher weber wirt ziegler zimmerer zimmermann zöllner baumeister braumeister autor bäcker
    fleischer drucker heizer hafner käser lektor mälzer mönch nonne pilot propst rektor makler obersteiger
    vogt pächter spüler manager ofenbauer zeichner oberst kapitän hofmeister werkmeister offizier soldat kommissar
    """.split()
)
_NO_COMPOUND = frozenset(
    """
    arzt bauer müller schmied schneider weber jäger fischer hirte wirt wagner former häuer hauer koch bote autor richter
    dozent model manager notar konsul magd nonne mönch lotse händler schäfer knecht maler steiger näher glaser gerber
    fahrer-innen setzer packer oberst mta mtra lektor stanzer wächter rektor hilfskraft käser küfer säger pilot
    """.split()
)
_NEVER = frozenset(
    """
    beifahrer autofahrer radfahrer fahrradfahrer motorradfahrer rollstuhlfahrer mofafahrer mopedfahrer rollerfahrer
    skifahrer pkw-fahrer mitfahrer rodelfahrer krankenfahrer pj-student medizinstudent chefsekretär sanitätsoffizier
    kassenarzt stationssekretär chefarztsekretär mitarbeiter sozialarbeiter-innen fallmanager entlassmanager casemanager
    qualitätsmanager geschäftsführer anführer wortführer ersthelfer unfallhelfer nothelfer katheterführer
    stehtrainer gangtrainer heimtrainer
    crosstrainer armtrainer stepptrainer musterschüler mitschüler
    """.split()
)
_DECLINED = ("stellter", "beamter", "bediensteter", "ordneter", "ständiger", "bildender", "geistlicher", "leistender")
_MIN_BASE, _MIN_STEM, _MIN_FEMININE = 5, 3, 7
_NO_FEMININE = frozenset({"arzt", "dozent", "mta", "mtra", "hilfskraft"})
"""Of the words that end no compound: those whose feminine form ends none either ("Oberärztin")."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})

_CONTEXT = {
    ANNOUNCES: """
    als beruf berufe tätigkeit lernte gelernt exprof gelernter gelernte gelernten ehemaliger ehemalige ehemaligen
    ehem. ehem früherer frühere
        früheren früher vormals zuletzt berenteter berentete pensionierter pensionierte pens. pens selbständiger
        selbständige selbstständiger selbstständige arbeitsloser arbeitslose angehender angehende langjähriger
        langjährige umschulung umgeschult ausbildung lehre lehrling studierter diplomierter
    """,
    LEADS: "zum zur eines einer ein eine dann danach später anschließend anschliessend davor daneben vorher",
    COPULA: "ist war sei waren",
    KIN: """
        ehemann ehemannes ehefrau mann frau gatte gattin tochter töchter sohn söhne mutter vater eltern bruder schwester
        enkel enkelin lebensgefährte lebensgefährtin lebenspartner lebenspartnerin partner partnerin großmutter
        großvater verheiratet heirat heiratete onkel tante nichte neffe schwiegersohn schwiegertochter kindsvater
        kindesvater zwilling
    """,
    ADDRESSES: "herr herrn hr. hrn. frau fr. fräulein familie fam. dr. prof. dres. dr",
    PASSED: """
        jetzt heute noch bis seit selbst auch wieder von beruf tätig dann danach später derzeit zuletzt früher lange
        jahre ein eine halbtags vollzeit teilzeit inzwischen ebenfalls einmal gelernter gelernte
    """,
    JOINS: "und sowie u.",
}
_BY_WORD: dict[str, int] = {}
for _bit, _words in _CONTEXT.items():
    for _word in _words.split():
        _BY_WORD[_word] = _BY_WORD.get(_word, 0) | _bit
_MARKS = dict.fromkeys(",/(&:-–", JOINS) | dict.fromkeys(".;!?", ENDS)


class _Lexicon:
    """The forms of the list's entries; one a gazetteer."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.forms: dict[str, int] = {}
        self.endings: dict[str, int] = {}
        for entry in sorted(entries):
            bits = STAFF if entry in _STAFF else SURNAME if entry in _SURNAMES else SURE
            whole_only = entry in _NO_COMPOUND or len(entry) < _MIN_BASE
            feminine_too = entry not in _NO_FEMININE
            for form in _forms(entry):
                # "Köchin", "Bäuerin": no family name has a feminine form.
                of_form = SURE if bits == SURNAME and form.endswith(("in", "innen")) else bits
                self.forms.setdefault(form, of_form)
                if not whole_only or (feminine_too and len(form) >= _MIN_FEMININE and form.endswith("erin")):
                    self.endings.setdefault(form, of_form)
        self.never = frozenset(form for word in _NEVER for form in _forms(word))

    def bits_of(self, lower: str) -> int:
        """What a word in lower case is; 0 if it is no profession."""
        if lower in self.never:
            return 0
        if found := self.forms.get(lower, 0):
            return found
        for start in range(_MIN_STEM, len(lower) - _MIN_BASE + 1):
            if found := self.endings.get(lower[start:], 0):
                return found
        return 0


@lru_cache(2)
def _lexicon(entries: frozenset[str]) -> _Lexicon:
    return _Lexicon(entries)


def profession_bits(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeColumn:
    """A column of this module's bits; whether a word's capital counts is for the reader to say."""
    lexicon = _lexicon(frozenset(gazetteer.words("profession")))

    def compute(word: str) -> int:
        if token_kind(word) != WORD:
            return _MARKS.get(word, PASSED if word[0].isdigit() else 0)
        lower = word.lower()
        bits = WORDLIKE | _BY_WORD.get(lower, 0) | lexicon.bits_of(lower)
        if lower.endswith(("jähriger", "jährige", "jährigen")):
            bits |= ANNOUNCES
        if word[0].isupper():
            bits |= CAPITAL | (MIXED if len(word) > 1 and word[1:].lower() == word[1:] else 0)
        return bits

    return TypeColumn(vocabulary, compute, np.uint16)


def _forms(entry: str) -> Iterator[str]:
    """The forms of an entry in lower case."""
    for form in _gendered(entry):
        yield form
        if any(letter in form for letter in "äöüß"):
            yield form.translate(_UMLAUTS)


def _gendered(entry: str) -> Iterator[str]:
    if entry.endswith(_DECLINED):
        yield from (entry[:-1], entry, entry[:-1] + "n")
        if entry.endswith("beamter"):
            yield from (entry[:-2] + "in", entry[:-2] + "innen")
        return
    yield from (entry, entry + "s", entry + "n", entry + "en", entry + "es")
    if entry.endswith(("in", "frau", "hilfe", "kraft", "mädchen", "mutter", "schwester", "magd", "dame")):
        if entry.endswith("in"):
            yield entry + "nen"
        return
    feminine = [entry + "in"]
    if entry.endswith("e"):
        feminine = [entry[:-1] + "in"]
    for old, new in (
        ("mann", "frau"),
        ("koch", "köchin"),
        ("arzt", "ärztin"),
        ("anwalt", "anwältin"),
        ("rat", "rätin"),
    ):
        if entry.endswith(old):
            feminine = [entry[: -len(old)] + new]
    if entry.endswith("mann"):
        yield entry[:-4] + "leute"
    if entry.endswith("bauer"):
        feminine.append(entry[:-5] + "bäuerin")
    for form in feminine:
        yield form
        if form.endswith("in"):
            yield form + "nen"
