"""Writes the body of a letter: sections in order, each as long as its share of the note's length.

The length follows seed 000's Table 1: tokens and lines of the note's year. Sections take sentences without repeating
one; what a section leaves over goes to the next. Whether a sentence begins a new line depends on how many lines there
are already for the tokens: the seed's notes have a line for every six tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid_core.lab.synthetic import vocabulary
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.laboratory import laboratory_items
from deid_core.lab.synthetic.letter import LetterTable, Paragraph, Phi, Piece, text_of
from deid_core.lab.synthetic.template_language import SentenceTemplate
from deid_core.lab.synthetic.templates import SentenceTemplates
from deid_core.lab.synthetic.typos import misspelt
from deid_core.lab.synthetic.years import YearRow
from deid_core.text.tokens import TOKEN

Items = list[Paragraph | LetterTable]


@dataclass(frozen=True, slots=True)
class _Section:
    """A section: share of the body's tokens, probability, and how its templates are put together.

    form: "prose" (sentences), "list" (a line each, joined by commas where lines are many), "lines" (never joined),
    "drugs" or "laboratory".
    """

    name: str
    source: str
    share: float
    probability: float
    form: str


_SECTIONS = (
    _Section("diagnoses", "diagnoses", 0.12, 1.0, "lines"),
    _Section("risk", "risk", 0.035, 0.7, "list"),
    _Section("allergies", "allergies", 0.015, 0.35, "list"),
    _Section("history", "history", 0.11, 1.0, "prose"),
    _Section("premedication", "", 0.07, 0.4, "drugs"),
    _Section("exam", "exam", 0.14, 0.85, "list"),
    _Section("laboratory", "", 0.20, 0.85, "laboratory"),
    _Section("ecg", "ecg", 0.04, 0.8, "list"),
    _Section("tests", "tests", 0.05, 0.45, "list"),
    _Section("echo", "echo", 0.11, 0.75, "list"),
    _Section("cath", "cath", 0.08, 0.5, "list"),
    _Section("imaging", "imaging", 0.04, 0.35, "list"),
    _Section("course", "course", 0.10, 0.95, "prose"),
    _Section("medication", "", 0.13, 0.9, "drugs"),
    _Section("therapy", "therapy", 0.045, 0.8, "list"),
)
_EXTRA = _Section("follow-up", "", 1.0, 1.0, "laboratory")
_WITHOUT_FULL_STOPS = 0.963
"""Lengths are counted by TOKEN here, which takes a sentence's full stop with its word; the seed's tables do not."""
_SHORTEST_SECTION = 12
_LEFT_OVER = 25
_WRAPPED_SHARE = 0.35
_IDENTIFYING_LATE = 0.65
"""Chance that a template that identifies somebody stands back: seed 000's Table 2 has 48 such tokens of 1,000."""


