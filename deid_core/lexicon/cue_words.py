"""Words that announce a name, as bits of a word type; data of the recogniser `context`."""

from __future__ import annotations

import re
from functools import lru_cache

from deid_core.lexicon.flags import bits_by_word
from deid_core.lexicon.name_grammar import PARTICLES

SALUTE = 1
TITLE = 2
KIN = 4
ROLE = 8
"""A function or profession in a hospital or practice; with a salutation before it part of the address."""
SIGNED = 16
BIRTH = 32
FIELD = 64
"""The label of a form's field: a name only behind a colon or in the next cell."""
DICTATED = 512
"""Before the signs of those who dictated, wrote or released a letter: "Diktat Mu", "3.4. kb"."""
BORN = 1024
"""Before a name that somebody had or has: "geb. Muster", "verw Muster"."""
CALLED = 2048
"""Before what somebody is called: "genannt Beispiel"."""
CIVIL = 4096
"""A function or profession outside of medicine; otherwise like ROLE."""
DATED = 8192
"""A whole date: what stands before it at a line's beginning may be whose birthday it is."""
GLUED = 131072
"""A salutation and a name without a blank between them: "HerrMuster"."""
AGENT = 524288
"""Before the name of who did something: "durch Muster", "Übergabe an Muster"."""
INITIAL = 1048576
"""The first letter of a given name: "S. Muster"."""
ANY_TRIGGER = SALUTE | TITLE | KIN | ROLE | SIGNED | BIRTH | FIELD | DICTATED | BORN | CALLED | CIVIL | DATED | GLUED
"""Words that are no part of a name themselves."""
MAY_CLOSE = 262144
"""Not a trigger: may begin a closing formula."""
LABEL = 32768
"""A role that counts before a colon or in the cell before only: "Protokoll: Muster"."""
SUBJECT = 65536
"""A field that may hold something else than a name."""
ABBREVIATED = 16384
"""May be written with a full stop that is a token of its own: "Sr. Anna"."""
PLURAL = 128
"""Salutations and titles of several people: names may follow with commas between them."""
PARTICLE = 256
"""Not a trigger: a small word that may stand inside a name."""

