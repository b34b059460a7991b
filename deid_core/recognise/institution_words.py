"""What a word type may be in the name of an institution, as bits; word lists and data of the recogniser `institution`.

A head word says what the institution is: "Klinik", "Krankenkasse", "Bäckerei". It is recognised by its ending, in any
case and inflection. A compound whose first part is no generic word is a name by itself: "Rheintalklinik", but not
"Augenklinik". What stands around a head word is no subject of this module.
"""

from __future__ import annotations

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.tokens import WORD, Vocabulary, token_kind
from deid_core.word_types import TypeColumn

HOSPITAL, ORGANISATION, STRONG, NAMED = 1, 2, 4, 8
"""A head word of either kind; one that an unknown word behind it makes a name; one that is a name by itself."""
LEGAL, INSURER, QUALIFIER, PLACE = 16, 32, 64, 128
"""GmbH; AOK; a word that begins institutions' names ("Evangelisches"); a listed town or region."""
NAMELIKE, TERM, MEDICAL, CAPITAL = 256, 512, 1024, 2048
"""No common word and listed or formed like a name; a common or medical word or ending; a listed medical word."""
TOWN_PREFIX, PREPOSITION, ARTICLE, WATER = 4096, 8192, 16384, 32768
"""Bad, Sankt; am, zum; der, dem; the end of "Weil am Rhein"."""
EMPLOYED, TITLE, ADJECTIVE, TAIL = 65536, 131072, 262144, 524288
"""beschäftigt; Dr.; an adjective's ending; what may follow an insurer's name ("Ersatzkasse")."""
AMBIGUOUS, WARD, PERSON = 1048576, 2097152, 4194304
"""An insurer's letters that mean something else in medicine (TK); "Station"; a listed name of persons."""
ANY_TRIGGER = HOSPITAL | ORGANISATION | LEGAL | INSURER | EMPLOYED | WARD

_STRONG_HEADS = "klinikum krankenhaus hospital spital universitätsklinik uniklinik"
_HOSPITAL_HEADS = """
    klinik sanatorium hospiz zentrum praxis stift pflegeheim altenheim altersheim seniorenheim wohnheim kinderheim
    seniorenresidenz reha ärztehaus
"""
_HOSPITAL_LETTERS = frozenset({"KH", "KKH", "MVZ"})
_ORGANISATION_HEADS = """
    krankenkasse ersatzkasse krankenversicherung rentenversicherung versicherung berufsgenossenschaft unfallkasse
    stadtwerk stadtwerke sparkasse volksbank raiffeisenbank landratsamt finanzamt autohaus möbelhaus kaufhaus bäckerei
    metzgerei gärtnerei schreinerei zimmerei brauerei druckerei spedition weingut baugeschäft maschinenbau stiftung
    feuerwehr chemiewerk stahlwerk zementwerk kraftwerk walzwerk sägewerk autowerk werke grundschule hauptschule
    realschule gesamtschule förderschule berufsschule waldorfschule gymnasium hochschule universität kindergarten
    kindertagesstätte pflegedienst sozialstation apotheke verlag firma fa.
"""
_INFLECTIONS = ("", "s", "es", "en", "n", "e")
_IRREGULAR = {"krankenhäuser": "krankenhaus", "krankenhäusern": "krankenhaus", "zentren": "zentrum"}
_HEADS = {
    head + ending: flag
    for heads, flag in (
        (_ORGANISATION_HEADS, ORGANISATION),
        (_HOSPITAL_HEADS, HOSPITAL),
        (_STRONG_HEADS, HOSPITAL | STRONG),
    )
    for head in heads.split()
    for ending in _INFLECTIONS
}
_HEADS |= {form: _HEADS[head] for form, head in _IRREGULAR.items()}
_LONGEST_FIRST = sorted(_HEADS, key=lambda head: (-len(head), head))
_HEAD_ENDINGS = tuple(_LONGEST_FIRST)
_MAY_NAME_ITSELF = ("klinik", "klinikum", "krankenhaus", "hospital", "spital", "krankenkasse", "gymnasium")
"""Before these any stem that is not generic makes a name; before others it must be a listed name."""

_GENERIC_STEMS = frozenset(
    """
    uni universitäts kreis stadt städtische landes land bezirks zentral fach allgemein kinder lehr bundeswehr privat
    akut reha rehabilitations kur tages nacht poli augen frauen haut zahn tier partner spezial beleg ambulanz heimat
    haus betriebs orts ersatz innungs pflege unfall renten kranken haftpflicht lebens sozial zusatz gesundheits
    senioren alten herz gefäß lungen thorax rücken schmerz gelenk brust darm tumor krebs dialyse schlaf trauma
    kopf hals nasen ohren hno mkg bg ent ct mrt praxis gemeinschafts facharzt hausarzt arzt rechen einkaufs sprach
    eltern mutter diakonissen haupt neben voll teil zweit ur vor nach erst herkunfts heim reserve feld militär schul
    maximal grund regel schwerpunkt medizin gast
    """.split()
)
_GENERIC_ROOTS = (
    "kardio neuro gastro radio ortho psych chirurg uro gynäk derma nephro onko hämato pneumo rheuma dialys diabet "
    "geriatr pädiatr anästhes intensiv notfall rehabilit strahlen nuklear transplant gefäß herz lungen thorax wirbel "
    "unfall epilep palliativ akut"
).split()
_GENERIC_ENDINGS = ("ologie", "ologien", "iatrie", "chirurgie", "medizin", "pädie", "therapie", "diagnostik")
_LINKS = ("", "s", "n", "en", "es", "e", "er")

