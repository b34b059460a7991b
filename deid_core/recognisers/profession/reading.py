"""How a note is read for professions: what the words around one say of it, from left to right.

What is asked of each word is in the table of recogniser.py; what the words around it are, in surroundings.py.
"""

from __future__ import annotations

from deid_core.recognisers.profession import surroundings as around
from deid_core.recognisers.profession import words
from deid_core.recognisers.profession.split import Split
from deid_core.text.document import Document

_REACH = 5
"""So many tokens before the word may hold the evidence."""
_KIN_REACH = 12
_WORK_REACH = 8
"""So far from "als" a word of work may stand."""
_FULL_LINE = 40
"""A line of so many letters may be a paragraph's, whose sentence goes on in the next."""
_WORKS = frozenset({"bei", "beim", "im", "in", "des", "i.r.", "i.p.", "a.d.", "auf", "am", "an"})
_AND = frozenset({"und", "u.", ",", "/", "&", "+"})
_RETIRED = frozenset({"i.R.", "i.P.", "a.D.", "iR"})
_ARTICLES = frozenset(
    "der die dem den des vom beim zum durch mit ein eine einem einen zeuge zeugin sohn bruder".split()
)
_ADJECTIVES = frozenset(
    word + ending
    for word in (
        "technisch", "kaufmännisch", "kaufm.", "kfm.", "medizinisch", "zahnmedizinisch", "pharmazeutisch", "biologisch",
        "landwirtschaftlich", "tiermedizinisch", "chemisch", "vorsitzend",
        "evangelisch", "katholisch", "grafisch", "graphisch", "hauswirtschaftlich", "pädagogisch", "freischaffend",
    )
    for ending in ("", "e", "er", "en")
)  # fmt: skip
"""Parts of a profession's name: "Technische Zeichnerin"."""