_WORDS = {
    SALUTE: "herr herrn herren hr. hr hrn. frau fr. fr frauen fräulein frl familie fam. ehepaar eheleute eheleuten",
    PLURAL: """
        herren frauen dres. drs profs. operateure untersucher ärzte kinder kindern eltern söhne töchter enkel enkeln
        geschwister geschwistern ehepaar eheleute brüder schwestern zwillinge zwillingen drillinge enkelkinder
        enkelkindern mädchen buben söhnen töchtern nichten schwiegereltern
    """,
    TITLE: """
        dr. dr dres. dr.med. prof. prof profs. professor professors professorin doktor pd priv.-doz. privatdozent
        privatdozentin doz. doz ddr. mudr. mudr mag. mag.a med. habil. h.c. dent. rer. nat. phil. univ.-prof.
        univ.-doz. prim dipl. dipl pharm. pharm ddr drs
        dipl.-psych. dipl.-psych dipl.-med dott dott. dipl.-med. dipl.-ing dipl.-päd
    """,
    KIN: """
        ehemann ehemanns ehefrau exmann exfrau ex-mann ex-frau gatte gatten gattin tochter töchter sohn sohnes sohne
        söhne kinder kindern mutter vater vaters eltern bruder bruders brüder schwester schwestern geschwister
        geschwistern enkel enkelin enkeln enkelsohn enkeltochter enkelkind urenkel urenkelin lebensgefährte
        lebensgefährten lebensgefährtin lebenspartner lebenspartnerin partner partnerin verlobte verlobter
        schwiegertochter schwiegersohn schwiegermutter schwiegervater schwager schwägerin stiefsohn stieftochter
        stiefvater stiefmutter halbbruder halbschwester zwillingsbruder zwillingsschwester pflegetochter pflegesohn
        pflegemutter patenkind patentante patenonkel nichte neffe neffen nichten onkel tante cousin cousine
        großmutter großvater urgroßmutter urgroßvater uroma uropa zwillinge zwillingen drillinge enkelkinder
        enkelkindern mädchen buben söhnen töchtern schwagers freundes freunds nachbarn nachbars schwiegersohnes
        schwiegersohns schwiegereltern ehem ehefr lebensgef kumpel kumpels mitbewohner mitbewohnerin oma opa mann
        nachbar nachbarin freund freundin bekannte bekannter betreuer betreuerin zwilling
        vormund witwe witwer kd angehörige angehöriger ansprechpartner ansprechpartnerin bezugsperson
    """,
    ROLE: """
        hausarzt hausärztin ha oa oä ca cä ass stä sta oberarzt oberärztin chefarzt chefärztin assistenzarzt
        assistenzärztin turnusarzt turnusärztin stationsarzt stationsärztin dienstarzt pfleger pfl sr schw.
        schw pat. patient patientin patienten kollege kollegen kollegin untersucher untersucherin operateur
        operateurin operateure arzt ärztin zahnarzt zahnärztin kinderarzt kinderärztin augenarzt augenärztin
        hautarzt hautärztin frauenarzt frauenärztin betriebsarzt betriebsärztin werksarzt amtsarzt hno-arzt nervenarzt
        notarzt notärztin rettungsassistent rettungsnotfallsanitäter nfs internist internistin
        kardiologe kardiologin neurologe neurologin urologe urologin pneumologe pneumologin gynäkologe gynäkologin
        onkologe onkologin orthopäde orthopädin chirurg chirurgin radiologe radiologin psychiater psychiaterin
        anästhesist anästhesistin facharzt fachärztin hebamme therapeut therapeutin psychotherapeut psychotherapeutin
        psychologe psychologin schwester logopädin logopäde physiotherapeut physiotherapeutin ergotherapeut
        ergotherapeutin sozialarbeiter sozialarbeiterin diätassistentin mta mtra rta mfa ota ata pj pjler famulus
        famulant assistenz assistent assistentin assistenten instrumentierung instr springer anästhesie
        zuweiser zuweiserin einweiser überweiser einsender einsenderin vertreter vertreterin behandler behandlerin
        dgkp dgks protokoll protokollführer protokollführerin chefarztsekretariat wbl pdl stationsleitung
        bezugspflege bezugstherapeut bezugstherapeutin pflege anwesend entschuldigt teilnehmer
        anä narkose rettungssanitäter rettungssanitäterin notfallsanitäter notfallsanitäterin notsan rettungssan
        sani sanitäter sanitäterin zivi zivildiener fahrer leitung moderation befunder dolmetscher dolmetscherin dolm
        logo physio ergo hospitant hospitantin gast gäste vorsitz protokollant protokollantin schriftführer
        schriftführerin hebammen nachtwache nachtdienst spätdienst frühdienst tagdienst dienst arzthelferin
        sprechstundenhilfe helferin sekundararzt famulantin sanitätsass
    """,
    LABEL: """
        op protokoll protokollführer protokollführerin anästhesie pflege anwesend entschuldigt teilnehmer springer
        bezugspflege assistenz instrumentierung instr einsender einsenderin zuweiser zuweiserin ra pj behandler
        anä narkose fahrer leitung moderation befunder logo physio ergo gast gäste vorsitz nachtdienst spätdienst
        frühdienst tagdienst dienst
    """,
    SUBJECT: "betrifft betr betreff fall",
    CIVIL: """
        rechtsanwalt rechtsanwältin ra rain richter richterin pfarrer pfr pfarrerin pastor pastorin diakon lehrer
        lehrerin klassenlehrer klassenlehrerin zeuge zeugin notar notarin pom pok phm phk khk kok pk dsa
        polizist polizistin insp revinsp grinsp bezinsp kommandant wachtmeister kommissar kommissarin dechant kaplan
        vikar vikarin trainer trainerin vermieter vermieterin hausmeister mesner küster schulleiter schulleiterin
        erzieher erzieherin sachbearbeiter sachbearbeiterin berufsbetreuer berufsbetreuerin rechtspfleger
        rechtspflegerin anwalt anwältin bürgermeister mitpatient mitpatientin mitpat zimmernachbar
        zimmernachbarin pfarrers notars vermieters
    """,
    FIELD: """
        name vorname nachname familienname zuname geburtsname mädchenname rufname namen pat pat. patient patientin
        patientenname patient/in versicherter versicherte bewohner bewohnerin rehabilitand rehabilitandin verstorbener
        verstorbene klient klientin ratsuchende ratsuchender betrifft betr betreff fall kind säugling neugeborenes
    """,
    SIGNED: "gez. gez gezeichnet unterzeichnet",
    DICTATED: """
        diktat dikt diktiert geschr geschrieben schreibb schreibbüro schreibkraft freigabe freigegeben
        freigeg vidiert validiert signiert gegengelesen handz hz unterschr korrigiert
    """,
    BIRTH: "geb. geb geboren geborene geborener *",
    BORN: "geb. geb geborene geborener geborenen verw verwitwete vormals alias geburtsname mädchenname",
    CALLED: "genannt gen rufname spitzname namens hieß hiess heißt heisst lautete auch nennt nennen gerufen nannten",
    AGENT: """
        durch laut lt übergabe übernahme rücksprache rückspr absprache telefonat übergeben übernimmt hausbesuch
        vertretung verfasst erstellt lieber liebe hallo
    """,
    MAY_CLOSE: """
        mit hochachtungsvoll freundliche freundlichen mfg beste viele herzliche herzlichen herzlichst liebe lieben
        schöne schönen gruß grüße gruss grüsse vlg lg danke
    """,
    PARTICLE: " ".join((*PARTICLES, "v.", "d.", "v", "af")),
}
_WORDS[ABBREVIATED] = """
    frl sr schw pfl ass koll instr rettungsass dikt geschr schreibb freigeg unterschr handz hz verw gen betr pat hr fr
    gez prim ddr drs dipl.-ing dipl.-päd dipl.-psych dipl.-med dott pfr ehem ehefr lebensgef dolm insp revinsp
    grinsp bezinsp mitpat notsan rettungssan sanitätsass lt rückspr anä
"""
_PRIMARY = frozenset(("prim", "PRIM"))
"""Primarily; a head physician in Austria is "Prim."."""
_ON_BEHALF = frozenset("i.A. I.A. i.V. ppa.".split())
"""Not "i.v.": that is how an infusion is given."""
_IN_CAPITALS = {"NA": ROLE, "RS": ROLE, "RTW": ROLE | LABEL, "ANÄ": ROLE | LABEL, "RTA": ROLE, "MTLA": ROLE | LABEL}
"""Staff of an ambulance or theatre; in other letters these are words or measures."""
_COMPOUND = re.compile(
    r"\w{3,}(?:arzt|ärztin|schwester|pfleger|pflegerin|therapeut|therapeutin|assistent|assistentin|anwalt|anwältin"
    r"|lehrer|lehrerin|trainer|trainerin|leiter|leiterin|betreuer|betreuerin|helferin|sanitäter|sanitäterin|kommissar"
    r"|kommissarin|inspektor|inspektorin|pfarrer|seelsorger|seelsorgerin|chef|chefin)s?",
    re.IGNORECASE,
)
"""Compounds of roles that no list needs to have: "Bezirksinspektor", "Wundschwester"."""
_LAST_OF_COMPOUNDS = frozenset("zt in er ut nt lt ar or ef ts ns rs fs".split())
"""Their last two letters, which are asked first: of a word that ends otherwise the expression tries every letter."""
_MEDICAL = re.compile(
    r"(?:arzt|ärztin|schwester|(?:pfleger|therapeut|assistent|sanitäter)(?:in)?|helferin)s?$", re.IGNORECASE
)
_INITIAL = re.compile(r"[A-ZÄÖÜ]\.")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})")
GLUED_SALUTE = re.compile(
    r"(?:Herrn?|Frau|Fr|Hr|Sohn|Tochter|Bruder|Schwester|Mutter|Vater|Ehefrau|Ehemann|Tante|Onkel|Pfleger|Sr)"
    r"(?=[A-ZÄÖÜ][a-zäöüßé]{2})"
)
_BY_WORD = bits_by_word(_WORDS)

