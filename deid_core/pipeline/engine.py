"""The engine: one note in, its spans and redacted text out. The same code for Spark, the command line and the library.

The steps, and where they are. `document`: normalise, unwrap, tokenise. `_detections`: recognise, propagate what is
certain, add authors and words that are always removed. `_decide` calls it, and then: collect the known terms that the
sweep looks for, weigh by the stacking model, resolve overlaps, correct foreign passages, trim boundaries, choose
subtypes, leave words and labels that are never removed. `_work` calls all of these, and then: redact, sweep.
engine_parts.py makes the parts that take these steps, note_steps.py limits their time.

An engine belongs to one process and is not thread-safe: its tables of word types grow as it reads. A note with very
many new words gets tables of its own, which are given up after it, so that the next notes do not pay for its words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from deid_core.core.errors import NoteError, Reason
from deid_core.core.interrupt import interrupted_at
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason, Span, check_ranges
from deid_core.core.uncovered_text import legible
from deid_core.ensemble import own_lists, propagation
from deid_core.ensemble.resolve import Resolver
from deid_core.pipeline.engine_parts import EngineParts
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.identity_terms import words_of_terms
from deid_core.pipeline.known_terms import Term, document_terms, header_terms
from deid_core.pipeline.note_steps import NoteSteps
from deid_core.pipeline.side_by_side import Work, finished, side_by_side
from deid_core.pipeline.sweep import in_note
from deid_core.policies.redaction import Redacted, Redactor
from deid_core.policies.settings import load_policy
from deid_core.recognisers.author import AuthorRecogniser
from deid_core.recognisers.settings import LetterheadSettings
from deid_core.text.document import Document
from deid_core.text.markup import with_pairs
from deid_core.text.normalisation import normalised
from deid_core.text.tokens import Tokens, TooManyNewWords
from deid_core.text.unwrap import unwrapped

_WARM_UP = "Herr Peter Müller, geb. 1.2.1950, kam aus Berlin. " * 20
"""Long enough to load what only long notes need, with names of the lists, which load what decides about them."""
_MAX_NEW_WORDS = 10_000
"""A note with more new word types gets tables of its own. A letter has some hundred, and what 10,000 cost the notes
after it is a small part of their time limit."""
_GRACE, _MIN_GRACE_S = 0.5, 1.0
"""How much longer than its time limit, as a share of it and in seconds, a note may take before it is interrupted."""
_MOST_SWEEPS = 4
"""What is redacted may cut a word in two, and what is left of it may be a known name."""
_MOST_RULES = 5
"""What the sweep still found then, in the detail of a quarantined note, which has a limit."""


@dataclass(frozen=True, slots=True)
class Deidentified:
    """The engine's result for a note.

    outputs: (start, end) in `text` of what stands for each span. tokens: number of tokens before redaction. dropped:
    what was detected and not wholly removed, with the reason, in the order of the steps. unparsed: for each
    label the number of spans that the policy's operator could not read, as an impossible date; they became
    placeholders.
    """

    note_id: str
    year: int | None
    text: str
    spans: tuple[Span, ...]
    outputs: tuple[tuple[int, int], ...]
    tokens: int
    dropped: tuple[Dropped, ...]
    unparsed: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0
    """Words of `lists.never` that were removed all the same, since the letterhead has them as a name."""
    languages: tuple[str, ...] = ()
    """Languages other than German of some of its lines, as ISO 639-1 codes."""


class _Decided(NamedTuple):
    """The spans of a note, what the ensemble dropped, and what the sweep looks for."""

    spans: tuple[Span, ...]
    dropped: tuple[Dropped, ...]
    refused: int
    terms: Sequence[Term] = ()
    languages: tuple[str, ...] = ()


def _in_note(text: str, document: Document, decided: _Decided) -> _Decided:
    """Return what was decided with places of the note as it is stored, whose text this is."""
    if document.places is None:
        return decided._replace(spans=with_pairs(text, decided.spans))
    spans = with_pairs(text, document.places.moved(decided.spans))
    return decided._replace(spans=spans, dropped=document.places.moved(decided.dropped))


class Engine:
    """Runs a pipeline over notes."""

    def __init__(self, spec: EngineSpec, redactor: Redactor | None = None) -> None:
        """redactor: applies the policy; None writes the placeholders of policy `thesis`."""
        self.spec = spec
        pipeline = spec.pipeline
        self._redactor = redactor or Redactor(load_policy())
        self._first = (AuthorRecogniser.kind, own_lists.KIND)
        """Kinds that come before all others, and that neither model nor own lists drop, in any pipeline."""
        before_entities = [*self._first, *(kind for kind in pipeline.kinds if kind not in pipeline.order)]
        self._before_entities = frozenset(before_entities)
        """Kinds whose spans are not trimmed and keep their types."""
        self._resolver = Resolver(
            pipeline.order,
            labels_from=pipeline.labels_from,
            merge=pipeline.merge_names,
            before_entities=before_entities,
        )
        self.unstacked = spec.compiled.unstacked.union(self._first)
        """Kinds whose detections the stacking model does not see."""
        self._keep = frozenset(pipeline.keep)
        self._authors = AuthorRecogniser()
        self._has_typed_fields = any(isinstance(r, LetterheadSettings) and r.typed for r in pipeline.recognisers)
        self._parts: EngineParts | None = self._new_parts()
        """None after a failure, which may have left tables that are half grown."""
        self._set_aside: EngineParts | None = None
        """The parts for the next note, while a note with very many new words has parts of its own."""

    def deidentify(
        self, note: Note, patient: str = "", redactor: Redactor | None = None, known: Sequence[Term] = ()
    ) -> Deidentified:
        """Return the note's redacted text with its spans.

        patient: whose note it is, for policies with surrogates or shifted dates; "" if that is not known.
        redactor: of a policy other than the engine's. known: what is known of the note's people from elsewhere. The
        sweep looks for it, and names and addresses that the hospital knows are treated as if the header said them.

        Raises NoteError if a step fails or the note takes longer than its limit; with reason LEAK if the sweep
        still finds what was redacted because of it.
        """
        with self._limited() as steps:
            return finished(self._work(steps, redactor, note, patient, known))

    def deidentify_all(
        self, notes: Iterable[tuple[Note, str, Sequence[Term]]], redactor: Redactor | None = None
    ) -> list[Deidentified] | None:
        """Return what `deidentify` returns for each of some notes, in less time; None if one of them failed.

        notes: of each what `deidentify` takes as note, patient and known. What depends on a word alone is computed for
        the new words of all notes at once, and the notes take each step one after the other. Together they have the
        time limit of one note, so give no more than some dozens of usual length. If there is no result, give each note
        to `deidentify`, which tells what is wrong with it.
        """
        try:
            with self._limited() as steps:
                return side_by_side([self._work(steps, redactor, *given) for given in notes])
        except Exception:
            # Of a step. Or the tables of word types were given up for one of the notes, and the others lost theirs.
            return None

    def _work(
        self, steps: NoteSteps, redactor: Redactor | None, note: Note, patient: str, known: Sequence[Term]
    ) -> Work[Deidentified]:
        """The work of `deidentify` on one note.

        A generator, which pauses after each step, so that `deidentify_all` can take several notes side by side
        (side_by_side.py).
        """
        with steps.named("tokenise"):
            document = self.document(note, known)
        yield
        decided = yield from self._decide(document, steps)
        spans, dropped, refused, terms, languages = _in_note(note.text, document, decided)
        redact = partial(self._redact, redactor or self._redactor, note, patient)
        with steps.named("redact"):
            text, outputs, unparsed, _ = redact(spans)
        yield
        if self.spec.pipeline.sweep or known:
            with steps.named("sweep"):
                sweep = self.parts_of(document).sweep
                terms = [*terms, *known]
                by_ensemble = dropped
                for _ in range(_MOST_SWEEPS):
                    leaks = sweep.find(text, outputs, terms)
                    before = len(spans)
                    spans, common = sweep.added(in_note(leaks, spans, outputs), spans, by_ensemble)
                    dropped = (*by_ensemble, *common)
                    if len(spans) == before:
                        break
                    text, outputs, unparsed, _ = redact(spans)
                else:
                    if left := [leak for leak in sweep.find(text, outputs, terms) if not leak.common]:
                        raise NoteError(Reason.LEAK, ", ".join(sweep.rules(left)[:_MOST_RULES]))
        tokens, dropped = len(document.tokens), legible(note.text, dropped, spans)
        return Deidentified(
            note.note_id, note.year, text, spans, outputs, tokens, dropped, unparsed, refused, languages
        )

    def _redact(self, redactor: Redactor, note: Note, patient: str, spans: Sequence[Span]) -> Redacted:
        return redactor.redact(
            note.text,
            spans,
            note_id=note.note_id,
            patient=patient,
            unlabelled=self.spec.pipeline.unlabelled_placeholder,
        )

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note without the sweep, ascending and disjoint.

        Raises NoteError as `deidentify` does.
        """
        with self._limited() as steps:
            with steps.named("tokenise"):
                document = self.document(note)
            return _in_note(note.text, document, finished(self._decide(document, steps))).spans

    def document(self, note: Note, known: Sequence[Term] = ()) -> Document:
        """Return the note, normalised and cut into tokens; if the pipeline unwraps, with blanks in place of line ends
        that only the width of the page forced.

        Use it before the next one is made, because that may number word types anew.

        Raises NoteError TOO_LARGE for a note with more tokens or word types than the settings allow.
        """
        self._make_room()
        note, places = normalised(note)
        if self.spec.pipeline.unwrap:
            note = unwrapped(note)
        try:
            tokens = self._whole_parts().vocabulary.tokenise(note.text, max_new=_MAX_NEW_WORDS)
        except TooManyNewWords:
            self._parts, self._set_aside = self._new_parts(), self._parts
            tokens = self._parts.vocabulary.tokenise(note.text)
        self._check_size(tokens)
        return Document(note, tokens, self._whole_parts().vocabulary, places, tuple(words_of_terms(known)))

    def detections(self, document: Document) -> list[Detection]:
        """Return all detections: of the recognisers, of propagation, of authors, and of words that are always removed.

        Raises NoteError as `deidentify` does, and ValueError if the document's word types were numbered before the
        engine started anew.
        """
        with self._limited() as steps:
            return finished(self._detections(document, steps))

    def spans(self, document: Document) -> tuple[Span, ...]:
        """Return the spans of a note that is cut into tokens already, with places of the document's text.

        Raises as `detections` does.
        """
        with self._limited() as steps:
            return finished(self._decide(document, steps)).spans

    def _detections(self, document: Document, steps: NoteSteps) -> Work[list[Detection]]:
        parts = self.parts_of(document)
        detections: list[Detection] = []
        for recogniser in parts.recognisers:
            with steps.named(recogniser.kind):
                found = list(recogniser.recognise(document))
                check_ranges(found)
            detections += found
            yield
        if parts.propagation is not None:
            with steps.named(propagation.KIND):
                found = list(parts.propagation.propagate(document, detections))
                check_ranges(found)
            detections += found
            yield
        # After the propagation: "Sekretariat 2" as an author makes no name of the word elsewhere.
        with steps.named(AuthorRecogniser.kind):
            detections += self._authors.recognise(document)
        if parts.own_lists is not None:
            with steps.named(own_lists.KIND):
                detections += parts.own_lists.always(document)
        return detections

    def _decide(self, document: Document, steps: NoteSteps) -> Work[_Decided]:
        """Recognise, then decide: what becomes a span, with which boundaries, label and type."""
        parts = self.parts_of(document)
        detections = yield from self._detections(document, steps)
        terms: Sequence[Term] = ()
        if self.spec.pipeline.sweep:
            with steps.named("known terms"):
                terms = document_terms(document, detections) if self._has_typed_fields else header_terms(document.note)
            yield
        entities: list[Detection] = []
        dropped: list[Dropped] = []
        if parts.stacking is not None:
            with steps.named("stacking"):
                unstacked = [d for d in detections if d.recogniser in self.unstacked] if self.unstacked else []
                stacked = [d for d in detections if d.recogniser not in self.unstacked] if unstacked else detections
                entities, kept, dropped = parts.stacking.decide(document, stacked)
                detections = [*kept, *unstacked]
            yield
        with steps.named("resolve"):
            spans = self._resolver.resolve(document.text, detections, entities)
        yield
        languages: tuple[str, ...] = ()
        if parts.foreign_passages is not None:
            with steps.named("foreign passages"):
                if foreign := parts.foreign_passages.find(document):
                    languages = foreign.languages
                    spans, left = parts.foreign_passages.correct(document, spans, foreign)
                    dropped += left
            yield
        untouched = [span for span in spans if span.recogniser in self._before_entities]
        if parts.boundary_trimmer is not None:
            with steps.named("boundary trimming"):
                own = [d for d in detections if d.recogniser in self._before_entities]
                spans, trimmed = parts.boundary_trimmer.trim(document, spans, own)
                dropped += trimmed
            yield
        if parts.subtypes is not None:
            with steps.named("subtypes"):
                spans = parts.subtypes.decide(document, spans)
            yield
        if untouched:
            others = [span for span in spans if span.recogniser not in self._before_entities]
            spans = tuple(sorted([*untouched, *others], key=lambda span: span.start))
        refused = 0
        if parts.own_lists is not None:
            with steps.named(own_lists.KIND):
                first = [d for d in detections if d.recogniser in self._first]
                spans, cut, refused = parts.own_lists.cut(document, spans, first)
                dropped += cut
        if self._keep:
            dropped += [Dropped.from_detection(span, DropReason.KEEP) for span in spans if span.label in self._keep]
            spans = tuple(span for span in spans if span.label not in self._keep)
        return _Decided(spans, tuple(dropped), refused, terms, languages)

    def warm_up(self) -> None:
        """Load and compile what the first note would otherwise wait for within its time limit.

        Raises NoteError if a step fails.
        """
        steps = NoteSteps(math.inf, math.inf, self._give_up_parts)
        with steps.named("tokenise"):
            document = self.document(Note("", _WARM_UP))
        finished(self._decide(document, steps))

    def _new_parts(self) -> EngineParts:
        return EngineParts(self.spec)

    def _make_room(self) -> None:
        """Give up the parts of a note with very many new words, of a failure, and those with too many word types."""
        if self._set_aside is not None:
            self._parts, self._set_aside = self._set_aside, None
        if self._parts is None or self._parts.are_full(self.spec.settings):
            # First without the old ones: there may be no memory for both.
            self._parts = None
            self._parts = self._new_parts()

    def _whole_parts(self) -> EngineParts:
        if self._parts is None:
            raise ValueError("the engine has given up its parts after a failure")
        return self._parts

    def parts_of(self, document: Document) -> EngineParts:
        """Return the parts that number word types as the document does."""
        if self._parts is None or document.vocabulary is not self._parts.vocabulary:
            raise ValueError("the document is of a vocabulary that the engine has given up")
        return self._parts

    def _check_size(self, tokens: Tokens) -> None:
        limit = self.spec.settings.max_note_tokens
        if len(tokens) > limit:
            raise NoteError(Reason.TOO_LARGE, f"over {limit} words and marks (engine.max_note_tokens)")
        limit = self.spec.settings.max_note_word_types
        if len(tokens) > limit and len(np.unique(tokens.types)) > limit:
            raise NoteError(Reason.TOO_LARGE, f"over {limit} different words (engine.max_note_word_types)")

    @contextmanager
    def _limited(self) -> Iterator[NoteSteps]:
        """Yield the steps of one note, whose time begins now. A step that does not end is interrupted."""
        limits = self.spec.settings
        steps = NoteSteps(limits.note_time_limit_s, limits.note_wall_limit_s, self._give_up_parts)
        try:
            # A step that is only slow should end by itself: then the tables of word types stay whole.
            with interrupted_at(steps.cpu_deadline + max(_MIN_GRACE_S, _GRACE * limits.note_time_limit_s)):
                yield steps
        except TimeoutError:
            # Between two steps.
            self._give_up_parts()
            raise NoteError(Reason.ENGINE_TIMEOUT, steps.name) from None

    def _give_up_parts(self) -> None:
        """Give up parts whose tables may be half grown: the next note must not read them.

        If there is no memory for new ones, the next note tries again.
        """
        self._parts = None
        with suppress(Exception):
            self._make_room()
