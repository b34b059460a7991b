"""The Python interface: load a pipeline, de-identify texts and notes.

from deid_core import Deidentifier

deidentifier = Deidentifier.load("default")
result = deidentifier.redact("Herr Peter Muster kam am 1.2.2010.")
result.text     # "<SALUTE> <PER> kam am <DATE>."
result.spans    # places in result.source_text, with label, type, recogniser, rule and score
"""

from __future__ import annotations

import json
import math
import os
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import tee
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, overload

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.html import highlighted_html
from deid_core.core.note import Note
from deid_core.core.spans import Dropped, Span
from deid_core.pipeline.config import PipelineSettings, load_pipeline, parse_pipeline
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.identity_terms import terms_of_values
from deid_core.pipeline.loading import load_engine
from deid_core.pipeline.settings_file import Settings, load_settings
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import load_redactor
from deid_core.policies.settings import DEFAULT_POLICY, PolicySettings, policy_from_json
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.canonical import in_given_text
from deid_core.readers.plain import note_from_text
from deid_core.recognisers.registry import register_recogniser

__all__ = ["Deidentifier", "Dropped", "Note", "Result", "Span", "note_from_text", "read_note", "register_recogniser"]

_Context = TypeVar("_Context")
_Found = TypeVar("_Found", Span, Dropped)
_WINDOW_CHARS = 100_000
"""`pipe` reads about this much text at once: some twenty letters."""
_MISSING = frozenset({"NoneType", "NAType", "NaTType"})
"""Types of missing values in tables."""


@dataclass(frozen=True, slots=True)
class Result:
    """A de-identified text.

    text: the text with a placeholder, or what else the policy says, for each span.
    It has LF as line ends and no control characters (`note_from_text`).
    spans: what was removed, ascending and disjoint; offsets count code points of `source_text`.
    source_text: the given text, or the text of the given note.
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

    A pickle has the settings, no lists, models or key: another process loads those from its own files, and a thread
    loads the same pickle once. It raises ConfigurationError if code, lists, models or the key differ there. A key that
    was given as an object cannot be pickled, since the pickle would hold it in the clear.
    """

    def __init__(self, engine: Engine, loaded_from: _LoadedFrom | None = None) -> None:
        """loaded_from: what a pickle has; None if it cannot be pickled."""
        self._engine = engine
        self._loaded_from = loaded_from

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
        engine = load_engine(pipeline, settings, redactor)
        if redactor.key is None:
            key = None
        elif isinstance(key, PolicyKey):
            return cls(engine)
        file = None if key is None else os.path.abspath(key)
        pipeline_json, settings_json, policy_json = (
            model.model_dump_json() for model in (pipeline, settings, redactor.policy)
        )
        fingerprints = engine.spec.fingerprint, redactor.fingerprint
        return cls(engine, _LoadedFrom(pipeline_json, settings_json, policy_json, file, fingerprints))

    def __reduce__(self) -> tuple[Callable[[_LoadedFrom], Deidentifier], tuple[_LoadedFrom]]:
        if self._loaded_from is None:
            raise pickle.PicklingError(
                "a Deidentifier whose key was given as an object, or that `load` did not make, cannot be pickled: the "
                "pickle would hold the key in the clear; load it with key=FILE or the variable DEID_POLICY_KEY"
            )
        return _loaded_again, (self._loaded_from,)

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
        given = _input_of(text)
        done = self._engine.deidentify(given.note, patient, known=terms_of_values(identity or {}))
        return _result(given, done)

    def annotate(self, text: str | Note) -> tuple[Span, ...]:
        """Return the spans of a text; offsets are those of `redact`'s `source_text`. Raises NoteError as `redact`.

        They are the spans before the sweep, which may add some in `redact`.
        """
        given = _input_of(text)
        return given.placed(self._engine.annotate(given.note))

    @overload
    def pipe(
        self, texts: Iterable[str | Note], *, errors: Literal["raise"] = "raise", as_tuples: Literal[False] = False
    ) -> Iterator[Result]: ...
    @overload
    def pipe(
        self, texts: Iterable[str | Note], *, errors: Literal["yield"], as_tuples: Literal[False] = False
    ) -> Iterator[Result | NoteError]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str | Note, _Context]],
        *,
        errors: Literal["raise"] = "raise",
        as_tuples: Literal[True],
    ) -> Iterator[tuple[Result, _Context]]: ...
    @overload
    def pipe(
        self, texts: Iterable[tuple[str | Note, _Context]], *, errors: Literal["yield"], as_tuples: Literal[True]
    ) -> Iterator[tuple[Result | NoteError, _Context]]: ...
    def pipe(
        self, texts: Iterable[Any], *, errors: Literal["raise", "yield"] = "raise", as_tuples: bool = False
    ) -> Iterator[Any]:
        """Yield the result of each text in order; faster than `redact` for many texts with new words.

        Reads ahead about 100,000 characters of `texts` at a time.

        errors: "raise" ends with the first NoteError, or TypeError for what is no text, and says the position; "yield"
        gives a NoteError in place of that text's result and goes on.
        as_tuples: texts are pairs of a text and anything, as an id; yield pairs of the result and the same thing.
        What is no pair counts as what is no text, and None belongs to it.
        """
        if isinstance(texts, (str, Note)):
            raise TypeError("pipe takes an iterable of texts; for one text use redact")
        if errors not in ("raise", "yield"):
            raise ValueError(f"errors is 'raise' or 'yield', not {errors!r}")
        if not as_tuples:
            return self._pipe(map(_input_or_error, texts), errors)
        pairs, same = tee(map(_input_of_pair, texts))
        return zip(self._pipe((given for given, _ in pairs), errors), (context for _, context in same), strict=False)

    def _pipe(self, inputs: Iterable[_Input | TypeError], errors: str) -> Iterator[Result | NoteError]:
        position = 0
        for window in _windows(inputs):
            notes = [(given.note, "", ()) for given in window if isinstance(given, _Input)]
            together = iter((self._engine.deidentify_all(notes) if len(notes) > 1 else None) or ())
            for given in window:
                place = f"text {position}, counted from 0"
                position += 1
                if isinstance(given, TypeError):
                    if errors == "raise":
                        raise TypeError(f"{place}: {given}")
                    yield NoteError(Reason.UNSUPPORTED, f"{place}: {given}")
                    continue
                done = next(together, None)
                try:
                    yield _result(given, done or self._engine.deidentify(given.note, "", known=()))
                except NoteError as error:
                    if errors == "raise":
                        error.add_note(place)
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


