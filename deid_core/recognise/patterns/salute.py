"""Group `salute`: "part of the salutation before a name, usually refers to a gender" (seed 000, Table 8).

Herr, Frau and their forms count before a capitalised word, a title or an initial, before a colleague who is named
("Herrn Kollegen Knarzig"), or alone in a line of an address block; "eine 67-jährige Frau", "Sehr geehrter Herr
Kollege," and "Damen und Herren" do not. "Sehr geehrter" is no PHI. Small forms ("frau winter", "hr. k.") count before
any word that is not one of a list of little words.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import B
from deid_core.recognise.patterns.rule import PatternRule

_NOBODY = r"""
    (?!(?:Kolleg|Patient|Damen|Herren|Anfang|Mitte|Ende|Mutter|Vater|Tochter|Sohn|Schwester|Bruder|Gemahl|Im|In|Am
        |An|Bei|Zur|Zum|Der|Die|Das|Es|Sie|Er|Wir|Ihr|Ein|Eine|Und|Nach|Mit|Aus|Auf|Zustand|Jahrgang)(?:innen|in|en|e|s|n)?(?!\p{L}))
"""
_COLLEAGUE = rf"(?:(?:[Ll]ieb|[Vv]erehrt|[Gg]eehrt)e[rn]?{B}|OA{B}|CA{B})?Kolleg(?:en|in|e|innen)(?!\p{{L}}){B}"
_NAME = rf"""
    (?:{_COLLEAGUE})?{_NOBODY}(?:\p{{Lu}}|(?:von|van|vom|zu|zum|zur|de|da|di|del|della|der|den|ter|ten|el|al|bin|ibn|le
        |la|dr|prof|med|apl|em)(?![\p{{L}}])|v\.{B}?(?:\p{{Lu}}|d\.)
    |[xX]{{2,4}}|[*_.…]{{2,4}})
"""
_GAP = rf"(?:{B}{{1,3}}|\t|\.?/|(?<=\.))"
_ALONE = r"(?<=(?:\A|[\n\t])[ ]{0,3}(?:An[ ])?\p{Lu}\p{L}{2,5})(?=[ ]{0,3}(?:[\n\t]|\Z))"
_OTHER = rf"(?:/|{B}(?:und|u\.|&|oder){B})(?:Herrn?|Frau|Fr\.)"
_SMALL_NAME = rf"""
    (?:(?:dr|prof|med|apl|doktor|professor)(?!\p{{L}})|\p{{L}}\.(?!{B}?\p{{L}}\.)|\p{{Lu}}
    |(?!(?:und|oder|mit|hat|hatte|habe|ist|sind|war|waren|wird|wurde|sei|kam|kommt|im|in|ins|am|an|ans|auf|aus|bei|beim|zu|zur|zum|vor
    |von{B}\p{{Ll}}{{2,20}}{B}\p{{Ll}}|des|der|die|das|den|dem|ein|eine|er|sie|es|nach|nicht|nur|auch|noch|schon|seit|sich|so|wie|als|für|ohne
    |kolleg\p{{L}}{{0,4}}|berichtet|gibt|geht|will|kann|möchte|ruft|sagt|doktor|aber|wegen|dann|wohl|ja|nein|da|dort|hier|o)(?!\p{{L}}))
    \p{{Ll}}{{2,25}}(?!\p{{L}}))
"""

RULES = (
    PatternRule(
        "salute.mister",
        PhiType.SALUTE,
        r"(?:Herr|Herrn|Herren|HERR|HERRN|Hr|Hrn|Hn)\.?",
        rf"(?:(?:Herrn?|HERRN?|Hrn?|Hn)\.?|(?<!Damen{B}?(?:und|u\.|/|,|&){B}?)Herren)(?:"
        rf"(?={_OTHER}{_GAP}{_NAME})|(?={_GAP}{_NAME})|{_ALONE})",
    ),
    PatternRule(
        "salute.lady",
        PhiType.SALUTE,
        r"(?:Frau|FRAU|Frl|Fräulein)\.?",
        rf"(?<!\p{{Ll}}jährige[nr]?{B}|(?:[SsMmDd]eine[rn]?|eigene[rn]?|junge|alte){B})(?:Frau|FRAU|Frl\.?|Fräulein)(?:(?={_OTHER}{_GAP}{_NAME})|"
        rf"(?={_GAP}{_NAME})|{_ALONE})"
        rf"|(?<=\p{{Ll}}jährige[nr]?{B})Frau(?={B}{_NAME})",
    ),
    PatternRule(
        "salute.lady_short",  # "Fr." is also a Friday and a catheter's size: "6 Fr. Schleuse"
        PhiType.SALUTE,
        r"Fr\.?",
        rf"(?<!\d{B}?)Fr\.?(?={_GAP}{_NAME})",
        score=0.8,
    ),
    PatternRule("salute.family_short", PhiType.SALUTE, r"Fam\.?", rf"Fam\.?(?={B}{_NAME})", score=0.8),
    PatternRule(
        "salute.family",  # opens a line or a sentence; elsewhere it says who they are: "die Familie Müller"
        PhiType.SALUTE,
        r"Familie|Eheleute",
        rf"(?<=(?:\A|[\n\t]|[.!?:]{B}|An{B}){B}?)(?:Familie|Eheleute)(?={B}{_NAME})",
        score=0.8,
    ),
    PatternRule(
        "salute.small",  # "frau dr. winter", "herr petzold", "fr. ter horst"; not "die frau hat"
        PhiType.SALUTE,
        r"(?:herrn?|frau)|(?:hrn?|fr)\.?",
        rf"(?<!\d{B}?|(?<!\p{{L}})(?:die|der|eine[rn]?|meine[rnm]?|seine[rnm]?|ihre[rnm]?|deren|junge|alte|ältere|als|und|oder|zur|keine)"
        rf"{B}|jährige[nr]?{B})(?:herrn?|hrn?\.?|frau|fr\.?)(?={B}{_SMALL_NAME})",
        score=0.7,
    ),
    PatternRule(
        "salute.capitals",  # "FR. GROSS"; HR without a full stop is the heart's rate
        PhiType.SALUTE,
        r"(?:FR|HR)\.",
        rf"(?:FR|HR)\.(?={B}(?:\p{{Lu}}\.{B})?\p{{Lu}}{{2}})",
        score=0.7,
        before=("FR|HR", r"\p{Lu}{2,}.*|\p{Lu}\.?"),
    ),
    PatternRule(
        "salute.glued",  # "HerrKnarzig"
        PhiType.SALUTE,
        r"(?:Herrn?|Frau|Fr|Hr)\p{Lu}\p{Ll}{2,}",
        r"Herrn?|Frau|Fr|Hr",
        score=0.7,
    ),
    PatternRule("salute.english", PhiType.SALUTE, r"Mr|Mrs|Ms|Mme", rf"(?:Mrs?|Ms|Mme)\.?(?={B}{_NAME})", score=0.8),
)
