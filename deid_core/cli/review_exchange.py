"""Reviews as gold for `deid evaluate`, and notes out to annotation tools and back: `deid review --export`, `--import`.

What is written holds text of notes: its files are for their owner alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deid_core.certify.outcomes import decided
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, general_type
from deid_core.lab.corpora import FORMATS, AnnotatedText, LabelledSpan, find_format, read_corpus, write_corpus
from deid_core.lake.inspection.show_note import BeforeAndAfter, before_and_after
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import Review, append_review, read_reviews, text_sha256
from deid_core.review.marks import MarkedRange, ReaderName, make_review
from deid_core.review.queue import QueuedNote, disputed


def export_reviews(lake: Lake, output: Path, form: str | None, *, types: bool) -> int:
    """Write what readers marked, one review a note, and return how many notes that are.

    Notes whose raw text has changed since are left out. types: write types (patient), not labels (PER).
    Raises ConfigurationError if two readers differ and nobody has decided, nothing was read, or the output exists.
    """
    _check_new(output)
    reviews = read_reviews(lake)
    if open_notes := len(disputed(reviews)):
        raise ConfigurationError(
            f"in {open_notes} notes two readers differ: decide with deid review --adjudicate --reader NAME"
        )
    by_note: dict[str, list[Review]] = {}
    for review in reviews:
        by_note.setdefault(review.note_id, []).append(review)
    texts = []
    for note_id, given in sorted(by_note.items()):
        note = _note(lake, note_id)
        if note is None:
            continue
        counting = decided([review for review in given if review.raw_sha256 == text_sha256(note.before)])
        if counting is not None:
            spans = ((mark.start, mark.end, mark.type if types else mark.label) for mark in counting.marks)
            texts.append(_annotated(note, spans))
    if not texts:
        raise ConfigurationError(f"--lake {lake.root}: nobody has read a note yet")
    write_corpus(output, texts, form)
    return len(texts)


def export_proposals(lake: Lake, queue: Iterable[QueuedNote], output: Path, form: str | None, *, types: bool) -> int:
    """Write the notes of a queue with what the pipeline removed, for an annotation tool. Return how many.

    Raises ConfigurationError if the output exists.
    """
    _check_new(output)
    notes = [note for queued in queue if (note := _note(lake, queued.note_id)) is not None]
    write_corpus(output, (_annotated(note, _spans(note, types=types)) for note in notes), form)
    return len(notes)


def import_reviews(lake: Lake, path: Path, form: str | None, reader: ReaderName) -> int:
    """Store what an annotation tool says as the reviews of a reader. Return how many notes that are.

    Labels are types or labels of this project. Raises ConfigurationError, and stores nothing, if there is another one,
    a note is not of the lake, or its text is another one than in the lake.
    """
    chosen = form or find_format(path)
    options = {"labels": None} if "labels" in FORMATS[chosen].options() else {}
    problems: list[str] = []
    reviews = []
    for number, text in enumerate(read_corpus(path, chosen, **options), 1):
        note = _note(lake, text.id)
        if note is None or note.before != text.text:
            problems.append(f"{path}: text {number} is not one of the lake's notes as they are now")
            continue
        try:
            reviews.append(make_review(note, list(_ranges(note, text.spans)), reader))
        except ValueError as error:
            problems.append(f"{path}: text {number}: {error}")
    if problems:
        raise ConfigurationError(problems)
    for review in reviews:
        append_review(lake, review)
    return len(reviews)


def _check_new(output: Path) -> None:
    if output.exists():
        raise ConfigurationError(f"{output}: exists; name a new file or folder")
    if not output.absolute().parent.is_dir():
        raise ConfigurationError(f"{output}: there is no folder {output.parent}")


def _ranges(note: BeforeAndAfter, spans: Sequence[LabelledSpan]) -> Iterator[MarkedRange]:
    """Yield the ranges with types. A label alone takes the type of the removed span in its place, if there is one.

    Raises ValueError for an unknown label; the message does not quote it.
    """
    known = {(span.start, span.end, str(span.label)): span.type for span in note.spans}
    for span in spans:
        if span.label in set(PhiType):
            yield MarkedRange(span.start, span.end, PhiType(span.label))
        elif span.label in set(Label):
            place = (span.start, span.end, span.label)
            # A name may be the patient's, so it counts as one.
            general = PhiType.PATIENT if span.label == Label.PER else general_type(Label(span.label))
            yield MarkedRange(span.start, span.end, known.get(place, general))
        else:
            raise ValueError("has a label that is neither a label nor a type; `deid labels` lists them")


def _spans(note: BeforeAndAfter, *, types: bool) -> Iterator[tuple[int, int, str]]:
    return ((span.start, span.end, span.type if types else span.label) for span in note.spans)


def _annotated(note: BeforeAndAfter, spans: Iterable[tuple[int, int, str]]) -> AnnotatedText:
    return AnnotatedText(note.note_id, note.before, tuple(LabelledSpan(s, e, str(name)) for s, e, name in spans))


def _note(lake: Lake, note_id: str) -> BeforeAndAfter | None:
    """Return the note; None if the lake does not have it any more."""
    try:
        return before_and_after(lake, note_id)
    except ConfigurationError:
        return None
