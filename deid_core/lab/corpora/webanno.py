"""WebAnno TSV 3: reads one span layer of a file, writes texts as files that WebAnno and INCEpTION open.

A file holds one text. Sentences only serve display: each line of the text is one, as far as the format can state its
start. webanno_lines.py parses and writes single lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import webanno_lines as form
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.lines import read_lines
from deid_core.lab.corpora.webanno_lines import Layer, Utf16Offsets, WebannoToken
from deid_core.text.vocabulary import Vocabulary

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
"""The built-in layer "Named entity" of both tools and DKPro Core; its feature `value` holds the label."""
FEATURE = "value"

Range = tuple[int, int]

_NOT_BLANK = re.compile(r"\S+")


def read_webanno(path: Path, *, layer: str | None = None, feature: str | None = None) -> list[AnnotatedText]:
    """Return the text of a file with the annotations of one layer, ascending, labelled by one feature, "*" if empty.

    layer, feature: None selects NamedEntity and `value`, or the only span layer or feature of the file.
    Raises ConfigurationError with every bad line, or with the layers that exist. Messages quote no text.
    """
    reader = _WebannoReader(path, layer, feature)
    text = reader.read()
    if reader.problems:
        raise ConfigurationError(reader.problems)
    return [text]


def write_webanno(path: Path, text: AnnotatedText, *, layer: str = NAMED_ENTITY, feature: str = FEATURE) -> None:
    """Write one text; reading it again returns the text and its spans without blanks at their edges.

    Raises ConfigurationError for spans of blanks only.
    """
    tokens = _tokens(text.text)
    units = _units(text, tokens)
    touching = {number for parts in units.values() for stacked in parts.values() for number in stacked}
    problems = [
        f"{path}: span [{span.start}, {span.end}) holds nothing but blanks"
        for number, span in enumerate(text.spans)
        if number not in touching
    ]
    if problems:
        raise ConfigurationError(problems)
    lines = _TokenLines(text, units)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{form.FORMAT_LINE}\n#T_SP={layer}|{feature}\n\n")
        for sentence, (shown, indexes) in enumerate(_sentences(text.text, tokens), 1):
            file.write("".join(["\n", *(f"{form.TEXT}{form.escape_text(line)}\n" for line in shown.split("\n"))]))
            for place, index in enumerate(indexes, 1):
                file.writelines(lines.of_token(f"{sentence}-{place}", tokens[index], units.get(index, {})))


class _WebannoReader:
    """Reads one file; `problems` is complete after `read`."""

    def __init__(self, path: Path, layer: str | None, feature: str | None) -> None:
        self.path = path
        self.problems: list[str] = []
        self._layer, self._feature = layer, feature
        self._text: list[str] = []
        self._units = 0
        self._tokens: list[tuple[int, WebannoToken]] = []

    def read(self) -> AnnotatedText:
        lines = read_lines(self.path)
        if not lines or not form.FORMAT.fullmatch(lines[0]):
            raise ConfigurationError(f"{self.path}:1: is not WebAnno TSV 3.2 or 3.3 by its first line")
        layers: list[Layer] = []
        shown: list[str] = []
        for number, line in enumerate(lines[1:], 2):
            if layer := form.parse_layer(line) if not self._tokens else None:
                layers.append(layer)
            elif line.startswith(form.TEXT):
                shown.append(form.unescape_text(line.removeprefix(form.TEXT)))
            elif line and not line.startswith("#"):
                shown = self._token(number, line, shown)
        if shown:
            self._add("\n".join(shown), self._units + bool(self._text))
        text = "".join(self._text)
        spans = self._spans(text, _column(self.path, layers, self._layer, self._feature))
        return AnnotatedText(self.path.stem, text, () if self.problems else tuple(sorted(spans)))

    def _token(self, number: int, line: str, shown: list[str]) -> list[str]:
        """Add a token, and its sentence if it is the first; return the remaining lines of `shown`."""
        token = form.parse_token(line)
        if token is None:
            self.problems.append(f"{self.path}:{number}: is not a line of a token: id, offsets, token, columns")
            return shown
        if shown:
            sentence = "\n".join(shown)
            # In the tools, sentences begin with a token; `write_webanno` may write blanks before the first one.
            before = sentence[: max(0, sentence.find(token.token))]
            start = token.begin - _utf16_length(before)
            if start < self._units:
                self.problems.append(f"{self.path}:{number}: the sentence begins before the last one's end")
            self._add(sentence, start)
        self._tokens.append((number, token))
        return []

    def _add(self, sentence: str, start: int) -> None:
        """Add a sentence. Between two sentences is nothing, or a line break and blanks."""
        gap = start - self._units
        if gap > 0:
            self._text.append("\n" + " " * (gap - 1) if self._text else " " * gap)
        self._text.append(sentence)
        self._units = start + _utf16_length(sentence)

    def _spans(self, text: str, column: int) -> list[LabelledSpan]:
        offsets = Utf16Offsets(text)
        spans: list[LabelledSpan] = []
        numbered: dict[int, int] = {}
        for line, token in self._tokens:
            start, end = offsets.position(token.begin), offsets.position(token.end)
            if text[start:end] != token.token:
                self.problems.append(f"{self.path}:{line}: the token is not at its offsets in the text")
                continue
            values = form.parse_values(token.columns[column]) if column < len(token.columns) else None
            if values is None:
                self.problems.append(f"{self.path}:{line}: column {column + 4} is missing or cannot be read")
                continue
            for label, number in values:
                if number is not None and number in numbered:
                    place = numbered[number]
                    spans[place] = LabelledSpan(min(spans[place].start, start), max(spans[place].end, end), label)
                    continue
                if number is not None:
                    numbered[number] = len(spans)
                spans.append(LabelledSpan(start, end, label))
        return spans


def _column(path: Path, layers: list[Layer], layer: str | None, feature: str | None) -> int:
    """Return the column of the layer's feature, counted from 0 after the token's own columns."""
    spans = [known for known in layers if known.kind == "SP"]
    names = [known.name for known in spans]
    if layer is None:
        layer = NAMED_ENTITY if NAMED_ENTITY in names else names[0] if len(names) == 1 else None
    if layer not in names:
        raise ConfigurationError(f"{path}: name the span layer; there are: {', '.join(names) or 'none'}")
    features = spans[names.index(layer)].columns
    if feature is None:
        feature = FEATURE if FEATURE in features else features[0] if len(features) == 1 else None
    if feature is None or feature not in features:
        raise ConfigurationError(f"{path}: name the feature of {layer}; there are: {', '.join(features)}")
    before = layers[: next(i for i, known in enumerate(layers) if known.kind == "SP" and known.name == layer)]
    return sum(len(known.columns) for known in before) + features.index(feature)


def _units(text: AnnotatedText, tokens: list[Range]) -> dict[int, dict[Range, list[int]]]:
    """Return, for each token that spans touch, the covered parts of it with the numbers of the spans."""
    starts, ends = [start for start, _ in tokens], [end for _, end in tokens]
    units: dict[int, dict[Range, list[int]]] = {}
    for number, span in enumerate(text.spans):
        for index in range(bisect_right(ends, span.start), bisect_left(starts, span.end)):
            part = max(starts[index], span.start), min(ends[index], span.end)
            units.setdefault(index, {}).setdefault(part, []).append(number)
    return units


class _TokenLines:
    """Writes the lines of a text's tokens."""

    def __init__(self, text: AnnotatedText, units: dict[int, dict[Range, list[int]]]) -> None:
        self._text = text
        self._offsets = Utf16Offsets(text.text)
        stacks = [stacked for parts in units.values() for stacked in parts.values()]
        times = Counter(number for stacked in stacks for number in stacked)
        # Only annotations of several lines, or stacked ones, need a number.
        several = {n for n in times if times[n] > 1} | {n for stacked in stacks if len(stacked) > 1 for n in stacked}
        self._numbers = {number: f"[{index}]" for index, number in enumerate(sorted(several), 1)}

    def of_token(self, name: str, token: Range, parts: dict[Range, list[int]]) -> Iterator[str]:
        """Yield the line of a token and those of its parts. name: "sentence-token"."""
        yield self._line(name, token, parts.get(token, []))
        for number, part in enumerate(sorted(parts.keys() - {token}), 1):
            yield self._line(f"{name}.{number}", part, parts[part])

    def _line(self, name: str, unit: Range, stacked: list[int]) -> str:
        labels = [form.escape_value(self._text.spans[n].label) + self._numbers.get(n, "") for n in stacked]
        place = "-".join(str(self._offsets.units(position)) for position in unit)
        return "\t".join([name, place, self._text.text[slice(*unit)], "|".join(labels) or form.NO_ANNOTATION, "\n"])


