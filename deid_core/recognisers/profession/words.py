"""What a word type is to the recogniser `profession`, as bits: a profession and how sure, or a word of its context.

The list `profession` has the masculine forms in lower case. Derived are the feminine ("Bäuerin", "Kauffrau"), case
endings and umlauts written out; a word that ends with an entry is a profession as well ("Betriebsschlosser"). A scan's
errors are mended before a word is given up: "Lagerverwa1ter", "Kaufrnann". What is in no list may still be formed as
professions are (heads.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np

from deid_core.lexicon import flags as wordlists
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.profession.heads import HEADS, SURE_HEADS, ends_like_a_profession
from deid_core.recognisers.profession.surroundings import context_bits, mark_bits
from deid_core.text.capitals import has_one_capital
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

SURE, STAFF, SURNAME = 1, 2, 4
"""A profession wherever it stands; one that the letter's own staff has as well; one that is also a family name."""
LISTED = SURE | STAFF | SURNAME
LIKELY, NAMED = 1 << 14, 1 << 15
"""In no list, but formed like a profession; an office that is told with its holder's name: "Richter Muster"."""
ANY = LISTED | LIKELY | NAMED
CAPITAL, MIXED, WORDLIKE, NAMELIKE, DECLINED = 2048, 4096, 8192, 1 << 20, 1 << 26
"""A capital first; with a small letter behind it; a word; a capitalised word that is none of the language's; one that
is an adjective in small letters ("angestellte")."""

