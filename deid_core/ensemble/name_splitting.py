"""Makes each span of a person one name: "Kim und Ali" becomes two spans, "Muster, Anna" one.

Initials of two people ("Mu-kb") become two spans as well. A surname and the given name or initial after its comma
become one, unless the comma is one of a list of surnames. "i. A." and "i. V." before a signature are cut: they are no
initials. So is the greeting of "Lieber Kim,". A comma goes from the end of a name, and a full stop after a listed one,
which ends the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.core.word_lists import word_set
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import GIVEN_NAME, listed_names, word_flags
from deid_core.text.vocabulary import Vocabulary

PARTICLES = word_set("pattern/name-particles")
_AND = re.compile(r"(?<=[^\W\d_]{2})[ \t]+(?P<word>und|u\.?|UND)[ \t]+(?!zu\b|ZU\b)(?=[^\W\d_](?:[^\W\d_]|\.))")
"""Between two names: "Kim und Ali", "Sahin u. Koch", but not in "von und zu Muster"."""
_SIGNS = re.compile(r"(?P<dictated>[^\W\d_]{1,3})-(?P<typed>[a-zäöüß]{1,3})")
"""Initials of who dictated a letter and of who typed it: "Mu-kb"."""
_SIGNED_FOR = re.compile(r"(?<!\w)(?P<mark>i\.[ \t]?[AV]\b\.?)[ \t]*")
"""Im Auftrag, in Vertretung."""
_GREETING = re.compile(r"Liebe[rs]?[ \t]+(?=\w)")
_GREETED = re.compile(r"[ \t]?[,!][ \t]*(?:\n[ \t]*(?:\n|[a-zäöü]|\Z)|\Z)")
"""After a greeting and a name, which begin a letter: Lieber is a surname as well."""
_COMMA = ", "
_INITIAL = re.compile(r"[^\W\d_]\.")
_ABBREVIATION = 3
"""So many letters before a full stop may shorten a longer name, though a list has them: "Max."."""


class NameSplitter:
    """Splits and joins spans of persons in documents of one vocabulary."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._flags = word_flags(gazetteer, vocabulary)

    def one_name_each(self, text: str, spans: Sequence[Span], cut: list[Span]) -> list[Span]:
        """Return the spans, each of one name and without the comma or the sentence's full stop after it.

        cut: gets what is cut.
        """
        result: list[Span] = []
        for span in spans:
            if span.label is not Label.PER:
                result.append(span)
                continue
            if signed_for := _SIGNED_FOR.search(text, max(span.start - 4, 0), span.end + 4):
                if signed_for.start() <= span.start < signed_for.end():
                    cut.append(span._replace(end=min(span.end, signed_for.end("mark"))))
                    if signed_for.end() >= span.end:
                        continue
                    span = span._replace(start=signed_for.end())
            greeting = _GREETING.match(text, span.start, span.end)
            if greeting and _begins_letter(text, span.start) and _GREETED.match(text, span.end):
                cut.append(span._replace(end=span.start + len(greeting.group().rstrip())))
                span = span._replace(start=greeting.end())
            if result and self._is_one_name(text, result, span):
                result[-1] = result[-1]._replace(end=span.end)
                continue
            *names, last = _names_in(text, span, cut)
            if self._ends_with_mark(text, last):
                cut.append(last._replace(start=last.end - 1))
                last = last._replace(end=last.end - 1)
            result += [*names, last]
        return result

    def _is_one_name(self, text: str, before: Sequence[Span], span: Span) -> bool:
        """Whether a surname ends the spans before, and this span is the given name or initial after its comma."""
        last = before[-1]
        if last.label is not Label.PER or text[last.end : span.start] != _COMMA:
            return False
        surname, given_names = _words(text[last.start : last.end])[-1:], _words(text[span.start : span.end])
        is_in_list = len(before) > 1 and text[before[-2].end : last.start] == _COMMA
        if is_in_list or not (surname and given_names) or _INITIAL.fullmatch(surname[0]):
            return False
        return not self._is_given_name(surname[0]) and all(
            _INITIAL.fullmatch(word) or word in PARTICLES or self._is_given_name(word) for word in given_names
        )

    def _ends_with_mark(self, text: str, name: Span) -> bool:
        """Whether a comma ends the span, or the full stop of a sentence: after "Renate" it is one, after "Ren" not."""
        mark = text[name.end - 1]
        if mark not in ",." or name.start + 1 == name.end:
            return False
        word = _words(text[name.start : name.end - 1])[-1:]
        return mark == "," or bool(word and len(word[0]) > _ABBREVIATION and listed_names(self._flags, word[0]))

    def _is_given_name(self, word: str) -> bool:
        return bool(listed_names(self._flags, word) & GIVEN_NAME)


def _begins_letter(text: str, start: int) -> bool:
    """Whether the text or an empty line is before a place."""
    return not text[:start].rstrip(" \t").removesuffix("\n").rstrip(" \t").rpartition("\n")[2]


def _names_in(text: str, span: Span, cut: list[Span]) -> list[Span]:
    """Return the names of a span, which "und" or the hyphen between two people's initials separates."""
    names = [span]
    if signs := _SIGNS.fullmatch(text, span.start, span.end):
        names = [span._replace(end=signs.end("dictated")), span._replace(start=signs.start("typed"))]
    while pair := _AND.search(text, names[-1].start, names[-1].end):
        last = names.pop()
        names += [last._replace(end=pair.start()), last._replace(start=pair.end())]
        cut.append(last._replace(start=pair.start("word"), end=pair.end("word")))
    return names


def _words(text: str) -> list[str]:
    """Return the words of a name; a double name has two."""
    return text.replace("-", " ").split()