class _LoadedFrom(NamedTuple):
    """What a Deidentifier is loaded from again: JSON of three settings, the key's file, and two fingerprints.

    key_file: None is the variable, if the policy needs a key. fingerprints: of engine and redactor.
    """

    pipeline: str
    settings: str
    policy: str
    key_file: str | None
    fingerprints: tuple[str, str]


_LOADED = threading.local()


def _loaded_again(origin: _LoadedFrom) -> Deidentifier:
    """Return the Deidentifier of a pickle. A thread loads it once: joblib sends the pickle with each batch of texts."""
    loaded: dict[_LoadedFrom, Deidentifier] = _LOADED.__dict__.setdefault("by_origin", {})
    if origin not in loaded:
        pipeline, settings = parse_pipeline(json.loads(origin.pipeline)), Settings.model_validate_json(origin.settings)
        policy = policy_from_json(origin.policy)
        made = Deidentifier.load(pipeline, settings=settings, policy=policy, key=origin.key_file)
        if made._loaded_from is None or made._loaded_from.fingerprints != origin.fingerprints:
            raise ConfigurationError(
                "a pickled Deidentifier: code, lists, models or the policy's key differ here from where it was made; "
                "install the same, or call Deidentifier.load here"
            )
        loaded[origin] = made
    return loaded[origin]


class _Input(NamedTuple):
    """A note, and the text that it was made of."""

    note: Note
    text: str

    def placed(self, found: tuple[_Found, ...]) -> tuple[_Found, ...]:
        """Return what was found in the note with its places in the text."""
        return found if len(self.text) == len(self.note.text) else in_given_text(self.text, found)


def _input_of(text: str | Note) -> _Input:
    if isinstance(text, Note):
        return _Input(text, text.text)
    if isinstance(text, str):
        return _Input(note_from_text(text), text)
    told = "; convert it with str"
    if isinstance(text, bytes):
        told = "; decode it first"
    elif type(text).__name__ in _MISSING or (isinstance(text, float) and math.isnan(text)):
        told = ": fill or drop missing values"
    raise TypeError(f"a text is a str or a Note, not {type(text).__name__}{told}")


def _input_or_error(text: str | Note) -> _Input | TypeError:
    try:
        return _input_of(text)
    except TypeError as error:
        return error


def _input_of_pair(pair: Any) -> tuple[_Input | TypeError, Any]:
    """Return the input of a pair, and what belongs to its text; for what is no pair an error and None."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        return TypeError(f"as_tuples takes pairs of a text and anything; this {type(pair).__name__} is none"), None
    text, context = pair
    return _input_or_error(text), context


def _result(given: _Input, done: Deidentified) -> Result:
    spans, dropped = given.placed(done.spans), given.placed(done.dropped)
    return Result(done.text, spans, given.text, done.outputs, done.unparsed, done.languages, dropped)


def _windows(inputs: Iterable[_Input | TypeError]) -> Iterator[list[_Input | TypeError]]:
    """Yield the texts in lists of about _WINDOW_CHARS characters; a longer one is alone."""
    window: list[_Input | TypeError] = []
    chars = 0
    for item in inputs:
        size = len(item.text) if isinstance(item, _Input) else 0
        if window and chars + size > _WINDOW_CHARS:
            yield window
            window, chars = [], 0
        window.append(item)
        chars += size
    if window:
        yield window