_TERM_ENDINGS = (
    "itis ose osen ung ungen heit keit ion ionen ie ien tomie skopie graphie gramm ekg syndrom pathie ämie urie algie "
    "pnoe insuffizienz stenose om ome tät ismus iker iose plastik befund kontrolle aufenthalt termin verlauf beginn"
).split()
_TERM_ENDINGS_AT_LEAST = 3
_NAME_ENDINGS = (
    "blick halde höhe tal thal wald see hof park land au aue bach berg born brunn burg dorf felden furt hausen heim "
    "hofen ingen kirchen münster stadt stetten weiler ring straße strasse str. allee platz weg gasse tor garten quelle"
).split()
_TOWN_ENDINGS = ("hafen", "hausen", "ingen", "burg", "furt", "kirchen", "weiler", "heim")
_MIN_TOWN_ENDED = 8
"""A word of fewer letters needs a list: Ludwigshafen is a town though common-word lists have it."""
_ADJECTIVE_ENDINGS = tuple(
    stem + ending for stem in ("isch", "lich", "ig", "end", "är", "ell", "iert") for ending in ("e", "er", "es", "en")
)
_QUALIFIERS = """
    sankt st. heilig heilige heiliger evangelisches evangelische evangelischen katholisches katholische katholischen
    städtisches städtische städtischen asklepios sana helios median mediclin ameos vitos paracelsus rhön celenus
    johanniter malteser caritas diakonie drk awo marien
"""
_REGIONAL = """
    deutsche deutschen süddeutsche süddeutschen norddeutsche westdeutsche badische badischen bayerische bayerischen
    schwäbische pfälzische hessische sächsische rheinische westfälische württembergische schweizerische österreichische
    techniker kaufmännische hanseatische allgemeine
"""
"""Before an organisation's head word only: "Deutsche Rentenversicherung"."""
_LANDSCAPES = ("tal", "thal", "wald", "see", "berg", "burg", "gau")
_MIN_LANDSCAPE = 5
"""Letters of a listed common word that names a clinic if it is a landscape's: Rheintalklinik."""
_INSURERS = frozenset(
    """
    aok barmer bek dak dak-gesundheit hek hkk ikk bkk lkk knappschaft kbs mhplus sbk viactiv debeka huk-coburg axa dkv
    hallesche continentale gothaer lvm svlfg allianz signal signal-iduna ergo
    """.split()
)
_AMBIGUOUS_INSURERS = frozenset({"TK", "KKH", "BG", "Signal", "SIGNAL"})
_TAILS = """
    gek ersatzkasse krankenkasse gesundheitskasse versicherung krankenversicherung iduna plus classic südwest nord
    nordost bau holz metall chemie handel verkehr energie nahrungsmittel rohstoffe etem rci
"""
_EMPLOYED = "arbeitet arbeitete gearbeitet beschäftigt angestellt angestellte angestellter tätig mitarbeiter"
_LEGAL = frozenset("gmbh ggmbh mbh ag kg kgaa ohg e.v. gbr".split())
_WATERS = """
    rhein main neckar donau saale elbe inn oder weser fulda lahn ruhr see bodensee chiemsee harz taunus isar lech nahe
    mosel saar werra havel spree kocher jagst tauber nagold enz murg kinzig aller leine wald berg alb
"""

_PLAIN = {
    word: flag
    for words, flag in (
        (_QUALIFIERS, QUALIFIER),
        (_TAILS, TAIL),
        (_EMPLOYED, EMPLOYED),
        ("bad sankt st. markt", TOWN_PREFIX),
        ("am im an zum zur auf ob unter vor", PREPOSITION),
        ("der dem den", ARTICLE),
        ("dr. prof. dr.med. med. dres.", TITLE),
        ("station", WARD),
    )
    for word in words.split()
} | {"sankt": QUALIFIER | TOWN_PREFIX, "st.": QUALIFIER | TOWN_PREFIX}
_REGIONAL_WORDS = frozenset(_REGIONAL.split())
_WATER_WORDS = frozenset(_WATERS.split())