class Body:
    """One body in the making: how long it shall be, and how long it is."""

    def __init__(self, case: Case, templates: SentenceTemplates, row: YearRow) -> None:
        draw = case.draw
        self._case = case
        self._templates = templates
        spread = 0.55 + 0.9 * (draw.random() + draw.random()) / 2
        self._target = row.tokens_per_note * spread * _WITHOUT_FULL_STOPS
        self._tokens_per_line = row.tokens_per_line * _WITHOUT_FULL_STOPS * (0.88 + 0.24 * draw.random())
        self._tokens = 0.0
        self._lines = 0
        self._bullet = draw.pick(("", "", "", "- ", "• ", "1. "))
        self._inline_headings = draw.chance(0.15)
        self._width = draw.number(62, 84) if draw.chance(_WRAPPED_SHARE) else 0

    def write(self, around: Sequence[Paragraph | LetterTable]) -> Items:
        """The sections; `around` is the rest of the letter, which counts for its length."""
        for item in around:
            self._count_item(item)
        left = max(60.0, self._target - self._tokens)
        # A short letter has fewer sections rather than each of them in two lines.
        likelier = min(1.25, left / 420)
        chance = self._case.draw.chance
        chosen = [s for s in _SECTIONS if s.probability == 1.0 or chance(s.probability * likelier)]
        total = sum(section.share for section in chosen)
        items: Items = []
        carried = 0.0
        for section in chosen:
            quota = left * section.share / total + carried
            if quota < _SHORTEST_SECTION:
                carried = quota
                continue
            before = self._tokens
            items += self._section(section, quota)
            carried = quota - (self._tokens - before)
        while carried > _LEFT_OVER:
            before = self._tokens
            items += self._section(_EXTRA, carried)
            carried -= self._tokens - before
        return items

    def _section(self, section: _Section, quota: float) -> Items:
        heading = self._case.draw.pick(vocabulary.headings()[section.name])
        self._tokens += 2
        end = self._tokens + quota - 2
        content: Items = []
        if section.form == "laboratory":
            content += laboratory_items(self._case, vocabulary.analytes(), quota)
            for item in content:
                self._count_item(item)
        else:
            content += self._paragraphs(section, end)
        first = content[0] if content else ()
        if self._inline_headings and not isinstance(first, LetterTable) and first and section.form != "laboratory":
            content[0] = (f"{heading.rstrip(':')}: ", *first)
            return [(), *content]
        self._lines += 1
        return [(), (heading,), *content]

    def _paragraphs(self, section: _Section, end: float) -> Iterator[Paragraph]:
        """Sentences or lines until the note has `end` tokens."""
        separator = {"prose": " ", "list": ", "}.get(section.form, "")
        current: list[Piece] = []
        for pieces, tokens in self._parts(section):
            if self._tokens + tokens / 2 > end:
                break
            self._tokens += tokens
            if current and separator and self._lines * self._tokens_per_line > self._tokens:
                current += (separator, *pieces)
                continue
            if current:
                yield self._wrapped(tuple(current))
            current = [*pieces]
            self._lines += 1
        if current:
            yield self._wrapped(tuple(current))

    def _parts(self, section: _Section) -> Iterator[tuple[Paragraph, float]]:
        draw = self._case.draw
        if section.form == "drugs":
            tab = draw.pick(("\t", " ", "  "))
            for drug in draw.shuffled(vocabulary.drugs()):
                yield self._drug(drug, tab), 5.5
            return
        bullet = self._bullet if section.name == "diagnoses" else ""
        number = 0
        for template in self._order(self._templates.sentences[section.source]):
            pieces = template.fill(self._case)
            if draw.random() < self._case.misspells / 2:
                pieces = self._misspelt(pieces)
            if bullet and not text_of(pieces[:1]).startswith(("-", "*")):
                number += 1
                pieces = (f"{number}. " if bullet == "1. " else bullet, *pieces)
            yield pieces, template.tokens

    def _order(self, templates: Sequence[SentenceTemplate]) -> Iterator[SentenceTemplate]:
        """The templates in random order; many of those that identify somebody come last, most sentences do not."""
        late = []
        for template in self._case.draw.shuffled(templates):
            if template.identifying and self._case.draw.chance(_IDENTIFYING_LATE):
                late.append(template)
            else:
                yield template
        yield from late

    def _drug(self, drug: vocabulary.Drug, tab: str) -> Paragraph:
        draw = self._case.draw
        return (f"{draw.pick(drug.names)} {draw.pick(drug.strengths)}{tab}{draw.pick(drug.schemes)}",)

    def _misspelt(self, pieces: Paragraph) -> Paragraph:
        """A word of the text that is no name, misspelt."""
        found = [n for n, piece in enumerate(pieces) if isinstance(piece, str) and len(piece) > 12]
        if not found:
            return pieces
        place = self._case.draw.pick(found)
        words = str(pieces[place]).split(" ")
        chosen = self._case.draw.number(0, len(words) - 1)
        if words[chosen].isalpha():
            words[chosen] = misspelt(words[chosen], self._case.draw, self._case.lists.typos)
        return (*pieces[:place], " ".join(words), *pieces[place + 1 :])

    def _wrapped(self, pieces: Paragraph) -> Paragraph:
        """The paragraph with line breaks at a width, as letters from older systems have; names are not broken."""
        if not self._width or sum(len(p if isinstance(p, str) else p.text) for p in pieces) <= self._width:
            return pieces
        wrapped: list[Piece] = []
        column = 0
        for piece in pieces:
            if isinstance(piece, Phi):
                wrapped.append(piece)
                column += len(piece.text)
                continue
            words = piece.split(" ")
            line = [words[0]]
            column += len(words[0])
            for word in words[1:]:
                if column + len(word) >= self._width:
                    line.append("\n" + word)
                    column = len(word)
                    self._lines += 1
                else:
                    line.append(" " + word)
                    column += len(word) + 1
            wrapped.append("".join(line))
        return tuple(wrapped)

    def _count_item(self, item: Paragraph | LetterTable) -> None:
        """Counts what is not made of templates here: exactly, since there is little of it."""
        if isinstance(item, LetterTable):
            for row in item.rows:
                lines = "\t".join(["\n".join([text_of(p) for p in cell]) for cell in row]).split("\n")
                self._lines += sum(1 for line in lines if line.strip())
                self._tokens += sum(len(TOKEN.findall(line)) for line in lines)
        elif item:
            text = text_of(item)
            self._tokens += len(TOKEN.findall(text))
            self._lines += bool(text.strip())
