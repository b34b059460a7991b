"""The Python interface: load a pipeline, de-identify texts and notes.

from deid_core import Deidentifier

deidentifier = Deidentifier.load("default")
result = deidentifier.redact("Herr Peter Muster kam am 1.2.2010.")
result.text     # "<SALUTE> <PER> kam am <DATE>."
result.spans    # places in result.source_text, with label, type, recogniser, rule and score
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, overload

from deid_core.core.errors import ConfigurationError, NoteError
from deid_core.core.html import highlighted_html
from deid_core.core.note import Note
from deid_core.core.spans import Dropped, Span
from deid_core.pipeline.config import PipelineSettings, load_pipeline
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.identity_terms import terms_of_values
from deid_core.pipeline.loading import load_engine
from deid_core.pipeline.settings_file import Settings, load_settings
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import load_redactor
from deid_core.policies.settings import DEFAULT_POLICY, PolicySettings
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.plain import note_from_text
from deid_core.recognisers.registry import register_recogniser

__all__ = ["Deidentifier", "Dropped", "Note", "Result", "Span", "note_from_text", "read_note", "register_recogniser"]

_WINDOW_CHARS = 100_000
"""`pipe` reads about this much text at once: some twenty letters."""


@dataclass(frozen=True, slots=True)
class Result:
    """A de-identified text.

    text: the text with a placeholder, or what else the policy says, for each span.
    spans: what was removed, ascending and disjoint; offsets count code points of `source_text`.
    source_text: the text that the spans refer to. It is the given text with LF as line ends and without control
    characters (`note_from_text`), or the text of the given note.
    placeholders: (start, end) in `text` of what stands for each span.
    unparsed: for each label the number of spans that the policy's operator could not read, as an impossible date; they
    became placeholders.
    languages: of lines that are not in German, as ISO 639-1 codes ("en"). Expect more errors in them.
    dropped: what was detected and not wholly removed, each with its `reason`, the setting of the pipeline that decided;
    offsets as those of `spans`. A lake keeps the same in `restricted/dropped`.

    `repr` never shows a text. Notebooks show `source_text` with coloured spans, so it is on the screen and in the
    saved notebook.
    """

    text: str
    spans: tuple[Span, ...]
    source_text: str = field(repr=False)
    placeholders: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    unparsed: Mapping[str, int] = field(default_factory=dict, repr=False)
    languages: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"Result({len(self.text)} characters, {len(self.spans)} spans)"

    def _repr_html_(self) -> str:
        """Return `source_text` with coloured spans and a legend, for notebooks."""
        return highlighted_html(self.source_text, self.spans)


class Deidentifier:
    """De-identifies texts with one pipeline.

    It keeps what it knows of words and gets faster with every text. Use one for each process; it is not thread-safe.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def load(
        cls,
        pipeline: str | os.PathLike[str] | PipelineSettings | None = None,
        *,
        settings: str | os.PathLike[str] | Settings | None = None,
        overrides: Mapping[str, Any] | None = None,
        policy: str | os.PathLike[str] | PolicySettings = DEFAULT_POLICY,
        key: str | os.PathLike[str] | PolicyKey | None = None,
    ) -> Deidentifier:
        """Return a de-identifier for a pipeline.

        pipeline: a name in conf/pipelines, a path that ends in .yaml or .yml, or a pipeline object; None is the
        settings'.
        settings: a path of a settings file, or a settings object; None is conf/settings.yaml.
        overrides: what to change in a named pipeline, by dotted key: {"stacking.drop_above": 0.8,
        "recognisers.gazetteer.lists": ["town"], "without": ["age"]}.
        policy: what replaces the spans: a name in conf/policies, a path that ends in .yaml or .yml, or a policy object.
        key: the file of the policy's key, or the key; None is the variable DEID_POLICY_KEY. Policies that draw nothing
        need none.

        Raises ConfigurationError with all problems of settings, policy, pipeline, lists and models, SecretMissingError
        if the policy needs a key and there is none.
        """
        settings = _settings(settings)
        if pipeline is None:
            pipeline = settings.pipeline
        if isinstance(pipeline, (str, os.PathLike)):
            pipeline = load_pipeline(os.fspath(pipeline), overrides)
        elif not isinstance(pipeline, PipelineSettings):
            raise TypeError(f"a pipeline is a name, a path or PipelineSettings, not {type(pipeline).__name__}")
        elif overrides:
            raise TypeError("overrides change a named pipeline, not a PipelineSettings object")
        redactor = load_redactor(policy, key)
        return cls(load_engine(pipeline, settings, redactor))

    @property
    def pipeline(self) -> PipelineSettings:
        """The pipeline with all its settings."""
        return self._engine.spec.pipeline

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change when pipeline, lists, models or code change what is found."""
        return self._engine.spec.fingerprint

    def redact(
        self, text: str | Note, patient: str = "", identity: Mapping[str, str | Iterable[str]] | None = None
    ) -> Result:
        """Return the text with its spans replaced as the policy says, and the spans.

        patient: whose text it is: the texts of one patient get the same surrogates and the same shift of dates. Without
        it each text, or note id, stands for a patient.
        identity: what is known of the text's people, as {"name": ["Eva Muster", "Jan Muster"], "birth_date":
        "1.2.1950"}: it is searched for in the text. Kinds are name, address, postcode, birth_date, number, electronic.

        Raises NoteError, whose `reason` says why, if a step fails, the note takes longer than the engine's time limit
        or is too large, or the sweep still finds what it redacted. A note is never returned half done. Raises
        ConfigurationError for an identity that cannot be searched for.
        """
        note = _note(text)
        done = self._engine.deidentify(note, patient, known=terms_of_values(identity or {}))
        return _result(note, done)

    def annotate(self, text: str | Note) -> tuple[Span, ...]:
        """Return the spans of a text; offsets are those of `redact`'s `source_text`. Raises NoteError as `redact`.

        They are the spans before the sweep, which may add some in `redact`.
        """
        return self._engine.annotate(_note(text))

    @overload
    def pipe(self, texts: Iterable[str | Note]) -> Iterator[Result]: ...
    @overload
    def pipe(self, texts: Iterable[str | Note], *, errors: Literal["raise"]) -> Iterator[Result]: ...
    @overload
    def pipe(self, texts: Iterable[str | Note], *, errors: Literal["yield"]) -> Iterator[Result | NoteError]: ...
    def pipe(
        self, texts: Iterable[str | Note], *, errors: Literal["raise", "yield"] = "raise"
    ) -> Iterator[Result | NoteError]:
        """Yield the result of each text in order; faster than `redact` for many texts with new words.

        Reads ahead about 100,000 characters of `texts` at a time.

        errors: "raise" ends with the first NoteError; "yield" gives it in place of that text's result and goes on.
        """
        if isinstance(texts, (str, Note)):
            raise TypeError("pipe takes an iterable of texts; for one text use redact")
        if errors not in ("raise", "yield"):
            raise ValueError(f"errors is 'raise' or 'yield', not {errors!r}")
        return self._pipe(texts, errors)

    def _pipe(self, texts: Iterable[str | Note], errors: str) -> Iterator[Result | NoteError]:
        for window in _windows(map(_note, texts)):
            together = self._engine.deidentify_all([(note, "", ()) for note in window]) if len(window) > 1 else None
            for note, done in zip_longest(window, together or ()):
                try:
                    yield self.redact(note) if done is None else _result(note, done)
                except NoteError as error:
                    if errors == "raise":
                        raise
                    yield error


def read_note(path: str | os.PathLike[str], *, settings: str | os.PathLike[str] | Settings | None = None) -> Note:
    """Return the note of one Word, .odt, .rtf or .txt file; its id is the file's name without ending.

    settings: as for `Deidentifier.load`; the section `reading` has the limits.

    Raises NoteError with a reason if the file cannot be read, ConfigurationError if there is no such file or it needs
    LibreOffice and that is not installed.
    """
    file = Path(path)
    if not file.is_file():
        raise ConfigurationError(f"{file}: there is no such file")
    with NoteReader(_settings(settings).reading) as reader:
        [(_, note)] = reader.read([SourceFile(file.resolve(), file.name, file.stem)])
    if isinstance(note, NoteError):
        raise note
    return note


def _settings(settings: str | os.PathLike[str] | Settings | None) -> Settings:
    if isinstance(settings, Settings):
        return settings
    return load_settings(None if settings is None else Path(settings))


def _note(text: str | Note) -> Note:
    if isinstance(text, Note):
        return text
    if isinstance(text, str):
        return note_from_text(text)
    told = "; decode it first" if isinstance(text, bytes) else ""
    raise TypeError(f"a text is a str or a Note, not {type(text).__name__}{told}")


def _result(note: Note, done: Deidentified) -> Result:
    return Result(done.text, done.spans, note.text, done.outputs, done.unparsed, done.languages, done.dropped)


def _windows(notes: Iterable[Note]) -> Iterator[list[Note]]:
    """Yield the notes in lists of about _WINDOW_CHARS characters; a longer note is alone."""
    window: list[Note] = []
    chars = 0
    for note in notes:
        if window and chars + len(note.text) > _WINDOW_CHARS:
            yield window
            window, chars = [], 0
        window.append(note)
        chars += len(note.text)
    if window:
        yield window
