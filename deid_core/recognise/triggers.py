"""Words that announce a name, as bits of a word type; data of the recogniser `context`."""

from __future__ import annotations

SALUTE = 1
TITLE = 2
KIN = 4
ROLE = 8
SIGNED = 16
BIRTH = 32
ANY_TRIGGER = 63
PARTICLE = 64
"""Not a trigger: a small word that may stand inside a name."""

_WORDS = {
    SALUTE: "herr herrn hr. hrn. frau fr. fräulein familie fam. eheleute",
    TITLE: """
        dr. dres. dr.med. prof. professor professorin pd priv.-doz. privatdozent privatdozentin doz. mudr. mag. med.
        habil. h.c. dent. rer. nat. phil. univ.-prof. dipl.-psych. dipl.-med.
    """,
    KIN: """
        ehemann ehemanns ehefrau tochter sohn sohnes mutter vater bruder schwester enkel enkelin lebensgefährte
        lebensgefährtin lebenspartner lebenspartnerin partner partnerin schwiegertochter schwiegersohn nichte neffe
        onkel tante betreuer betreuerin
    """,
    ROLE: """
        hausarzt hausärztin oa oä ca oberarzt oberärztin chefarzt chefärztin assistenzarzt assistenzärztin stationsarzt
        stationsärztin pfleger patient patientin patienten pat. kollege kollegen kollegin untersucher untersucherin
        operateur operateurin arzt ärztin notarzt internist internistin kardiologe kardiologin name diktat diktiert
    """,
    SIGNED: "gez. gezeichnet i.a. i.v. unterzeichnet",
    BIRTH: "geb. geb geboren geborene geborener *",
    PARTICLE: "von vom van zu zur zum de del della der den di da dos du la le al el bin ben ibn ter ten",
}
_BY_WORD = {
    word: sum(bit for bit, words in _WORDS.items() if word in words.split())
    for words_of in _WORDS.values()
    for word in words_of.split()
}

NOT_A_NAME = frozenset(
    """
    kollege kollegen kollegin kolleginnen doktor professor direktor patient patientin patienten oberarzt oberärztin
    chefarzt chefärztin privatdozent pfarrer schwester ihr ihre ihren und sehr
    """.split()
)
"""Words that stand where a name could: "Sehr geehrte Frau Kollegin"."""


def trigger_bits(word: str) -> int:
    """The bits of a word; salutations and kinship words count with a capital only, particles without one."""
    bits = _BY_WORD.get(word.lower(), 0)
    if not bits:
        return 0
    return bits & ~PARTICLE if word[0].isupper() else bits & ~(SALUTE | KIN)
