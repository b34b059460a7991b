"""The papers' tables by name, made with the texts at hand: `deid train study NAME`.

figures     seed 000, Figures 5 and 6    baseline, variants and full, with charts
features    seed 001, Tables 16 to 18    each family of stat-deid's features alone
context     seed 001, Tables 4 to 15, 19 local and global context, rivals, ambiguous and unlisted words
overlap     seed 001, Tables 2 and 3     ambiguous tokens, and tokens in the lists
phases      seed 004, Tables 1 and 2     iterative: triggers, one tree, three phases
errors      seed 003, Table 7            kinds of errors of crf-liu
domains     seed 003, Tables 8 and 9     crf-liu over news, court and letters
curve       seed 003, Figure 2           rules, crf-liu and bilstm-crf on growing shares of the letters
search      seed 003, section 4.2        random search over crf-liu's elastic net
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.text_tables import Rows
from deid_core.lab.systems.base import needs_extra
from deid_core.lab.systems.registry import CRF_LIU, ITERATIVE, load_system, system_folder
from deid_core.lab.systems.settings import SystemsSettings
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.pipeline.settings_file import load_settings

STUDIES = ("figures", "features", "context", "overlap", "phases", "errors", "domains", "curve", "search")
_CHARTS = Path("out", "studies")


def run_study(
    name: str, settings: SystemsSettings, data: Path | None = None, output: Path | None = None
) -> Iterator[tuple[str, Rows]]:
    """Yield the tables of a study, each with its title. data: folder of the corpora, for `domains`.

    output: file of `search`, folder of the charts of `figures` and `curve`, of the system of `errors` and `phases`.
    Raises ConfigurationError if there is no such study, or what it needs is missing.
    """
    if name not in STUDIES:
        raise ConfigurationError(f"there is no study {name!r}; there are: {', '.join(STUDIES)}")
    gazetteer = load_gazetteer(load_settings().gazetteers)
    with needs_extra("lab"):
        from deid_core.lab.systems import study_context, study_models, study_thesis
    match name:
        case "figures":
            yield from study_thesis.figures(output or _CHARTS)
        case "features":
            yield from study_context.features_alone(settings, gazetteer)
        case "context":
            yield from study_context.local_and_global(settings, gazetteer)
        case "overlap":
            yield from study_context.overlaps(settings, gazetteer)
        case "phases":
            yield from study_models.phases(settings, gazetteer, output or system_folder(ITERATIVE))
        case "errors":
            yield from study_models.error_kinds(load_system(CRF_LIU, output), gazetteer)
        case "domains":
            if data is None:
                raise ConfigurationError("study domains: name the folder of the corpora with --data")
            yield from study_models.domains(settings, gazetteer, data)
        case "curve":
            yield from study_models.learning_curve(settings, gazetteer, output or _CHARTS)
        case _:
            file = output or Path("out", "systems", "crf-liu-search.jsonl")
            file.parent.mkdir(parents=True, exist_ok=True)
            trials = sorted(study_models.random_search(settings, gazetteer, file), key=lambda trial: -trial["f1"])
            rows: Rows = [("c1", "c2", "F1", "recall", "bytes"), *(tuple(trial.values()) for trial in trials)]
            yield f"Random search of {len(trials)} trials, best first (seed 003, section 4.2); {file}", rows
