"""The systems by name: how each is trained and loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.corpora.letters import read_letters
from deid_core.lab.corpora.named import SyntheticSource, load_corpora
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.systems.base import TrainedSystem
from deid_core.lab.systems.iterative import NAME as ITERATIVE
from deid_core.lab.systems.iterative import PHASES, Iterative, train_iterative
from deid_core.lab.systems.settings import SystemSettings
from deid_core.lab.systems.stat_deid import NAME as STAT_DEID
from deid_core.lab.systems.stat_deid import StatDeid, train_stat_deid
from deid_core.lab.training.settings import TrainingSettings, letter_folders
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.settings import load_settings

SYSTEMS = (STAT_DEID, ITERATIVE)
_PHASES = {f"{ITERATIVE}-{phase}": ITERATIVE for phase in PHASES[:-1]}
"""Names by which `load_system` gives a system as it is after an earlier phase."""
_FOLDER = Path("out", "systems")


def system_folder(name: str) -> Path:
    """Return the usual folder of a system. Raises ConfigurationError if there is no such system."""
    if name not in SYSTEMS:
        raise ConfigurationError(f"there is no system {name!r}; there are: {', '.join(SYSTEMS)}")
    return _FOLDER / name


def train_system(settings: TrainingSettings, name: str, folder: Path) -> None:
    """Train a system and write it to the folder.

    Raises ConfigurationError if there is no such system, or a letter or package is missing.
    """
    system_folder(name)
    of = settings.systems
    if name == STAT_DEID:
        train_stat_deid(of.stat_deid, _gazetteer(), examples(of.stat_deid)).save(folder)
    else:
        train_iterative(of.iterative, _gazetteer(), examples(of.iterative)).save(folder)


def load_system(name: str, folder: Path | None = None) -> TrainedSystem:
    """Return a trained system. Raises ConfigurationError if there is no such system or it is not trained."""
    system = _PHASES.get(name, name)
    usual = system_folder(system)
    if system == STAT_DEID:
        return StatDeid.from_folder(folder or usual, _gazetteer())
    phase = name.removeprefix(f"{ITERATIVE}-") if name in _PHASES else PHASES[-1]
    return Iterative.from_folder(folder or usual, _gazetteer(), phase)


def examples(settings: SystemSettings) -> Iterator[tuple[Note, tuple[GoldSpan, ...]]]:
    """Yield the letters that a system is trained on, then the synthetic notes."""
    letters = [letter for folder in letter_folders(settings.letters) for letter in read_letters(folder)]
    for letter in letters[:: settings.every]:
        yield letter.note, letter.gold
    source = load_corpora().corpora[settings.synthetic].source if settings.synthetic else None
    if isinstance(source, SyntheticSource):
        for item in iter_notes(settings.notes, seed=source.seed, split=source.split):
            yield item.note, item.gold


def _gazetteer() -> Gazetteer:
    return load_gazetteer(load_settings().gazetteers)
