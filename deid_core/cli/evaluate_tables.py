"""What `deid evaluate --full` prints for people: the JSON report as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deid_core.core.text_tables import table
from deid_core.lab.evaluate.agreement import amount_of_agreement
from deid_core.lab.evaluate.significance import SMALL
from deid_core.lab.evaluate.token_scores import OUTSIDE

Json = Mapping[str, Any]

_STATISTICS = {"precision": "precision", "recall": "recall", "f1": "F1", "f2": "F2"}
_LEVELS = {"token": "token", "word": "word", "exact": "entity, exact", "lenient": "entity, lenient"}


def sections(report: Json, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the report's tables, to be printed with a blank line between them; names: as of `answers`."""
    for role in names:
        if len(names) > 1:
            yield f"== {names[role]} =="
        yield from _system(report[role])
    if "against" in report:
        yield _mcnemar("PHI or not", report["mcnemar"], names)
        yield _mcnemar("label", report["mcnemar_by_label"], names)
        yield _z_tests(report["z_tests"], names)
        yield _differences(report["differences"], names)
    if "agreement" in report:
        yield agreement_section(report["agreement"])


def _system(system: Json) -> Iterator[str]:
    rows = [(name, s["gold"], *(s[key] for key in _STATISTICS)) for name, s in system["scores"].items()]
    kappa = system["kappa"]
    yield (
        f"per token\n{table([('label', 'gold', *_STATISTICS.values()), *rows])}\n"
        f"Cohen's kappa: {kappa['binary']:.3f} PHI or not ({amount_of_agreement(kappa['binary'])}), "
        f"{kappa['by_label']:.3f} by label ({amount_of_agreement(kappa['by_label'])})"
    )
    yield f"confusion of tokens, gold in rows, predicted in columns\n{_confusion(system['confusion'])}"
    yield "per entity\n" + _entities(system["entities"])
    yield "\n".join(("leaks", *(_leak(label, leak) for label, leak in system["leaks"].items())))
    intervals = [
        (f"{_LEVELS[level]}: {_STATISTICS[name]}", i["value"], i["low"], i["high"])
        for level, of_level in system["intervals"].items()
        for name, i in of_level.items()
    ]
    if intervals:
        yield "95 % intervals, bootstrap over notes\n" + table([("score", "value", "low", "high"), *intervals])


def _confusion(confusion: Mapping[str, int]) -> str:
    """Labels that occur, tokens without one last; a dot where there is no token."""
    counts = {tuple(pair.split(">")): count for pair, count in confusion.items()}
    rows, columns = (
        sorted({pair[side] for pair in counts}, key=lambda label: (label == OUTSIDE, label)) for side in (0, 1)
    )
    return table([("", *columns), *((gold, *(counts.get((gold, found), ".") for found in columns)) for gold in rows)])


def _entities(entities: Json) -> str:
    matches = tuple(entities)
    rows: list[tuple[object, ...]] = [("label", "gold", *(f"{m} {s}" for m in matches for s in ("P", "R", "F1")))]
    first = entities[matches[0]]
    for label, scores in first["by_label"].items():
        rows.append((label, scores["gold"], *_cells(entities[m]["by_label"][label] for m in matches)))
    rows.append(("micro", first["micro"]["gold"], *_cells(entities[m]["micro"] for m in matches)))
    rows.append(("macro", "", *_cells(entities[m]["macro"] for m in matches)))
    return table(rows)


def _cells(of_matches: Iterator[Json]) -> list[object]:
    return [scores[key] for scores in of_matches for key in ("precision", "recall", "f1")]


def _leak(label: str, leak: Json) -> str:
    what = "names" if label == "names" else "surfaces of all labels"
    shares = (f"{_share(leak['names'])} distinct {what} of a note", f"{_share(leak['notes'])} notes with at least one")
    return "  " + "; ".join(shares)


def _share(share: Json) -> str:
    upper, confidence = share["upper"], share["confidence"]
    bound = "" if upper is None else f", at most {upper:.2%} with {confidence:.0%} confidence"
    return f"{share['leaked']:,} of {share['total']:,} ({share['share']:.2%}{bound})"


def _mcnemar(what: str, test: Json, names: Mapping[str, str]) -> str:
    differ = (
        f"McNemar, {what}: {test['only_predicted_right']:,} tokens right only in {names['predicted']}, "
        f"{test['only_against_right']:,} only in {names['against']}"
    )
    if test["small"]:
        return f"{differ}, exact p {_p(test['p_exact'])} (fewer than {SMALL} differ: chi² is no approximation)"
    exact = "" if test["p_exact"] is None else f"; exact p {_p(test['p_exact'])}"
    return (
        f"{differ}, chi² {test['chi2']:.2f}, p {_p(test['p'])} "
        f"(uncorrected {test['chi2_uncorrected']:.2f}, p {_p(test['p_uncorrected'])}{exact})"
    )


def _z_tests(tests: Json, names: Mapping[str, str]) -> str:
    rows: list[tuple[object, ...]] = [("tokens: score", "words", names["predicted"], names["against"], "z", "p")]
    for tokens, scores in tests.items():
        for key in (key for key in _STATISTICS if key in scores):
            s = scores[key]
            outcome = ("", "") if s["z"] is None else (f"{s['z']:+.2f}", _p(s["p"]))
            rows.append((f"{tokens}: {_STATISTICS[key]}", scores["words"], s["predicted"], s["against"], *outcome))
    return (
        "z-test of two proportions per token, samples of the gold words (Uzuner et al. 2008); "
        f"it takes the two for independent samples\n{table(rows)}"
    )


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _differences(differences: Json, names: Mapping[str, str]) -> str:
    rows: list[tuple[object, ...]] = [("score", "difference", "low", "high", "p")]
    rounds = 0
    for level, of_level in differences.items():
        for name, d in of_level.items():
            moved = (f"{d[key]:+.3f}" for key in ("value", "low", "high"))
            rows.append((f"{_LEVELS[level]}: {_STATISTICS[name]}", *moved, f"{d['p']:.4f}"))
            rounds = d["rounds"]
    return (
        f"{names['predicted']} - {names['against']}: 95 % interval of a bootstrap over notes, p of two-sided "
        f"approximate randomisation by note, {rounds:,} rounds\n{table(rows)}"
    )


def agreement_section(agreement: Json) -> str:
    """Return how far the annotators agree."""
    kappas = ", ".join(f"{value:.3f} {pair}" for pair, value in agreement["kappa"].items())
    by_label = agreement["kappa_by_label"]
    rows = [("micro", "", agreement["f1"]["micro"])]
    rows += [(label, by_label.get(label, ""), f1) for label, f1 in agreement["f1"]["by_label"].items()]
    return (
        f"agreement\nCohen's kappa per token: {kappas}\nKrippendorff's alpha per token: {agreement['alpha']:.3f}\n"
        "by label: kappa per token, pairwise F1 per entity with exact spans, means of all pairs\n"
        f"{table([('label', 'kappa', 'F1'), *rows])}"
    )