class Reading:
    """One document while its professions are read, from left to right."""

    def __init__(self, document: Document, bits: list[int], splits: dict[int, Split], flat: bool) -> None:
        self._document = document
        self._bits = bits
        self._splits = splits
        self._flat = flat
        self._taken = -1

    def take(self, at: int) -> str | None:
        """The rule by which the word at `at` is a profession, None if none says so. Call in ascending order."""
        rule = self._rule(at)
        if rule is not None:
            split = self._splits.get(at)
            self._taken = at if split is None else split.second
        return rule

    def _rule(self, at: int) -> str | None:
        bits = self._bits[at]
        if not (bits & words.CAPITAL or self._flat):
            return "evidence" if not bits & words.DECLINED and self._evident(at) else None
        if bits & words.SURE and self._titled(at):
            return None
        if bits & words.SURE or (bits & words.LISTED and self.has_adjective(at)):
            return "word"
        if bits & words.LISTED and self._evident(at):
            return "evidence"
        if bits & words.NAMED and self._holds(at):
            return "named"
        if bits & words.LIKELY:
            if self._announced(at):
                return "announced"
            if self._likely(at):
                return "likely"
        return None

    def _titled(self, at: int) -> bool:
        """Whether a salutation or title makes it a name: "Dr. Steinhauer", but not "Herr Pfarrer Muster"."""
        if at == 0 or not self._bits[at - 1] & around.ADDRESSES or self._bits[at] & words.NAMED:
            return False
        behind = at + 1
        return behind >= len(self._bits) or not self._bits[behind] & (words.NAMELIKE | around.ADDRESSES)

    def has_adjective(self, at: int) -> bool:
        """Whether an adjective of the profession's name stands before it: "technischer Zeichner"."""
        return at > 0 and self._document.word(at - 1).lower() in _ADJECTIVES and not self._document.tokens.breaks[at]

    def _evident(self, at: int) -> bool:
        """Whether the words around say that this is what somebody does."""
        if at == 0 or self._bits[at - 1] & around.ADDRESSES:
            return False
        if self._named_behind(at):
            return False
        if self._bits[at] & words.SURNAME and self._works_behind(at):
            return True
        if self._bits[at] & words.SURNAME and self._hyphenated(at):
            return False
        if self._followed(at) or self._since(at) or self._joined_behind(at):
            return True
        for place in range(at - 1, max(-1, at - _REACH), -1):
            bits = self._bits[place]
            if self._parted(place, at):
                return False
            if bits & around.ENDS:
                if self._bits[place - 1] & around.ANNOUNCES and place == at - 1 and place:
                    return True  # "pens. Hebamme"
                return False
            if place == self._taken:
                return place < at - 1
            if bits & around.ANNOUNCES or (bits & around.COPULA and not bits & around.KIN):
                return True
            if bits & around.LEADS and self._bits[at] & words.SURNAME and place == at - 1:
                return True
            if place == at - 1 and self._of_relative(at):
                return True
            if not bits & (around.PASSED | around.JOINS | around.LEADS):
                return False
        return False

    def _announced(self, at: int) -> bool:
        """Whether only a profession can stand here: "gelernte X", "Umschulung zum X", "als X gearbeitet"."""
        place = at - 1
        while place >= max(0, at - _REACH) and not self._parted(place, at):
            bits = self._bits[place]
            if place == self._taken:
                return place < at - 1
            if bits & around.STRONG:
                return True
            if bits & around.ALS:
                return place == at - 1 and self._near_work(place)
            if bits & around.ENDS or not bits & (around.PASSED | around.JOINS | around.LEADS):
                return False
            place -= 1
        return False

    def _likely(self, at: int) -> bool:
        """Whether a relative or "war", "ehemaliger" stands before: "Mutter (28, X)", "war X bei"."""
        if at == 0 or self._bits[at - 1] & around.ADDRESSES or self._parted(at - 1, at) or self._is_named(at + 1):
            return False
        before = self._bits[at - 1]
        if before & around.KIN:
            return not self._goes_on(at)
        if before & (around.ANNOUNCES | around.COPULA) and not before & (around.KIN | around.ALS):
            return True
        if self._followed(at):
            return True
        return self._of_relative(at)

    def _near_work(self, at: int) -> bool:
        """Whether a word of work stands near "als" at `at`, in its sentence."""
        for step in (-1, 1):
            for place in range(at + step, at + step * (_WORK_REACH + 1), step):
                if not 0 <= place < len(self._bits) or self._bits[place] & around.ENDS:
                    break
                if self._bits[place] & around.WORKS:
                    return True
        return False

    def _holds(self, at: int) -> bool:
        """Whether the holder of an office is named behind it: "Dolmetscherin Frau Muster", "dem Wirt Muster"."""
        behind = at + 1
        while behind < min(at + 3, len(self._bits)) and self._document.word(behind) in (".", "("):
            behind += 1
        if behind >= len(self._bits) or self._document.tokens.breaks[behind]:
            return False
        if not self._bits[behind] & (around.ADDRESSES | words.NAMELIKE):
            return False
        if not self._bits[at] & words.SURNAME:
            return True
        if at == 0 or self._document.tokens.breaks[at]:
            return False
        return self._document.word(at - 1).lower() in _ARTICLES or self._document.word(at - 1) == "("

    def _named_behind(self, at: int) -> bool:
        """Whether a salutation, name or subject follows: "Sozialarbeiterin Frau Muster", "Ärztin für …" are staff."""
        if at + 1 >= len(self._bits):
            return False
        if self._bits[at + 1] & around.ADDRESSES or self._document.word(at + 1) == "für":
            return True
        return (
            bool(self._bits[at] & words.STAFF) and self._is_named(at + 1) and not self._bits[at - 1] & around.ANNOUNCES
        )

    def _is_named(self, behind: int) -> bool:
        """Whether a name may stand at `behind`, on the same line."""
        if behind >= len(self._bits) or self._document.tokens.breaks[behind]:
            return False
        return bool(self._bits[behind] & words.NAMELIKE)

    def _hyphenated(self, at: int) -> bool:
        """Whether the word is the second part of a double name: "W.-Koch"."""
        tokens = self._document.tokens
        return self._document.word(at - 1) == "-" and tokens.ends[at - 1] == tokens.starts[at]

    def _since(self, at: int) -> bool:
        """Whether a word or a year says that this is what somebody then was: "danach X", "ab 1952 X", "57 J., X"."""
        if at == 0 or self._document.tokens.breaks[at] or self._is_named(at + 1):
            return False
        before, earlier = self._bits[at - 1], self._bits[at - 2] if at > 1 else 0
        if before & around.SINCE or (before & around.YEAR and earlier & around.FROM):
            return True
        return self._document.word(at - 1) in ",(" and bool(earlier & (around.PATIENT | around.AGED))

    def _joined_behind(self, at: int) -> bool:
        """Whether a sure profession is joined to it: "Koch und Landwirt"."""
        if at + 2 >= len(self._bits) or self._document.tokens.breaks[at + 1] or self._bits[at - 1] & words.CAPITAL:
            return False
        written = self._flat or self._bits[at] & words.CAPITAL
        return bool(written and self._bits[at + 2] & words.SURE and self._document.word(at + 1) in _AND)

    def _works_behind(self, at: int) -> bool:
        """Whether "bei", "im" or "i. R." follows, and no capitalised word stands before: ", Koch im Gasthof"."""
        if at + 1 >= len(self._bits) or self._document.word(at + 1).lower() not in _WORKS:
            return False
        return not self._bits[at - 1] & words.CAPITAL and not self._parted(at - 1, at)

    def _followed(self, at: int) -> bool:
        """Whether what stands behind says that this is what somebody was, will be or learns: "X werden", "X i. R."."""
        if at + 1 >= len(self._bits) or self._document.tokens.breaks[at + 1]:
            return False
        behind = self._document.word(at + 1)
        if behind in _RETIRED:
            return True
        if not self._bits[at + 1] & around.FOLLOWS or self._bits[at - 1] & words.CAPITAL:
            return False
        # "der Vater, der Dorfrichter war", but not "der Arzt war da".
        if behind != "war":
            return True
        return at > 1 and self._document.word(at - 2) == "," and self._document.word(at - 1) in ("der", "die")

    def _of_relative(self, at: int) -> bool:
        """Whether a relative stands before in the sentence: "Tochter Anna (34, Lehrerin)", "Mutter Weberin"."""
        bits = self._bits[at - 1]
        if bits & around.KIN:
            # "Vater Koch" may be his name, if nothing parts it from what follows.
            return not self._bits[at] & words.SURNAME or not self._goes_on(at)
        if not (bits & (around.JOINS | around.PASSED) or self._document.word(at - 1) in ")]"):
            return False
        for place in range(at - 2, max(-1, at - _KIN_REACH), -1):
            if self._bits[place] & around.ENDS or self._parted(place, at):
                return False
            if self._bits[place] & around.KIN:
                return True
        return False

    def _goes_on(self, at: int) -> bool:
        """Whether the word behind `at` is a capitalised word or a verb, as behind a name."""
        return at + 1 < len(self._bits) and bool(
            self._bits[at + 1] & words.WORDLIKE and self._document.word(at + 1).lower() not in _WORKS
        )

    def _parted(self, first: int, last: int) -> bool:
        """Whether a line ends between the tokens, unless it is full; a cell may part "Beruf" from its value."""
        text, tokens = self._document.text, self._document.tokens
        end, start = int(tokens.ends[first]), int(tokens.starts[last])
        line_end = text.find("\n", end, start)
        if line_end < 0:
            return False
        if "\n" in text[line_end + 1 : start]:
            return True
        return line_end - (text.rfind("\n", 0, line_end) + 1) < _FULL_LINE