_STAFF = frozenset(
    """
    arzt zahnarzt apotheker apothekenhelfer altenpfleger krankenpflegehelfer krankenpfleger krankenschwester pfleger
    pflegehelfer pflegefachfrau pflegefachmann pflegehilfskraft physiotherapeut ergotherapeut psychotherapeut
    psychologe logopäde hebamme sozialarbeiter sozialpädagoge masseur krankengymnast heilpraktiker rettungsassistent
    rettungssanitäter sanitäter optiker augenoptiker hörgeräteakustiker orthopädietechniker orthopädiemechaniker
    orthopädieschuhmacher arzthelfer mfa zfa zahnarzthelfer zahnarztassistent mta mtra laborant ernährungsberater
    fußpfleger familienpfleger dorfhelfer familienhelfer führer helfer heilerziehungspfleger sekretär schreibkraft
    fahrer bote oberschwester gemeindeschwester ordensschwester sachverständiger präparator heilpädagoge
    personenschützer schwesternhelfer meister geselle lehrling techniker fahrlehrer raumpfleger hilfskraft
    servicekraft laborleiter stanzer steiger dolmetscher übersetzer bestatter sachbearbeiter wundmanager
    medizinphysiker betriebsrat bewährungshelfer berufshelfer famulant zivildiener zivi kurier kumpel moses
    lehrbeauftragter praktikant dirn schlepper stapler medizinstudent zahnmedizinstudent reha-manager rehaberater
    reha-fachberater einrichter leutnant hauptmann ordinationsassistent praxisassistent chef seelsorger koordinator
    major rekrut doktorand pflegeschüler krankenpflegeschüler hebammenschüler ordinationshilfe
    sprechstundenassistent laborhelfer hilfsschwester professor haushaltshilfe
    """.split()
)
_SURNAMES = frozenset(
    """
    bauer bergmann böttcher bötticher brauer drechsler dreher färber fischer former fuhrmann gärtner gerber glaser
    goldschmied händler hauer häuer hausmann hirte hofmeister jäger kantor kaufmann kellner klempner knecht koch
    küfer kürschner küster kutscher maler maurer melker mesner messner metzger müller näher packer pförtner richter
    sänger säger sattler schäfer schaffner schiffer schlachter schleifer schlosser schmied schneider schreiner
    schuhmacher schuster seiler senner setzer siedler spengler steinmetz stellmacher sticker stricker tänzer
    tischler töpfer wächter wagner wärter wäscher weber wirt ziegler zimmerer zimmermann zöllner baumeister
    braumeister autor bäcker fleischer drucker heizer hafner käser lektor mälzer mönch nonne pilot propst rektor
    makler obersteiger vogt pächter spüler manager ofenbauer zeichner oberst kapitän werkmeister offizier soldat
    kommissar senn dekan kaplan probst förster fähnrich wildhüter häusler kettler büttner butler türmer zwirner
    bischof schnitter glöckner trödler hechler haspler plätter puddler spuler mangler nieter bügler gütler keuschler
    fädler häkler kätner tagner blechner kardinal sigrist weißgerber kannegießer wurster falkner geiger holzknecht
    taucher steinhauer steinkellner
    """.split()
)
_NO_COMPOUND = frozenset(
    """
    arzt bauer müller schmied schneider weber jäger fischer hirte wirt wagner former häuer hauer koch bote autor
    richter dozent model manager notar konsul magd nonne mönch lotse händler schäfer knecht maler steiger näher
    glaser gerber setzer packer oberst mta mtra lektor stanzer wächter rektor hilfskraft käser küfer säger pilot
    senn moses dekan kaplan förster leutnant hauptmann kurier kumpel dirn stapler schlepper einrichter zivi chef
    häusler kettler büttner butler türmer zwirner bischof schnitter glöckner trödler hechler haspler plätter puddler
    spuler mangler nieter bügler gütler keuschler fädler häkler kätner tagner blechner kardinal sigrist maat
    gefreiter imam professor weißgerber kannegießer geiger falkner wurster
    """.split()
)
_NEVER = frozenset(
    """
    beifahrer autofahrer radfahrer fahrradfahrer motorradfahrer rollstuhlfahrer mofafahrer mopedfahrer rollerfahrer
    skifahrer pkw-fahrer mitfahrer rodelfahrer krankenfahrer pj-student chefsekretär sanitätsoffizier kassenarzt
    stationssekretär chefarztsekretär mitarbeiter fallmanager entlassmanager casemanager qualitätsmanager
    geschäftsführer anführer wortführer ersthelfer unfallhelfer nothelfer katheterführer stehtrainer gangtrainer
    heimtrainer crosstrainer armtrainer stepptrainer musterschüler mitschüler schrittmacher herzschrittmacher
    bergsteiger stellvertreter klinikdirektor abteilungsleiter stationsleiter pflegedirektor klinikchef
    institutsleiter oberarzt fahrtenschreiber ekg-schreiber gegenwart nadelhalter hundehalter tierhalter haushalter
    hundebesitzer vorbesitzer führerscheininhaber ableiter blitzableiter zwischenwirt endwirt assistenzarzt
    turnusarzt ansprechpartner strohwitwer näheres operateur unterzeichner freifrau pflegeschüler zimmernachbar
    vizemeister weltmeister landesmeister schützenmeister unfallsachbearbeiter rechtshänder linkshänder privatdozent
    steigern
    """.split()
)
_NAMED = frozenset(
    """
    dolmetscher übersetzer bewährungshelfer berufshelfer betriebsrat richter amtsrichter dekan kaplan mesner messner
    küster meister steiger sattler wirt förster oberförster bürgermeister bgm pfr oberbürgermeister pom phm pok
    pokin phk pobm grinsp bezinsp revinsp abtinsp chefinsp kontrinsp kriminalhauptmeister kriminalobermeister
    kriminalkommissar heilpädagoge reha-manager eismeister bergmeister obersteiger kapitän leutnant oberleutnant
    hauptmann feldwebel gefreiter kommissar wachtmeister liftwart hüttenwart bootsmann decksmann schichtführer
    polier vorarbeiter kaminkehrer posthalter lotse verwalter
    """.split()
)
"""Offices and trades of third persons, which stand before a name: "Richter Muster", "Bgm. Muster"."""
_DECLINED = ("stellter", "beamter", "bediensteter", "ordneter", "ständiger", "bildender", "geistlicher", "leistender")
_ADJECTIVAL = tuple(
    stem[:-1] + ending for stem in (*_DECLINED, "ichtiger", "sandter", "ragter") for ending in ("", "r", "n")
)
_MIN_BASE, _MIN_STEM, _MIN_FEMININE = 5, 3, 7
_NO_FEMININE = frozenset({"arzt", "dozent", "mta", "mtra", "hilfskraft"})
"""Of the words that end no compound: those whose feminine form ends none either ("Oberärztin")."""
_MIN_HEAD, _MIN_MENDED = 4, 7
_DIGITS = str.maketrans("015", "ols")
_MISREAD = (("rn", "m"), ("li", "h"), ("ii", "n"), ("rl", "ri"))
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


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
        for head in sorted(HEADS):
            for form in _forms(head):
                self.endings.setdefault(form, STAFF)
        for head in SURE_HEADS:
            self.endings.update(dict.fromkeys(_forms(head), SURE))
        self.never = frozenset(form for word in _NEVER for form in _forms(word))
        self.named = frozenset(form for word in _NAMED for form in (word, *_forms(word)))

    def bits_of(self, lower: str) -> int:
        """What a word in lower case is; 0 if it is no profession."""
        if lower in self.never:
            return 0
        named = NAMED if lower.rstrip(".") in self.named else 0
        return named | (self._listed(lower) or next(filter(None, map(self._listed, _mended(lower))), 0))

    def _listed(self, lower: str) -> int:
        if found := self.forms.get(lower, 0):
            return found
        for start in range(_MIN_STEM, len(lower) - _MIN_HEAD + 1):
            if found := self.endings.get(lower[start:], 0):
                return found
        return 0