NOT_A_NAME = frozenset(
    """
    kollege kollegen kollegin kolleginnen doktor professor direktor patient patientin patienten oberarzt oberärztin
    chefarzt chefärztin privatdozent pfarrer schwester damen herren ihr ihre ihren und sehr jun sen jun. sen.
    """.split()
)
"""Words that stand where a name could: "Sehr geehrte Frau Kollegin"."""
ALSO_SURNAMES = frozenset(
    "mann richter springer pfleger lehrer freund pastor notar küster kaplan dechant gast anwalt kommissar".split()
)
"""Triggers that many people are called."""


@lru_cache(8192)
def trigger_bits(word: str) -> int:
    """The bits of a word; a particle counts in small letters only."""
    if word in _ON_BEHALF:
        return SIGNED
    bits = 0 if word in _PRIMARY else _BY_WORD.get(word.lower(), 0) | _IN_CAPITALS.get(word, 0)
    return (bits & ~PARTICLE if word[0].isupper() else bits) if bits else _shape_bits(word)


def _shape_bits(word: str) -> int:
    """The bits of a word that is on no list, by its shape."""
    if _DATE.fullmatch(word):
        return DATED
    if _INITIAL.fullmatch(word):
        return INITIAL
    if GLUED_SALUTE.match(word):
        return GLUED
    last = word[-2:]
    if (last.lower() in _LAST_OF_COMPOUNDS or not last.isascii()) and _COMPOUND.fullmatch(word):
        return ROLE if _MEDICAL.search(word) else CIVIL
    return 0
