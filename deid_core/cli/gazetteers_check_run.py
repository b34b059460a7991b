"""`deid gazetteers check`: what a list would change on given letters, before it is used.

Both the pipeline as it is and the pipeline with the list read the letters. Counted are words, by their labels before
and after. No text of a letter is printed unless `--show` asks for it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from deid_core.cli.choices import NEVER
from deid_core.cli.engine_arguments import engine_for
from deid_core.cli.note_input import input_problems, notes_of
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError
from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.core.text_tables import table
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind

if TYPE_CHECKING:
    from deid_core.pipeline.engine_spec import EngineSpec

_WORD = re.compile(r"[^\W_]+")
_CONTEXT = 30
"""Characters shown on each side of a changed word."""


class _Change(NamedTuple):
    """A word [start, end) whose label changes; None: it is not removed."""

    start: int
    end: int
    before: Label | None
    after: Label | None


def run(args: argparse.Namespace) -> int:
    """Print what the list would change; exit code 65 if a letter could not be read or processed."""
    # Imported here, as in other commands: `--help` and a wrong argument need no engine.
    from deid_core.ensemble.own_lists import refused_message
    from deid_core.pipeline.loading import warm_engine
    from deid_core.pipeline.own_list_files import read_list

    problems = input_problems(args.letters)
    entries = read_list(args.list, problems)
    if problems:
        raise ConfigurationError(problems)
    engine = engine_for(args)
    changed_engine = warm_engine(_with_list(engine.spec, args, entries))
    changes: Counter[tuple[Label | None, Label | None]] = Counter()
    spans_before: Counter[Label] = Counter()
    spans_after: Counter[Label] = Counter()
    notes = failed = changed_notes = refused = 0
    for number, note in enumerate(notes_of(args.letters, args.settings), 1):
        try:
            if isinstance(note, NoteError):
                raise note
            before, done = engine.annotate(note), changed_engine.deidentify(note)
        except NoteError as error:
            failed += 1
            print(f"deid gazetteers: note {number} of the letters: {error}", file=sys.stderr)
            continue
        found = list(_changes(note.text, before, done.spans))
        notes, changed_notes, refused = notes + 1, changed_notes + bool(found), refused + done.refused
        spans_before.update(span.label for span in before)
        spans_after.update(span.label for span in done.spans)
        changes.update((change.before, change.after) for change in found)
        for change in found if args.show else ():
            print(_shown(note, change))
    print(_report(changes, spans_before, spans_after))
    print(f"{len(entries):,} entries as {args.kind}: {changed_notes:,} of {notes:,} letters change")
    if refused:
        print(refused_message(refused))
    return ExitCode.QUARANTINE if failed else ExitCode.DONE


def _with_list(spec: EngineSpec, args: argparse.Namespace, entries: Sequence[str]) -> EngineSpec:
    """Return the spec with one list more."""
    from pydantic import ValidationError

    from deid_core.ensemble.settings import ListsSettings
    from deid_core.lexicon.gazetteer.build import build
    from deid_core.pipeline.settings_file import load_settings

    if args.kind in NAME_KINDS:
        settings = load_settings(args.settings).gazetteers
        return replace(spec, gazetteer=build(settings, {ListKind(args.kind): entries}).gazetteer)
    lists = spec.pipeline.lists
    never, always = list(lists.never), dict(lists.always)
    if args.kind == NEVER:
        never += entries
    else:
        label = Label(args.kind)
        always[label] = [*always.get(label, []), *entries]
    try:
        own = ListsSettings(never=never, always=always)
    except ValidationError as error:
        raise ConfigurationError([f"{args.list}: {each['msg']}" for each in error.errors()]) from None
    return replace(spec, pipeline=spec.pipeline.model_copy(update={"lists": own}))


def _changes(text: str, before: Sequence[Span], after: Sequence[Span]) -> Iterator[_Change]:
    labels_before, labels_after = _labels(before), _labels(after)
    if labels_before == labels_after:
        return
    for word in _WORD.finditer(text):
        start, end = word.span()
        old, new = (
            next((found[at] for at in range(start, end) if at in found), None)
            for found in (labels_before, labels_after)
        )
        if old != new:
            yield _Change(start, end, old, new)


def _labels(spans: Sequence[Span]) -> dict[int, Label]:
    return {at: span.label for span in spans for at in range(span.start, span.end)}


def _report(
    changes: Mapping[tuple[Label | None, Label | None], int], before: Counter[Label], after: Counter[Label]
) -> str:
    rows: list[tuple[object, ...]] = [("label", "spans before", "spans after", "words more", "words fewer")]
    for label in [each for each in Label if before[each] or after[each]]:
        more = sum(count for (_, new), count in changes.items() if new is label)
        fewer = sum(count for (old, _), count in changes.items() if old is label)
        rows.append((label, before[label], after[label], more, fewer))
    more = sum(count for (old, _), count in changes.items() if old is None)
    fewer = sum(count for (_, new), count in changes.items() if new is None)
    return table([*rows, ("removed at all", before.total(), after.total(), more, fewer)])


def _shown(note: Note, change: _Change) -> str:
    left, right = note.text[max(0, change.start - _CONTEXT) : change.start], note.text[change.end :][:_CONTEXT]
    text = " ".join(f"{left}[{note.text[change.start : change.end]}]{right}".split())
    return f"{note.note_id}\t{change.before or 'kept'} -> {change.after or 'kept'}\t{text}"
