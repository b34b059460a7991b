"""What `deid evaluate` says first: how much stays readable, how much too much is removed, which of two is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deid_core.core.text_tables import table
from deid_core.lab.evaluate.token_scores import OUTSIDE

Json = Mapping[str, Any]


def answers(report: Json, names: Mapping[str, str], *, without_header: bool) -> Iterator[str]:
    """Yield the answers, to be printed with a blank line between them.

    names: what to call the predictions: of "predicted" and, if the report has it, of "against".
    """
    first = report["predicted"]
    header = ", without header" if without_header else ""
    yield f"{first['notes']} notes, {first['tokens']:,} tokens{header}"
    for role in names:
        if len(names) > 1:
            yield f"== {names[role]} =="
        yield _system(report[role])
        yield "tokens by label\n" + _labels(report[role])
    if "against" in report:
        yield _difference(report, names)


def _system(system: Json) -> str:
    phi, leaks = system["scores"]["PHI"], system["leaks"]
    whole = system["confusion"]
    kept = sum(count for pair, count in whole.items() if pair.startswith(f"{OUTSIDE}>"))
    wrong = kept - whole.get(f"{OUTSIDE}>{OUTSIDE}", 0)
    missed = phi["gold"] - sum(count for pair, count in whole.items() if not _is_outside(pair))
    names, notes = leaks["names"]["names"], leaks["names"]["notes"]
    return "\n".join(
        [
            f"Of {names['total']:,} names {_some(names['leaked'], 'stays', 'stay')} readable {_share(names)}.",
            f"Of {notes['total']:,} notes {_some(notes['leaked'], 'shows', 'show')} a name {_share(notes)}.",
            f"Of {phi['gold']:,} tokens that identify somebody {_some(missed, 'is', 'are')} missed "
            f"({1 - phi['recall']:.2%}{_interval(system, 'recall')}).",
            f"Of {kept:,} tokens that identify nobody {_some(wrong, 'is', 'are')} removed "
            f"({wrong / kept if kept else 0:.2%}).",
        ]
    )


def _some(count: int, one: str, other: str) -> str:
    return f"{count:,} {one if count == 1 else other}"


def _is_outside(pair: str) -> bool:
    """Whether gold has no label for a cell of the confusion, or the prediction has none."""
    gold, found = pair.split(">")
    return OUTSIDE in (gold, found)


def _share(share: Json) -> str:
    """Return "(9.74%; at most 12.8% with 95% confidence)"."""
    upper = share["upper"]
    bound = "" if upper is None else f"; at most {upper:.2%} with {share['confidence']:.0%} confidence"
    return f"({share['share']:.2%}{bound})"


def _interval(system: Json, statistic: str) -> str:
    """Return the 95 % interval of what a statistic lacks to 1."""
    found = system["intervals"].get("token", {}).get(statistic)
    return f"; 95% interval {1 - found['high']:.2%} to {1 - found['low']:.2%}" if found else ""


def _labels(system: Json) -> str:
    """Return tokens, recall and precision of each label, that with most missed tokens first."""
    of_labels = [(label, scores) for label, scores in system["scores"].items() if label != "PHI"]
    of_labels.sort(key=lambda item: (item[1]["gold"] * (item[1]["recall"] - 1), item[0]))
    rows = [(label, s["gold"], s["recall"], s["precision"]) for label, s in of_labels]
    return table([("label", "tokens", "recall", "precision"), *rows])


def _difference(report: Json, names: Mapping[str, str]) -> str:
    """Return which of the two is right on more tokens, and whether that may be chance."""
    test = report["mcnemar"]
    p = test["p_exact"] if test["small"] else test["p"]
    one, other = test["only_predicted_right"], test["only_against_right"]
    told = "< 0.0001" if p < 0.0001 else f"{p:.4f}"
    return (
        f"Only {names['predicted']} is right on {one:,} tokens, only {names['against']} on {other:,} "
        f"(removed or not; McNemar's test, p {told})."
    )
