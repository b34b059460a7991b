"""Presidio with German patterns, as a user of Presidio would set it up: recognisers of one expression and a context.

The spaCy pipeline is blank, a tokeniser without a model, so no names are found but those after a salutation or title.
That is the fast way to use Presidio; lists of names (Presidio's deny lists) or a model find more and take longer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import regex

_LANGUAGE = "de"
_MONTH = (
    r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jan\.|Feb\.|Apr\.|Aug\.|Sept?\.|Okt\.|Nov\.|Dez\.)"
)
_NAME = r"[A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ][a-zäöüß]+)?"
_TITLES = r"(?:(?:Prof\.|PD|Priv\.-Doz\.|Dr\.|med\.|rer\.|nat\.)\s?)"
# Entity → its expressions with their scores, and words around it that raise the score.
_PATTERNS: dict[str, tuple[dict[str, float], list[str]]] = {
    "DATE_TIME": (
        {
            r"\b\d{1,2}\.\s?\d{1,2}\.(?:\s?(?:19|20)?\d\d\b)?": 0.8,
            rf"\b\d{{1,2}}\.\s?{_MONTH}(?:\s?\d{{4}})?": 0.9,
            rf"\b{_MONTH}\s\d{{4}}\b": 0.8,
            r"\b(?:0?[1-9]|1[0-2])/(?:19|20)\d\d\b": 0.7,
            r"\b(?:19|20)\d\d-\d\d-\d\d\b": 0.9,
        },
        ["geb", "geboren", "am", "vom", "seit"],
    ),
    "PHONE_NUMBER": (
        {r"(?:\+49|\b0049|\b0)[\s(]?\d{1,5}\)?[\s/-]{0,3}\d{2,}(?:[\s/-]\d{1,6}){0,4}\b": 0.6},
        ["tel", "telefon", "fax", "mobil", "durchwahl"],
    ),
    "POSTCODE": ({r"\b(?:D-)?\d{5}(?=\s+[A-ZÄÖÜ][a-zäöüß])": 0.6}, ["wohnhaft", "str", "straße"]),
    "STREET": (
        {r"\b[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|str\.|weg|gasse|platz|allee)\s\d{1,3}\s?[a-z]?\b": 0.8},
        ["wohnhaft"],
    ),
    "EMAIL_ADDRESS": ({r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b": 1.0}, []),
    "URL": ({r"(?:https?://|www\.)[^\s,;]+": 0.9}, []),
    "ID": (
        {r"\b[A-Z]\d{9}\b": 0.8, r"(?<=(?:Nr|nummer|ID)[.:]{0,2}\s{1,2})\d{5,12}\b": 0.7},
        ["versicherung", "fall", "patient", "aufnahme"],
    ),
    "PERSON": (
        {
            rf"(?<=\b(?:Herrn?|Frau|Hr\.|Fr\.)\s){_TITLES}*{_NAME}(?:\s{_NAME})?": 0.85,
            rf"(?<={_TITLES}){_NAME}(?:\s{_NAME})?": 0.85,
        },
        [],
    ),
    "SALUTATION": ({rf"\b(?:Herrn?|Frau|Hr\.|Fr\.)(?=\s(?:{_TITLES}|{_NAME}))": 0.8}, []),
    "TITLE": ({rf"\b{_TITLES}+": 0.7}, []),
}


def presidio(lists: Mapping[str, Sequence[str]]) -> Callable[[str], list[tuple[int, int]]]:
    """A function that gives the [start, end) of all that Presidio finds in a text.

    lists: entity → words that are always one, e.g. {"PERSON": ["Muster"]}; may be empty.
    Raises ImportError without the extra `bench`.
    """
    import spacy
    from presidio_analyzer import AnalyzerEngine, Pattern, PatternRecognizer, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    # Names begin with a capital; Presidio's default ignores case.
    common = {"supported_language": _LANGUAGE, "global_regex_flags": regex.MULTILINE | regex.DOTALL}
    registry = RecognizerRegistry(supported_languages=[_LANGUAGE])
    for entity, (expressions, context) in _PATTERNS.items():
        patterns = [Pattern(entity.lower(), expression, score) for expression, score in expressions.items()]
        registry.add_recognizer(PatternRecognizer(entity, patterns=patterns, context=context or None, **common))
    for entity, words in lists.items():
        registry.add_recognizer(PatternRecognizer(entity, deny_list=list(words), name=f"{entity} list", **common))
    pipeline = SpacyNlpEngine(models=[{"lang_code": _LANGUAGE, "model_name": "blank"}])
    # Given as it is, not loaded by its name: that would download a model.
    pipeline.nlp = {_LANGUAGE: spacy.blank(_LANGUAGE)}
    analyzer = AnalyzerEngine(registry, pipeline, supported_languages=[_LANGUAGE])
    return lambda text: [(result.start, result.end) for result in analyzer.analyze(text, _LANGUAGE)]


@cache
def presidio_with_patterns() -> Callable[[str], list[tuple[int, int]]]:
    """`presidio` without lists; one for each process, as Spark's workers want it."""
    return presidio({})
