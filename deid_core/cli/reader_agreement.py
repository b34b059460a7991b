"""How far two readers agree in the notes that both read: Cohen's kappa of tokens, F1 of marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from deid_core.core.errors import ConfigurationError
from deid_core.lab.evaluate.agreement import kappa
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.token_scores import TokenEvaluation
from deid_core.lake.inspection.show_note import before_and_after
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import Review, ReviewRole, text_sha256


def reader_agreement(lake: Lake, reviews: Iterable[Review]) -> dict[str, float] | None:
    """Return `notes`, `kappa` and `f1` of the first two readers of each note; None if no note has two.

    reviews: with those of notes whose text has changed since, which are left out.
    """
    of_note: defaultdict[tuple[str, str], list[Review]] = defaultdict(list)
    for review in reviews:
        if review.role is ReviewRole.READER:
            of_note[review.note_id, review.raw_sha256].append(review)
    tokens, marks = TokenEvaluation(), EntityEvaluation()
    for (note_id, raw_sha256), (first, *others) in sorted(of_note.items()):
        if others and (text := _raw_text(lake, note_id, raw_sha256)) is not None:
            tokens.add(text, first.marks, others[0].marks)
            marks.add(first.marks, others[0].marks)
    if not tokens.notes:
        return None
    agreed = kappa(tokens.gold_labels, tokens.found_labels)
    return {"notes": tokens.notes, "kappa": agreed, "f1": marks.micro.f(1)}


def _raw_text(lake: Lake, note_id: str, raw_sha256: str) -> str | None:
    try:
        text = before_and_after(lake, note_id).before
    except ConfigurationError:
        return None
    return text if text_sha256(text) == raw_sha256 else None