def _tokens(text: str) -> list[Range]:
    """Return the engine's tokens and all other characters except blanks, so that every span touches a token."""
    tokens = Vocabulary().tokenise(text)
    edges = [(0, 0), *zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True), (len(text), len(text))]
    between = [m.span() for (_, end), (start, _) in pairwise(edges) for m in _NOT_BLANK.finditer(text, end, start)]
    return sorted([*edges[1:-1], *between])


def _sentences(text: str, tokens: list[Range]) -> list[tuple[str, range]]:
    """Return the sentences of a text with the numbers of their tokens; with the gaps of `_add` they make up the text.

    A sentence begins with the first token of a line. A text without a token is one sentence.
    """
    if not tokens:
        return [(text, range(0))] if text else []
    start_tokens, starts, ends = [0], [0 if text[: tokens[0][0]].strip(" ") else tokens[0][0]], []
    for index, ((_, end), (start, _)) in enumerate(pairwise(tokens), 1):
        line_end = text.rfind("\n", end, start)
        if line_end >= 0 and not text[line_end + 1 : start].strip(" "):
            start_tokens.append(index)
            starts.append(start)
            ends.append(line_end)
    ends.append(len(text))
    ranges = [range(start_token, end_token) for start_token, end_token in pairwise([*start_tokens, len(tokens)])]
    return [(text[start:end], indexes) for start, end, indexes in zip(starts, ends, ranges, strict=True)]


def _utf16_length(text: str) -> int:
    return Utf16Offsets(text).units(len(text))
