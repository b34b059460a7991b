"""Rules of the group `date` for feasts of the German-speaking countries and of several religions: Kirchweih, Tet.

A feast that has no other meaning is a date by itself ("seit Ostern"). One that is also a person's name (Silvester,
Josefi) needs a word of time before it or a year after it.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import DAY_MONTH, FULL_DATE, NAMED_YEAR, NO_PERSON, B
from deid_core.recognisers.pattern.next_token import DATE_LETTERS
from deid_core.recognisers.pattern.rule import PatternRule

_DAYS = rf"(?:{alternatives('pattern/feast-day-suffixes')}|feiertage?n?)?s?"
"""The second part of a compound with a feast, and a case ending."""
_FEASTS = alternatives("pattern/feasts")
_FEAST = rf"""
    (?i:{_FEASTS}|weihnacht(?:en|s(?:fest|tag|feiertage?n?|ferien|zeit|abend|woche|markt|urlaub|feier)s?)?
    |stephans?tage?s?|stef(?:ans?|ani)tage?s?|(?:oster|pfingst)(?:n|en|{_DAYS})(?<!oster)(?<!pfingst)
    |(?:christi-?)?auffahrts?(?:tag|wochenende)?s?|fronleichnams?(?:tag)?e?s?|nikolaustage?s?
    |faschings{_DAYS}(?<!faschings)|karnevals{_DAYS}(?<!karnevals)|(?:(?:alt)?weiber|buren)?(?:fastnacht|fasnacht
    |fasnet|fasnat){_DAYS}|muttertage?s?|vatertage?s?|valentinstage?s?|martinstage?s?|barbaratage?s?|dreikönig(?:en?
    |s|s?tag)?s?|(?:bu(?:ß|ss)-?)?bettage?s?|bu(?:ß|ss)tage?s?|volkstrauertage?s?|reformations(?:tag|fest)e?s?
    |ernte-?dank(?:fest|sonntag|tag)?e?s?|(?:national|staats|bundes)feiertage?s?|(?:sommer|orts|dorf|stadt
    |feuerwehr)?(?:kirchweih|kirmes|kerwe|kirtag|kirta|kilbi|chilbi){_DAYS}|kirchweih{_DAYS}|schützenfest(?:woche
    |montag|sonntag|samstag|wochenende)?s?|neujahrs?(?:tag|morgen|nacht|fest|abend)e?s?|(?:sommer|herbst|winter|oster
    |weihnachts|pfingst|fasching|fasnachts|sport|semester|schul)ferien|(?:advents|fasten|passions)(?:zeit|sonntage?n?
    |wochenende|samstag)|t[eếê]t-?fest(?:es)?)(?!\p{{L}}|-\p{{L}})
"""
_PERSONAL_FEAST = rf"(?i:{alternatives('pattern/feasts-that-are-names')})(?!\p{{L}}|-\p{{L}})"
_BEFORE_FEAST = rf"(?<=(?<!\p{{L}})(?i:{alternatives('pattern/words-before-feasts')}){B}?)"
_FEAST_DATE = rf"(?:,?{B}(?:(?:den|dem){B})?(?:{FULL_DATE}|{DAY_MONTH})|{B}(?:{NAMED_YEAR}(?:/\d{{2,4}}(?!\d))?))"
_NUMBERED = r"(?:[1-4]\.|(?i:(?:erst|zweit|dritt|viert)e[rnms]?))"

FEAST_RULES = (
    PatternRule(
        "date.feast",  # "seit Ostern", "Pfingstmontag, den 5.6.2017", "Weihnachten 05"
        PhiType.DATE,
        token_regex=_FEAST,
        pattern=rf"{NO_PERSON}{_FEAST}{_FEAST_DATE}?",
    ),
    PatternRule(
        "date.feast_personal",  # "an Silvester", "nach Josefi", "Fasching 2013"; without context they are names
        PhiType.DATE,
        token_regex=_PERSONAL_FEAST,
        pattern=rf"{NO_PERSON}{_PERSONAL_FEAST}{_FEAST_DATE}"
        rf"|{_BEFORE_FEAST}(?!(?i:barbara|valentin)){_PERSONAL_FEAST}"
        rf"(?:(?!{B}\p{{Lu}}\p{{Ll}})|(?<=(?<!\p{{L}})(?i:an|um|seit|zu){B}\p{{L}}{{5,10}}))",
    ),
    PatternRule(
        "date.feast_of",  # "Mariä Himmelfahrt", "Buß- und Bettag", "Tag der Deutschen Einheit", "Dienstag der Karwoche"
        PhiType.DATE,
        pattern=rf"(?:(?i:christi|mariä|maria|mariae){B}(?i:himmelfahrt|lichtme(?:ss|ß)|empfängnis|verkündigung|geburt)"
        rf"|[Tt]ag{B}der{B}(?:(?:[Dd]eutschen|dt\.){B}Einheit|Arbeit)|(?i:bu(?:ß|ss))-{B}und{B}(?i:bettag)"
        rf"|[Hh]eilige[nr]?{B}(?:[Dd]rei{B}[Kk]önigen?|[Aa]bend)|[Hh]eilig{B}[Aa]bend"
        rf"|(?:Sankt|St\.){B}(?:Martin|Nikolaus|Barbara)stag"
        rf"|(?i:(?:mon|diens|donners|frei|sams)tag|mittwoch){B}der{B}(?i:karwoche)"
        rf"|(?i:schmutzige[rn]?){B}(?i:donnerstag)|(?i:oster){B}(?=(?:19|20)\d\d))(?:{_FEAST_DATE})?",
        token_pair=(
            r"(?i:christi|mariä|mariae|maria|tag|bu(?:ß|ss)|heilige?[nr]?|sankt|st\.|montag|dienstag|mittwoch"
            r"|donnerstag|freitag|samstag|schmutzige[rn]?)",
            r"(?i:himmelfahrt|lichtme.+|empfängnis|verkündigung|geburt|der|-|drei|abend|\p{L}+stag|donnerstag)",
        ),
    ),
    PatternRule(
        "date.feast_numbered",  # "2. Advent", "am zweiten Advent", "am 1. Weihnachtsfeiertag"
        PhiType.DATE,
        pattern=rf"{_NUMBERED}{B}?(?i:advents?(?:sonntag|wochenende)?|(?:weihnachts|oster|pfingst)(?:feier)?tage?"
        rf"|fastensonntag)"
        rf"(?!\p{{L}}){_FEAST_DATE}?",
        token_pair=(rf"[1-4]|{_NUMBERED}", DATE_LETTERS),
    ),
)
