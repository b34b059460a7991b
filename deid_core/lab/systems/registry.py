"""The systems by name: how each is trained and loaded. Libraries are imported when a system that needs them is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.corpora.letters import read_letters
from deid_core.lab.corpora.named import SyntheticSource, load_corpora
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.systems.base import TrainedSystem, needs_extra
from deid_core.lab.systems.settings import BiLstmCrfSettings, SystemSettings, SystemsSettings
from deid_core.lab.training.settings import TrainingSettings, letter_folders
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec
from deid_core.pipeline.settings_file import load_settings
from deid_core.text.vocabulary import Vocabulary

STAT_DEID, CRFD, HMM, ITERATIVE, CRF_LIU = "stat-deid", "crfd", "hmm", "iterative", "crf-liu"
BILSTM_CRF, DOME, VOTE = "bilstm-crf", "dome", "vote"
SYSTEMS = (STAT_DEID, CRFD, HMM, ITERATIVE, CRF_LIU, BILSTM_CRF, DOME, VOTE)
_STAGES = ("first", "trusted", "token", "phrase", "ngram")
"""Of iterative: `load_system` gives it, under NAME-STAGE, after an earlier phase or with one kind of trigger."""
PARTIAL = {f"{ITERATIVE}-{stage}": ITERATIVE for stage in _STAGES}
EXTRAS = dict.fromkeys(SYSTEMS, "lab") | {BILSTM_CRF: "neural", DOME: "transformers"}
"""The extra that a system needs."""
_FOLDER = Path("out", "systems")
Example = tuple[Note, tuple[GoldSpan, ...]]


def system_folder(name: str) -> Path:
    """Return the usual folder of a system. Raises ConfigurationError if there is no such system."""
    if name not in SYSTEMS:
        raise ConfigurationError(f"there is no system {name!r}; there are: {', '.join(SYSTEMS)}")
    return _FOLDER / name


def train_system(settings: TrainingSettings, name: str, folder: Path, data: Path | None = None) -> None:
    """Train a system and write it to the folder. data: folder of the corpora, whose plain text `bilstm-crf` reads.

    Raises ConfigurationError if there is no such system, or a letter or package is missing.
    """
    system_folder(name)
    train_with(settings.systems, name, examples(settings_of(settings.systems, name)), folder, data)


def settings_of(settings: SystemsSettings, name: str) -> SystemSettings:
    """Return the settings of a system."""
    of: SystemSettings = getattr(settings, name.replace("-", "_"))
    return of


def train_with(
    settings: SystemsSettings, name: str, texts: Iterable[Example], folder: Path, data: Path | None = None
) -> None:
    """Train a system on these notes with their gold spans and write it to the folder; data: as in `train_system`."""
    gazetteer, vocabulary = _gazetteer(), Vocabulary()
    with needs_extra(EXTRAS[name]):
        match name:
            case "stat-deid":
                from deid_core.lab.systems.stat_deid import train_stat_deid

                train_stat_deid(settings.stat_deid, gazetteer, texts).save(folder)
            case "crfd":
                from deid_core.lab.systems.stat_deid import StatDeidFeatures
                from deid_core.lab.systems.token_crf import train_token_crf

                features = StatDeidFeatures(settings.crfd.families, gazetteer)
                train_token_crf(CRFD, settings.crfd, features, features.vocabulary, texts).save(folder)
            case "crf-liu":
                from deid_core.lab.systems.crf_liu import LiuFeatures
                from deid_core.lab.systems.token_crf import train_token_crf

                liu = LiuFeatures(gazetteer, vocabulary)
                train_token_crf(CRF_LIU, settings.crf_liu, liu, vocabulary, texts).save(folder)
            case "hmm":
                from deid_core.lab.systems.hmm import train_hmm

                train_hmm(texts).save(folder)
            case "iterative":
                from deid_core.lab.systems.iterative import train_iterative

                train_iterative(settings.iterative, gazetteer, texts).save(folder)
            case "bilstm-crf":
                from deid_core.lab.systems.bilstm_crf import train_bilstm_crf

                train_bilstm_crf(settings.bilstm_crf, texts, _plain_text(settings.bilstm_crf, data)).save(folder)
            case "dome":
                from deid_core.lab.systems.dome import train_dome

                train_dome(settings.dome, texts).save(folder)
            case "vote":
                from deid_core.lab.systems.vote import train_vote

                train_vote(settings.vote, texts, load_member).save(folder)


def load_system(name: str, folder: Path | None = None) -> TrainedSystem:
    """Return a trained system. Raises ConfigurationError if there is no such system or it is not trained."""
    system = PARTIAL.get(name, name)
    folder = folder or system_folder(system)
    with needs_extra(EXTRAS[system]):
        match system:
            case "stat-deid":
                from deid_core.lab.systems.stat_deid import StatDeid

                return StatDeid.from_folder(folder, _gazetteer())
            case "crfd":
                from deid_core.lab.systems.stat_deid import StatDeidFeatures
                from deid_core.lab.systems.token_crf import TokenCrf

                features = StatDeidFeatures(TokenCrf.families(folder, CRFD), _gazetteer())
                return TokenCrf.from_folder(folder, CRFD, features, features.vocabulary)
            case "crf-liu":
                from deid_core.lab.systems.crf_liu import LiuFeatures
                from deid_core.lab.systems.token_crf import TokenCrf

                vocabulary = Vocabulary()
                return TokenCrf.from_folder(folder, CRF_LIU, LiuFeatures(_gazetteer(), vocabulary), vocabulary)
            case "hmm":
                from deid_core.lab.systems.hmm import Hmm

                return Hmm.from_folder(folder)
            case "iterative":
                from deid_core.lab.systems.iterative import Iterative

                return Iterative.from_folder(folder, _gazetteer(), name.removeprefix(f"{ITERATIVE}-"))
            case "bilstm-crf":
                from deid_core.lab.systems.bilstm_crf import BiLstmCrf

                return BiLstmCrf.from_folder(folder)
            case "dome":
                from deid_core.lab.systems.dome import Dome

                return Dome.from_folder(folder)
            case _:
                from deid_core.lab.systems.vote import Vote

                return Vote.from_folder(folder, load_member)


def load_member(name: str) -> TrainedSystem | Engine:
    """Return a member of a vote: a trained system in its usual folder, or a pipeline by name."""
    return load_system(name) if name in SYSTEMS or name in PARTIAL else Engine(engine_spec(name))


def examples(settings: SystemSettings) -> Iterator[Example]:
    """Yield the letters that a system is trained on, then the synthetic notes."""
    letters = [letter for folder in letter_folders(settings.letters) for letter in read_letters(folder)]
    for letter in letters[settings.offset :: settings.every]:
        yield letter.note, letter.gold
    source = load_corpora().corpora[settings.synthetic].source if settings.synthetic else None
    if isinstance(source, SyntheticSource):
        for item in iter_notes(settings.notes, seed=source.seed, split=source.split):
            yield item.note, item.gold


def _plain_text(settings: BiLstmCrfSettings, data: Path | None) -> str:
    files = sorted(file for pattern in settings.text for file in data.glob(pattern)) if data else []
    return "\n".join(file.read_text(encoding="utf-8", errors="ignore") for file in files)


def _gazetteer() -> Gazetteer:
    return load_gazetteer(load_settings().gazetteers)
