"""An engine with a few names and a letter of theirs, for the tests of the engine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import spec_with_lists
from deid_core.text.document import Document

GAZETTEER = compile_lists(
    {
        ListKind.FIRST_NAME: ["Anna", "Peter"],
        ListKind.SURNAME: ["Müller", "Stein"],
        ListKind.TOWN: ["Heidelberg"],
        ListKind.STREET: ["Hauptstraße"],
        ListKind.COUNTRY: ["Italien"],
        ListKind.HOSPITAL: ["Klinikum Xystadt"],
        ListKind.STREET_SUFFIX: ["straße", "weg"],
        ListKind.TOWN_SUFFIX: ["heim"],
        ListKind.STOP_WORD: ["der", "am"],
    }
)
LETTER = (
    "Herrn\nPeter Müller\nHauptstr. 5\n69120 Heidelberg\n\nSehr geehrte Kollegen,\n"
    "wir berichten über Herrn Müller, geb. am 1.2.1950, der am 3.4.2010 kam. Müllers Tel. 06221/56-1234."
)


@cache
def spec(pipeline: str = "default", **engine: float) -> EngineSpec:
    return spec_with_lists(load_pipeline(pipeline), EngineSettings(**engine), GAZETTEER)


WORDS = ["Müller", "Herr", "1.2.2010", "Hauptstr. 5", "Stein", "\n", "Anna", "xx", ",", "12/09"]
notes = st.lists(st.lists(st.sampled_from(WORDS), max_size=15).map(" ".join), min_size=1, max_size=6)


def together(engine: Engine, *texts: str) -> list[Deidentified] | None:
    """Return the results of notes with these texts, which are named by their places, read at once."""
    return engine.deidentify_all([(Note(str(number), text), "", ()) for number, text in enumerate(texts)])


def alone(*texts: str) -> list[Deidentified]:
    """Return the results of the same notes, each of an engine that has read nothing."""
    return [Engine(spec()).deidentify(Note(str(number), text)) for number, text in enumerate(texts)]


class FailingRecogniser:
    kind = "pattern"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def recognise(self, document: Document) -> Iterable[Detection]:
        raise self._error
