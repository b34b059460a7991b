"""Words that announce a name, as bits of a word type; data of the recogniser `context`."""

from __future__ import annotations

import re

from deid_core.header.grammar import PARTICLES

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
ANY_TRIGGER = SALUTE | TITLE | KIN | ROLE | SIGNED | BIRTH | FIELD | DICTATED | BORN | CALLED | CIVIL | DATED | GLUED
CLOSING = 262144
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
        geschwister geschwistern ehepaar eheleute brüder schwestern
    """,
    TITLE: """
        dr. dr dres. dr.med. prof. prof profs. professor professors professorin doktor pd priv.-doz. privatdozent
        privatdozentin doz. doz ddr. mudr. mudr mag. mag.a med. habil. h.c. dent. rer. nat. phil. univ.-prof.
        univ.-doz. prim ddr drs dipl.-psych. dipl.-med. dipl.-ing dipl.-päd
    """,
    KIN: """
        ehemann ehemanns ehefrau exmann exfrau ex-mann ex-frau gatte gatten gattin tochter töchter sohn sohnes sohne
        söhne kinder kindern mutter vater vaters eltern bruder bruders brüder schwester schwestern geschwister
        geschwistern enkel enkelin enkeln enkelsohn enkeltochter enkelkind urenkel urenkelin lebensgefährte
        lebensgefährten lebensgefährtin lebenspartner lebenspartnerin partner partnerin verlobte verlobter
        schwiegertochter schwiegersohn schwiegermutter schwiegervater schwager schwägerin stiefsohn stieftochter
        stiefvater stiefmutter halbbruder halbschwester zwillingsbruder zwillingsschwester pflegetochter pflegesohn
        pflegemutter patenkind patentante patenonkel nichte neffe neffen onkel tante cousin cousine großmutter
        großvater oma opa mann nachbar nachbarin freund freundin bekannte bekannter betreuer betreuerin zwilling
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
    """,
    LABEL: """
        op protokoll protokollführer protokollführerin anästhesie pflege anwesend entschuldigt teilnehmer springer
        bezugspflege assistenz instrumentierung instr einsender einsenderin zuweiser zuweiserin ra pj behandler
    """,
    SUBJECT: "betrifft betr betreff fall",
    CIVIL: """
        rechtsanwalt rechtsanwältin ra rain richter richterin pfarrer pfr pfarrerin pastor pastorin diakon lehrer
        lehrerin klassenlehrer klassenlehrerin zeuge zeugin notar notarin pom pok phm phk khk kok dsa
        polizist polizistin
    """,
    FIELD: """
        name vorname nachname familienname zuname geburtsname mädchenname rufname namen pat pat. patient patientin
        patientenname patient/in versicherter versicherte bewohner bewohnerin rehabilitand rehabilitandin verstorbener
        verstorbene klient klientin ratsuchende ratsuchender betrifft betr betreff fall
    """,
    SIGNED: "gez. gez gezeichnet unterzeichnet",
    DICTATED: """
        diktat dikt diktiert geschr geschrieben schreibb schreibbüro schreibkraft freigabe freigegeben
        freigeg vidiert validiert signiert gegengelesen handz hz unterschr korrigiert
    """,
    BIRTH: "geb. geb geboren geborene geborener *",
    BORN: "geb. geb geborene geborener geborenen verw verwitwete vormals alias geburtsname mädchenname",
    CALLED: "genannt gen rufname spitzname",
    CLOSING: "mit hochachtungsvoll freundliche mfg beste viele herzliche liebe",
    PARTICLE: " ".join((*PARTICLES, "v.", "d.", "v", "af")),
}
_ABBREVIATED = """
    frl sr schw pfl ass koll instr rettungsass dikt geschr schreibb freigeg unterschr handz hz verw gen betr pat hr fr
    gez prim ddr drs dipl.-ing dipl.-päd pfr
"""
_PRIMARY = frozenset(("prim", "PRIM"))
"""Primarily; a head physician in Austria is "Prim."."""
_ON_BEHALF = frozenset("i.A. I.A. i.V. ppa.".split())
"""Not "i.v.": that is how an infusion is given."""
_WORDS[ABBREVIATED] = _ABBREVIATED
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})")
GLUED_SALUTE = re.compile(r"(?:Herrn?|Frau|Fr|Hr)(?=[A-ZÄÖÜ][a-zäöüßé]{2})")
_BY_WORD = {
    word: sum(bit for bit, words in _WORDS.items() if word in words.split())
    for words_of in _WORDS.values()
    for word in words_of.split()
}

NOT_A_NAME = frozenset(
    """
    kollege kollegen kollegin kolleginnen doktor professor direktor patient patientin patienten oberarzt oberärztin
    chefarzt chefärztin privatdozent pfarrer schwester damen herren ihr ihre ihren und sehr
    """.split()
)
"""Words that stand where a name could: "Sehr geehrte Frau Kollegin"."""


ALSO_SURNAMES = frozenset("mann richter springer pfleger lehrer freund pastor notar".split())
"""Triggers that many people are called."""


def trigger_bits(word: str) -> int:
    """The bits of a word; a particle counts in small letters only."""
    if word in _ON_BEHALF:
        return SIGNED
    bits = 0 if word in _PRIMARY else _BY_WORD.get(word.lower(), 0)
    if not bits:
        if _DATE.fullmatch(word):
            return DATED
        return GLUED if GLUED_SALUTE.match(word) else 0
    return bits & ~PARTICLE if word[0].isupper() else bits