@lru_cache(2)
def _lexicon(entries: frozenset[str]) -> _Lexicon:
    return _Lexicon(entries)


def profession_lookup(gazetteer: Gazetteer) -> Callable[[str], int]:
    """What tells of a whole word, in any case, whether it is a profession: SURE, STAFF, SURNAME or 0."""
    lexicon = _lexicon(frozenset(gazetteer.words("profession")))
    return lambda word: lexicon.bits_of(word.lower()) & LISTED


def profession_bits(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """A column of this module's bits and the context's; whether a word's capital counts is for the reader to say."""
    lexicon = _lexicon(frozenset(gazetteer.words("profession")))
    lists = wordlists.word_flags(gazetteer, vocabulary)
    no_name = wordlists.STOP | wordlists.COMMON
    towns = gazetteer.words("town")
    # Without a list of what else there is, an ending says nothing: "als Verstärker eingesetzt".
    guesses = bool(gazetteer.words("common_word"))
    no_likely = no_name | wordlists.GIVEN_NAME | wordlists.SURNAME

    def compute(word: str) -> int:
        if token_kind(word) != WORD:
            return mark_bits(word)
        lower = word.lower()
        around, listed = context_bits(lower), lexicon.bits_of(lower)
        bits = WORDLIKE | around | listed
        if lower.endswith(_ADJECTIVAL):
            bits |= DECLINED
        if (
            guesses
            and not (around or listed or lists.of(word) & no_likely or word in towns)
            and ends_like_a_profession(lower)
        ):
            bits |= LIKELY
        if word[0].isupper():
            if not (around or listed & ~(SURNAME | NAMED)) and not lists.of(word) & no_name:
                bits |= NAMELIKE
            bits |= CAPITAL | (MIXED if has_one_capital(word) else 0)
        return bits

    return TypeFeature(vocabulary, compute, np.int32)


def _mended(lower: str) -> Iterator[str]:
    """What a scan may have made the word of: digits for letters, "rn" for "m", "li" for "h"."""
    if len(lower) < _MIN_MENDED:
        return
    if not lower.isalpha() and any(character.isdigit() for character in lower):
        yield lower.translate(_DIGITS)
    for read, written in _MISREAD:
        if read in lower:
            yield lower.replace(read, written)


def _forms(entry: str) -> Iterator[str]:
    """The forms of an entry in lower case."""
    for form in _gendered(entry):
        yield form
        if any(letter in form for letter in "äöüß"):
            yield form.translate(_UMLAUTS)
        if "ß" in form:
            yield form.replace("ß", "ss")


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
