"""Words that announce a name, as bits of a word type; data of the recogniser `context`."""

from __future__ import annotations

from deid_core.header.grammar import PARTICLES

SALUTE = 1
TITLE = 2
KIN = 4
ROLE = 8
"""A function or profession; with a salutation before it ("Herrn Kollegen Müller") it is part of the address."""
SIGNED = 16
BIRTH = 32
FIELD = 64
"""The label of a form's field: a name only behind a colon."""
ANY_TRIGGER = 127
PLURAL = 128
"""Salutations and titles of several people: names may follow with commas between them."""
PARTICLE = 256
"""Not a trigger: a small word that may stand inside a name."""

_WORDS = {
    SALUTE: "herr herrn herren hr. hrn. frau fr. frauen fräulein familie fam. ehepaar eheleute eheleuten",
    PLURAL: "herren frauen dres. drs. profs. operateure untersucher ärzte",
    TITLE: """
        dr. dres. drs. dr.med. prof. profs. professor professorin pd priv.-doz. privatdozent privatdozentin doz. doz
        mudr. mudr mag. med. habil. h.c. dent. rer. nat. phil. univ.-prof. dipl.-psych. dipl.-med.
    """,
    KIN: """
        ehemann ehemanns ehefrau gatte gattin tochter töchter sohn sohnes söhne kinder mutter vater eltern bruder
        schwester geschwister enkel enkelin lebensgefährte lebensgefährtin lebenspartner lebenspartnerin partner
        partnerin verlobte verlobter schwiegertochter schwiegersohn schwiegermutter nichte neffe onkel tante cousin
        cousine großmutter großvater nachbar nachbarin freund freundin betreuer betreuerin zwilling vormund
    """,
    ROLE: """
        hausarzt hausärztin oa oä ca stä sta oberarzt oberärztin chefarzt chefärztin assistenzarzt assistenzärztin
        stationsarzt stationsärztin pfleger pat. patient patientin patienten kollege kollegen kollegin untersucher
        untersucherin operateur operateurin operateure arzt ärztin notarzt notärztin internist internistin kardiologe
        kardiologin chirurg chirurgin facharzt fachärztin hebamme therapeut therapeutin psychotherapeut
        psychotherapeutin rechtsanwalt rechtsanwältin richter richterin pfarrer pfarrerin lehrer lehrerin zeuge zeugin
        pastor schwester logopädin physiotherapeut physiotherapeutin ergotherapeutin sozialarbeiterin diktat diktiert
    """,
    FIELD: "name vorname nachname familienname zuname geburtsname mädchenname rufname namen pat patient patientin",
    SIGNED: "gez. gezeichnet i.a. i.v. unterzeichnet",
    BIRTH: "geb. geb geboren geborene geborener *",
    PARTICLE: " ".join(PARTICLES),
}
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


def trigger_bits(word: str) -> int:
    """The bits of a word; salutations and kinship words count with a capital only, particles without one."""
    bits = _BY_WORD.get(word.lower(), 0)
    if not bits:
        return 0
    return bits & ~PARTICLE if word[0].isupper() else bits & ~(SALUTE | KIN | PLURAL)
