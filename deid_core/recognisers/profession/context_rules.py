"""Rules that decide from the words around whether a word is a profession; the table is in recogniser.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deid_core.core.word_lists import word_list, word_set
from deid_core.recognisers.profession import flags
from deid_core.recognisers.profession.hyphenation import HyphenatedWord
from deid_core.text.token_line import TokenLine

_REACH = 5
"""Evidence may be so many tokens before the word."""
_RELATIVE_REACH = 12
_WORK_REACH = 8
"""Maximum tokens between "als" and a word of work."""
_FULL_LINE = 40
"""A line of so many characters may belong to a paragraph, so its sentence may continue on the next line."""
_WORKS = frozenset({"bei", "beim", "im", "in", "des", "i.r.", "i.p.", "a.d.", "auf", "am", "an"})
_AND = frozenset({"und", "u.", ",", "/", "&", "+"})
_RETIRED = frozenset({"i.R.", "i.P.", "a.D.", "iR"})
_BEFORE_HOLDERS = word_set("profession/before-office-holders")
_ADJECTIVES = frozenset(
    stem + ending for stem in word_list("profession/adjective-stems") for ending in ("", "e", "er", "en")
)


class ProfessionContext:
    """Applies the rules to the candidates of one document, from left to right.

    line: the document with ProfessionFlag values; hyphenated: hyphenated words by their first token;
    flat: the text's capitals mean nothing.
    """

    def __init__(self, line: TokenLine, hyphenated: Mapping[int, HyphenatedWord], *, flat: bool) -> None:
        self._line = line
        self._bits = line.bits
        self._breaks: Sequence[int] = line.document.tokens.breaks.data
        self._hyphenated = hyphenated
        self._flat = flat
        self._taken = -1

    def take(self, at: int) -> str | None:
        """Return the rule by which the word at `at` is a profession, None without one. Call in ascending order."""
        rule = self._rule(at)
        if rule is not None:
            hyphenated = self._hyphenated.get(at)
            self._taken = at if hyphenated is None else hyphenated.second_token
        return rule

    def _rule(self, at: int) -> str | None:
        bits = self._bits[at]
        if not (bits & flags.INITIAL_CAPITAL or self._flat):
            return "evidence" if not bits & flags.DECLINED_ADJECTIVE and self._evident(at) else None
        if bits & flags.SURE_PROFESSION and self._titled(at):
            return None
        if bits & flags.SURE_PROFESSION or (bits & flags.LISTED_PROFESSION and self.has_adjective(at)):
            return "word"
        if bits & flags.LISTED_PROFESSION and self._evident(at):
            return "evidence"
        if bits & flags.OFFICE and self._precedes_holder(at):
            return "named"
        if bits & flags.PROFESSION_FORM:
            if self._announced(at):
                return "announced"
            if self._likely(at):
                return "likely"
        return None

    def _titled(self, at: int) -> bool:
        """Return whether a salutation or title makes it a name: "Dr. Steinhauer", but not "Herr Pfarrer Muster"."""
        if at == 0 or not self._bits[at - 1] & flags.FORM_OF_ADDRESS or self._bits[at] & flags.OFFICE:
            return False
        after = at + 1
        return after >= len(self._bits) or not self._bits[after] & (flags.UNLISTED_NAME | flags.FORM_OF_ADDRESS)

    def has_adjective(self, at: int) -> bool:
        """Return whether an adjective before it is part of the profession's name: "technischer Zeichner"."""
        return at > 0 and self._line.word(at - 1).lower() in _ADJECTIVES and not self._breaks[at]

    def _evident(self, at: int) -> bool:
        """Return whether the context is evidence for a profession."""
        if at == 0 or self._bits[at - 1] & flags.FORM_OF_ADDRESS:
            return False
        if self._staff_or_subject(at):
            return False
        if self._bits[at] & flags.SURNAME_PROFESSION and self._workplace_follows(at):
            return True
        if self._bits[at] & flags.SURNAME_PROFESSION and self._second_of_double_name(at):
            return False
        if self._has_following_cue(at) or self._after_time(at) or self._joined_to_profession(at):
            return True
        for token in range(at - 1, max(-1, at - _REACH), -1):
            bits = self._bits[token]
            if self._separated(token, at):
                return False
            if bits & flags.SENTENCE_MARK:
                if self._bits[token - 1] & flags.ANNOUNCES_PROFESSION and token == at - 1 and token:
                    return True  # "pens. Hebamme"
                return False
            if token == self._taken:
                return token < at - 1
            if bits & flags.ANNOUNCES_PROFESSION or (bits & flags.COPULA and not bits & flags.RELATIVE):
                return True
            if bits & flags.LEADS_IN and self._bits[at] & flags.SURNAME_PROFESSION and token == at - 1:
                return True
            if token == at - 1 and self._of_relative(at):
                return True
            if not bits & (flags.SKIPPED | flags.CONJUNCTION | flags.LEADS_IN):
                return False
        return False

    def _announced(self, at: int) -> bool:
        """Return whether the context allows only a profession: "gelernte X", "Umschulung zum X", "als X gearbeitet"."""
        token = at - 1
        while token >= max(0, at - _REACH) and not self._separated(token, at):
            bits = self._bits[token]
            if token == self._taken:
                return token < at - 1
            if bits & flags.STRONG_CUE:
                return True
            if bits & flags.ALS:
                return token == at - 1 and self._near_work(token)
            if bits & flags.SENTENCE_MARK or not bits & (flags.SKIPPED | flags.CONJUNCTION | flags.LEADS_IN):
                return False
            token -= 1
        return False

    def _likely(self, at: int) -> bool:
        """Return whether a relative or "war", "ehemaliger" precedes: "Mutter (28, X)", "war X bei"."""
        if (
            at == 0
            or self._bits[at - 1] & flags.FORM_OF_ADDRESS
            or self._separated(at - 1, at)
            or self._is_named(at + 1)
        ):
            return False
        before = self._bits[at - 1]
        if before & flags.RELATIVE:
            return not self._word_follows(at)
        if before & (flags.ANNOUNCES_PROFESSION | flags.COPULA) and not before & (flags.RELATIVE | flags.ALS):
            return True
        if self._has_following_cue(at):
            return True
        return self._of_relative(at)

    def _near_work(self, at: int) -> bool:
        """Return whether a word of work is near "als" at `at`, in the same sentence."""
        for step in (-1, 1):
            for token in range(at + step, at + step * (_WORK_REACH + 1), step):
                if not 0 <= token < len(self._bits) or self._bits[token] & flags.SENTENCE_MARK:
                    break
                if self._bits[token] & flags.WORK_WORD:
                    return True
        return False

    def _precedes_holder(self, at: int) -> bool:
        """Return whether the name of the office's holder follows: "Dolmetscherin Frau Muster", "dem Wirt Muster"."""
        after = at + 1
        while after < min(at + 3, len(self._bits)) and self._line.word(after) in (".", "("):
            after += 1
        if after >= len(self._bits) or self._breaks[after]:
            return False
        if not self._bits[after] & (flags.FORM_OF_ADDRESS | flags.UNLISTED_NAME):
            return False
        if not self._bits[at] & flags.SURNAME_PROFESSION:
            return True
        if at == 0 or self._breaks[at]:
            return False
        return self._line.word(at - 1).lower() in _BEFORE_HOLDERS or self._line.word(at - 1) == "("

    def _staff_or_subject(self, at: int) -> bool:
        """Return whether a name or subject follows, as for staff: "Sozialarbeiterin Frau Muster", "Ärztin für …"."""
        if at + 1 >= len(self._bits):
            return False
        if self._bits[at + 1] & flags.FORM_OF_ADDRESS or self._line.word(at + 1) == "für":
            return True
        return (
            bool(self._bits[at] & flags.STAFF_PROFESSION)
            and self._is_named(at + 1)
            and not self._bits[at - 1] & flags.ANNOUNCES_PROFESSION
        )

    def _is_named(self, after: int) -> bool:
        """Return whether there may be a name at `after`, on the same line."""
        if after >= len(self._bits) or self._breaks[after]:
            return False
        return bool(self._bits[after] & flags.UNLISTED_NAME)

    def _second_of_double_name(self, at: int) -> bool:
        """Return whether the word is the second part of a double name: "W.-Koch"."""
        return self._line.word(at - 1) == "-" and self._line.glued(at)

    def _after_time(self, at: int) -> bool:
        """Return whether a time or an age precedes: "danach X", "ab 1952 X", "57 J., X"."""
        if at == 0 or self._breaks[at] or self._is_named(at + 1):
            return False
        before, earlier = self._bits[at - 1], self._bits[at - 2] if at > 1 else 0
        if before & flags.TIME_ADVERB or (before & flags.YEAR_NUMBER and earlier & flags.YEAR_PREPOSITION):
            return True
        return self._line.word(at - 1) in ",(" and bool(earlier & (flags.PATIENT_WORD | flags.AGE_WORD))

    def _joined_to_profession(self, at: int) -> bool:
        """Return whether a conjunction and a sure profession follow: "Koch und Landwirt"."""
        if at + 2 >= len(self._bits) or self._breaks[at + 1] or self._bits[at - 1] & flags.INITIAL_CAPITAL:
            return False
        written = self._flat or self._bits[at] & flags.INITIAL_CAPITAL
        return bool(written and self._bits[at + 2] & flags.SURE_PROFESSION and self._line.word(at + 1) in _AND)

    def _workplace_follows(self, at: int) -> bool:
        """Return whether "bei", "im" or "i. R." follows, and no capitalised word precedes: ", Koch im Gasthof"."""
        if at + 1 >= len(self._bits) or self._line.word(at + 1).lower() not in _WORKS:
            return False
        return not self._bits[at - 1] & flags.INITIAL_CAPITAL and not self._separated(at - 1, at)

    def _has_following_cue(self, at: int) -> bool:
        """Return whether a word for becoming, being or retiring follows: "X werden", "X i. R."."""
        if at + 1 >= len(self._bits) or self._breaks[at + 1]:
            return False
        after = self._line.word(at + 1)
        if after in _RETIRED:
            return True
        if not self._bits[at + 1] & flags.FOLLOWING_CUE or self._bits[at - 1] & flags.INITIAL_CAPITAL:
            return False
        # "der Vater, der Dorfrichter war", but not "der Arzt war da".
        if after != "war":
            return True
        return at > 1 and self._line.word(at - 2) == "," and self._line.word(at - 1) in ("der", "die")

    def _of_relative(self, at: int) -> bool:
        """Return whether a relative precedes in the sentence: "Tochter Anna (34, Lehrerin)", "Mutter Weberin"."""
        bits = self._bits[at - 1]
        if bits & flags.RELATIVE:
            # "Vater Koch" may be his name if the sentence continues.
            return not self._bits[at] & flags.SURNAME_PROFESSION or not self._word_follows(at)
        if not (bits & (flags.CONJUNCTION | flags.SKIPPED) or self._line.word(at - 1) in ")]"):
            return False
        for token in range(at - 2, max(-1, at - _RELATIVE_REACH), -1):
            if self._bits[token] & flags.SENTENCE_MARK or self._separated(token, at):
                return False
            if self._bits[token] & flags.RELATIVE:
                return True
        return False

    def _word_follows(self, at: int) -> bool:
        """Return whether a word follows that may follow a name, such as another name or a verb."""
        return at + 1 < len(self._bits) and bool(
            self._bits[at + 1] & flags.WORD_CHARACTERS and self._line.word(at + 1).lower() not in _WORKS
        )

    def _separated(self, token: int, later_token: int) -> bool:
        """Return whether a short line ends between the tokens; a cell may end between "Beruf" and its value."""
        text = self._line.text
        end, start = self._line.end(token), self._line.start(later_token)
        line_end = text.find("\n", end, start)
        if line_end < 0:
            return False
        if "\n" in text[line_end + 1 : start]:
            return True
        return line_end - (text.rfind("\n", 0, line_end) + 1) < _FULL_LINE
