"""The HTML of the error report: headings, plain words, and filters that work without scripts.

It quotes notes: see error_report.py, which writes it for its owner alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from deid_core.lab.evaluate.error_file import html_row, in_context
from deid_core.lab.evaluate.error_kinds import ErrorCase, ErrorOutcome, Kind, ScoredNote, Side

KINDS = {
    Kind.TOKENISATION: ("Begins or ends within a word", "The marked span cuts a token."),
    Kind.COMPOUND: ("Part of a compound", "Only a part of a word with a hyphen is a name, or the program cut a word."),
    Kind.PREFIX: ("A word before the name", "Only articles, particles, titles or salutations before the name differ."),
    Kind.ABBREVIATION: ("Abbreviation", "An initial, a short word in capitals, or a word with its full stop."),
    Kind.MISSING_ANNOTATION: ("Marked elsewhere", "The annotators marked the same words elsewhere in the note."),
    Kind.COMMON_LANGUAGE: ("Common or medical words", "All words are common or medical words."),
    Kind.AMBIGUITY: ("Ambiguous words", "A word of it is a name in one place of these notes, and none in another."),
    Kind.OUT_OF_VOCABULARY: ("In no list", "No word of it is in any list of names, places or common words."),
    Kind.OTHER: ("Other", "No rule tells what these are; read them."),
}
"""Title and explanation of each kind."""
OUTCOMES = {
    ErrorOutcome.MISSED: "missed: nothing was removed there",
    ErrorOutcome.SPURIOUS: "removed, though nothing is marked there",
    ErrorOutcome.WRONG_LABEL: "removed with another label",
    ErrorOutcome.TOO_SHORT: "removed too little",
    ErrorOutcome.TOO_LONG: "removed too much",
    ErrorOutcome.SHIFTED: "removed in part, and more beside it",
}
_SIDES = {Side.FALSE_NEGATIVE: "marked, not found", Side.FALSE_POSITIVE: "removed, not marked"}
_SHOW = (("all", "All"), ("readable", "Only what stays readable"), *((side.value, _SIDES[side]) for side in Side))
_STYLE = """
:root{color-scheme:light dark;--line:#8886}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;padding:0 1rem;max-width:75rem}
table{border-collapse:collapse;margin:.6rem 0 1.4rem}
th,td{padding:.25rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td.num,th.num{text-align:right}
mark{background:#fd8;color:#000}
.warning{padding:.7rem 1rem;border-left:.3rem solid #c33;background:#c332}
.filters{position:sticky;top:0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:.6rem 1rem;background:Canvas;
border:1px solid var(--line)}
.examples{width:100%}
.examples td:last-child{width:50%;overflow-wrap:anywhere}
.place{font-size:.85em;opacity:.75}
"""


def error_page(
    notes: Sequence[ScoredNote],
    cases: Sequence[ErrorCase],
    examples: Iterable[tuple[Kind, list[ErrorCase]]],
    warning: str,
) -> str:
    """Return the page. examples: the errors to show of each kind. warning: what the file holds."""
    shown = list(examples)
    labels = sorted({case.label for _, of_kind in shown for case in of_kind})
    of_kind = Counter(case.kind for case in cases)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Errors</title><style>{_STYLE}{_rules(labels)}</style></head><body><main>",
        f'<h1>Errors</h1><p class="warning"><strong>{escape(warning)}</strong></p>',
        f"<p>{_summary(cases)}</p>",
        "<h2>What happened</h2>",
        _counts({OUTCOMES[outcome]: outcome for outcome in ErrorOutcome}, "outcome", cases),
        "<h2>What it is</h2>",
        _counts({KINDS[kind][0]: kind for kind in Kind}, "kind", cases),
        _filters(labels),
    ]
    for kind, rows in shown:
        title, explanation = KINDS[kind]
        more = f" The first {len(rows)} of {of_kind[kind]} are shown." if len(rows) < of_kind[kind] else ""
        parts.append(f'<section id="{kind}"><h2>{title}</h2><p>{explanation}{more}</p><table class="examples"><thead>')
        parts.append(html_row(["What happened", "Label", "Readable", "Text"], "th") + "</thead><tbody>")
        parts += [_row(notes[case.note], case, labels.index(case.label)) for case in rows]
        parts.append("</tbody></table></section>")
    return "\n".join([*parts, "</main></body></html>", ""])


def _summary(cases: Sequence[ErrorCase]) -> str:
    missed = [case for case in cases if case.side is Side.FALSE_NEGATIVE]
    readable = sum(case.legible for case in missed)
    return (
        f"Of what the annotators marked, {len(missed):,} spans were not found with the same place and label; "
        f"{readable:,} of them stay readable, wholly or in part. Of what the program removed, "
        f"{len(cases) - len(missed):,} spans are not marked so. A span with a wrong border or label counts twice."
    )


def _counts(names: dict[str, ErrorOutcome] | dict[str, Kind], field: str, cases: Sequence[ErrorCase]) -> str:
    counts = Counter((getattr(case, field), case.side) for case in cases)
    rows = ["<table><thead><tr><th></th>" + "".join(f'<th class="num">{_SIDES[side]}</th>' for side in Side)]
    rows.append("</tr></thead><tbody>")
    for name, value in names.items():
        if any(counts[value, side] for side in Side):
            shown = f'<a href="#{value}">{name}</a>' if isinstance(value, Kind) else name
            cells = "".join(f'<td class="num">{counts[value, side]:,}</td>' for side in Side)
            rows.append(f"<tr><td>{shown}</td>{cells}</tr>")
    return "\n".join([*rows, "</tbody></table>"])


def _filters(labels: Sequence[str]) -> str:
    shown = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}> {words}</label>'
        for name, words in _SHOW
    )
    checkboxes = "".join(
        f'<label><input type="checkbox" id="label-{number}" checked> {escape(label)}</label>'
        for number, label in enumerate(labels)
    )
    body = f"<strong>Show:</strong>{shown}<strong>Labels:</strong>{checkboxes}"
    return f'<form class="filters" aria-label="Filters">{body}</form>'


def _row(note: ScoredNote, case: ErrorCase, label: int) -> str:
    """Return an example. label: the number of its label among the filters."""
    before, span, after = map(escape, in_context(note.text, case.start, case.end))
    shown = escape(case.label)
    if case.other_label not in ("", case.label):
        shown += f", {'removed' if case.side is Side.FALSE_NEGATIVE else 'marked'} as {escape(case.other_label)}"
    place = escape(f"{note.id}:{case.start}-{case.end}")
    cells = (
        OUTCOMES[case.outcome],
        shown,
        "readable" if case.legible else "",
        f'{before}<mark>{span}</mark>{after}<br><span class="place">{place}</span>',
    )
    filtered = f"{case.side}{' readable' if case.legible else ''}"
    return f'<tr data-side class="{filtered}" data-label="{label}">' + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"


def _rules(labels: Sequence[str]) -> str:
    """Return the CSS of the filters: which rows they hide."""
    hidden = [f"main:has(#show-{name}:checked) tbody tr[data-side]:not(.{name})" for name, _ in _SHOW[1:]]
    hidden += [f'main:has(#label-{number}:not(:checked)) tr[data-label="{number}"]' for number in range(len(labels))]
    return ",".join(hidden) + "{display:none}"
