"""Head words of institutions' names: "Klinik", "Krankenkasse", "Bäckerei", and compounds that end in one.

A head word is recognised by its ending, in any case and inflection. A compound whose first part is no generic word is
a name by itself: "Rheintalklinik", but not "Augenklinik".
"""

from __future__ import annotations

from collections.abc import Set

from deid_core.recognisers.institution import flags, lists

_INFLECTIONS = ("", "s", "es", "en", "n", "e")
_IRREGULAR = {"krankenhäuser": "krankenhaus", "krankenhäusern": "krankenhaus", "zentren": "zentrum"}
_HEADS = {
    head + ending: flag
    for heads, flag in (
        (lists.ORGANISATION_HEADS, flags.ORGANISATION),
        (lists.BUSINESS_HEADS, flags.ORGANISATION | flags.BUSINESS),
        (lists.HOSPITAL_HEADS, flags.HOSPITAL),
        (lists.STRONG_HEADS, flags.HOSPITAL | flags.STRONG),
    )
    for head in heads.split()
    for ending in _INFLECTIONS
}
_HEADS |= {form: _HEADS[head] for form, head in _IRREGULAR.items()}
_FEWEST_LETTERS = min(map(len, _HEADS))
_BY_LAST: dict[str, list[str]] = {}
"""The heads in all their forms, thousands, by their last letters; those that have the same, the longest first."""
for _head in sorted(_HEADS, key=lambda head: (-len(head), head)):
    _BY_LAST.setdefault(_head[-_FEWEST_LETTERS:], []).append(_head)
_WHOLE_WORDS = frozenset(
    """
    reha fa. firma elektro taxi veb lpg raw konsum werft werke pension uni hotel zeche grube pia häusliche marina
    volkseigenen schule gemeinde institut stift residenz physio physiotherapie café imbiss stiftung verlag werkstatt
    fabrik apotheke polizei chor verein theater optik akustik möbel agrar schacht hosp hosp. inst. diakonie
    konsulat bistro logistik orchester magistrat
    """.split()
)
"""Heads that are too common as an ending ("Suspension", "Bundeswerke"): the whole word, or behind a hyphen."""
_WHOLE_FORMS = frozenset(word + ending for word in _WHOLE_WORDS for ending in _INFLECTIONS)
_MAY_BE_ENDINGS = frozenset("apotheke werft stift zeche fabrik hotel residenz verlag schule".split())
"""Of these, those that end a compound all the same."""
_MAY_NAME_ITSELF = (
    "klinik", "klinikum", "krankenhaus", "hospital", "spital", "krankenkasse", "gymnasium", "werft", "apotheke",
    "schule", "grundschule", "sparkasse", "gemeinde", "berufsgenossenschaft",
)  # fmt: skip
"""Before these any stem that is not generic makes a name; before others it must be a listed name."""

_CALLED = ("schule", "gymnasium", "apotheke", "berufsgenossenschaft", "gemeinde", "sparkasse")
"""What stands before these and a hyphen is a name, common word or not: "Löwen-Apotheke"."""
_GENERIC_STEMS = frozenset(
    """
    uni universitäts kreis stadt dorf wald pfarr kirchen krankenpflege rücken fahr hebammen
    städtische landes land bezirks zentral fach allgemein kinder lehr bundeswehr privat
    akut reha rehabilitations kur tages nacht poli augen frauen haut zahn tier partner spezial beleg ambulanz heimat
    haus betriebs orts ersatz innungs pflege unfall renten kranken haftpflicht lebens sozial zusatz gesundheits
    senioren alten herz gefäß lungen thorax schmerz gelenk brust darm tumor krebs dialyse schlaf trauma
    kopf hals nasen ohren hno mkg bg ent ct mrt praxis gemeinschafts facharzt hausarzt arzt rechen einkaufs sprach
    eltern mutter diakonissen haupt neben voll teil zweit ur vor nach erst herkunfts heim reserve feld militär schul
    maximal grund regel schwerpunkt medizin gast not versand online krankenhaus klinik internet stamm hafen schiffs
    """.split()
)
_GENERIC_ROOTS = tuple(
    """
    kardio neuro gastro radio ortho psych chirurg uro gynäk derma nephro onko hämato pneumo rheuma dialys diabet
    geriatr pädiatr anästhes intensiv notfall rehabilit strahlen nuklear transplant gefäß herz lungen thorax wirbel
    unfall epilep palliativ akut univ röntgen endo viszeral
    """.split()
)
_GENERIC_ENDINGS = ("ologie", "ologien", "iatrie", "chirurgie", "medizin", "pädie", "therapie", "diagnostik")
_LINKS = ("", "s", "n", "en", "es", "e", "er")
_LANDSCAPES = ("tal", "thal", "wald", "see", "berg", "burg", "gau")
_MIN_LANDSCAPE = 5
"""Letters of a listed common word that names a clinic if it is a landscape's: Rheintalklinik."""


def head_of(lower: str) -> str:
    """The longest head word that a word in small letters ends with, "" if there is none."""
    return next(filter(lower.endswith, _BY_LAST.get(lower[-_FEWEST_LETTERS:], ())), "")


class HeadWords:
    """Reads head words; places and persons are as lists write them, common and medical words in small letters."""

    def __init__(self, places: Set[str], persons: Set[str], common: Set[str], medical: Set[str]) -> None:
        self._places, self._persons, self._common, self._medical = places, persons, common, medical

    def bits(self, lower: str, word: str) -> int:
        """The bits of a head word or of a compound with one, 0 for any other word."""
        parts = lower.split("-")
        if parts[-1] == "haus" and len(parts) > 1 and any(part.capitalize() in self._persons for part in parts[:-1]):
            return flags.HOSPITAL | flags.NAMED
        if len(parts) > 1 and parts[-1].endswith(_CALLED) and not any(self._generic(part) for part in parts[:-1]):
            return (flags.HOSPITAL if parts[-1].endswith("apotheke") else flags.ORGANISATION) | flags.NAMED
        head = head_of(lower)
        if not head:
            return 0
        flag = _HEADS[head]
        if head in _WHOLE_FORMS and head not in _MAY_BE_ENDINGS and parts[-1] != head:
            return 0
        stems = [part for part in lower[: -len(head)].split("-") if part]
        free = head.startswith(_MAY_NAME_ITSELF)
        shouted = word.isupper()
        if any(self._names(stem, word, free=free, shouted=shouted) for stem in stems):
            flag |= flags.NAMED
        elif stems and not (flag & flags.ORGANISATION) and not all(self._generic(stem) for stem in stems) and not free:
            return 0 if head.startswith(("stift", "reha", "physio")) else flag
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
        """Whether the part before a head word says of what kind it is and not its name: "augen", "kardio"."""
        forms = {stem.removesuffix(link) for link in _LINKS}
        return (
            not forms.isdisjoint(_GENERIC_STEMS)
            or not forms.isdisjoint(self._medical)
            or stem.startswith(_GENERIC_ROOTS)
            or any(form.endswith(_GENERIC_ENDINGS) for form in forms)
        )