def institution_bits(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeColumn:
    """A column of this module's bits."""
    return TypeColumn(vocabulary, _Words(gazetteer).bits)


def is_regional(word: str) -> bool:
    """Whether the word begins organisations' names: "Deutsche Rentenversicherung"."""
    return word.lower() in _REGIONAL_WORDS


def is_water(word: str) -> bool:
    """Whether the word is a river, lake or hill that towns are named after: "Weil am Rhein"."""
    return word.lower() in _WATER_WORDS


class _Words:
    """The lists that tell names from terms."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._places = gazetteer.words("town") | gazetteer.words("region")
        self._persons = gazetteer.words("first_name") | gazetteer.words("surname")
        self._common = _lowered(gazetteer, "common_word")
        self._medical = _lowered(gazetteer, "medical_word", "clinic_word", "stop_word", "month", "eponym")

    def bits(self, word: str) -> int:
        """The bits of one word."""
        lower = word.lower()
        bits = _PLAIN.get(lower, 0)
        if token_kind(word) != WORD:
            return 0
        if lower in _LEGAL:
            return bits | (LEGAL if word[0].isupper() or word in ("gGmbH", "mbH", "e.V.") else 0)
        if not word[0].isupper():
            return bits | (INSURER if lower in ("mhplus", "hkk") else 0)
        bits |= CAPITAL | self._listed(word) | self._head(lower, word)
        if lower.endswith(_ADJECTIVE_ENDINGS) or lower in _REGIONAL_WORDS:
            bits |= ADJECTIVE
        if lower in _WATER_WORDS:
            bits |= WATER
        if lower in _INSURERS or lower.rpartition("-")[2] in ("bkk", "ikk"):
            bits |= INSURER
        if word in _AMBIGUOUS_INSURERS:
            bits |= INSURER | AMBIGUOUS
        return bits

    def _listed(self, word: str) -> int:
        titled = "-".join(part.capitalize() for part in word.split("-")) if word.isupper() else word
        lower = word.lower()
        bits = PLACE if titled in self._places or self._town_adjective(titled) else 0
        if len(lower) >= _MIN_TOWN_ENDED and lower.endswith(_TOWN_ENDINGS):
            bits |= PLACE
        if lower in self._medical:
            return bits | MEDICAL | TERM
        if titled in self._persons:
            bits |= PERSON
        if lower in self._common:
            return bits | TERM
        if bits or lower.endswith(tuple(_NAME_ENDINGS)):
            return bits | NAMELIKE
        ended = any(lower.endswith(e) and len(lower) >= len(e) + _TERM_ENDINGS_AT_LEAST for e in _TERM_ENDINGS)
        return bits | (TERM if ended else 0)

    def _town_adjective(self, titled: str) -> bool:
        """Mannheimer, Heidelberger."""
        return titled.endswith("er") and len(titled) > 6 and titled[:-2] in self._places

    def _head(self, lower: str, word: str) -> int:
        if word in _HOSPITAL_LETTERS:
            return HOSPITAL
        parts = lower.split("-")
        if parts[-1] == "haus" and len(parts) > 1 and any(part.capitalize() in self._persons for part in parts[:-1]):
            return HOSPITAL | NAMED
        if not lower.endswith(_HEAD_ENDINGS):
            return 0
        head = next(ending for ending in _LONGEST_FIRST if lower.endswith(ending))
        flag = _HEADS[head]
        if head in ("reha", "fa.", "firma") and lower != head:
            return 0
        stems = [part for part in (*lower[: -len(head)].split("-"),) if part]
        free = head.startswith(_MAY_NAME_ITSELF)
        shouted = word.isupper()
        if any(self._names(stem, word, free=free, shouted=shouted) for stem in stems):
            flag |= NAMED
        elif stems and not (flag & ORGANISATION) and not all(self._generic(stem) for stem in stems) and not free:
            return 0 if head.startswith(("stift", "reha")) else flag
        return flag

    def _names(self, stem: str, word: str, *, free: bool, shouted: bool) -> bool:
        """Whether the part before the head word is a name's."""
        if self._generic(stem):
            return False
        forms = {stem.removesuffix(link) for link in _LINKS}
        if any(form.capitalize() in self._places or form.capitalize() in self._persons for form in forms):
            return len(stem) > 3
        if any(form in self._common for form in forms):
            return free and len(stem) > _MIN_LANDSCAPE and stem.endswith(_LANDSCAPES)
        return free and (len(stem) > 3 or (not shouted and stem.upper() in word))

    def _generic(self, stem: str) -> bool:
        forms = {stem.removesuffix(link) for link in _LINKS}
        return (
            not forms.isdisjoint(_GENERIC_STEMS)
            or not forms.isdisjoint(self._medical)
            or stem.startswith(tuple(_GENERIC_ROOTS))
            or any(form.endswith(_GENERIC_ENDINGS) for form in forms)
        )


def _lowered(gazetteer: Gazetteer, *lists: str) -> frozenset[str]:
    return frozenset(word.lower() for name in lists for word in gazetteer.words(name))
