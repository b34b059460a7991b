"""`deid compare --systems`: which trained systems are measured, and the one table of `--systems all` with its page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.core.files import write_text
from deid_core.core.text_tables import table
from deid_core.lab.evaluate.set_report import SetReport
from deid_core.lab.systems.base import MissingExtraError, TrainedSystem

ALL = "all"
Named = tuple[str, Path | None]
"""The name of a system and its folder, None for the usual one."""


def loaded(name: str, folder: Path | None) -> TrainedSystem:
    """Return a trained system. Raises ConfigurationError, also if the extra `lab` is missing."""
    try:
        from deid_core.lab.systems.registry import load_system
    except ImportError as error:
        raise ConfigurationError(f"systems need the extra 'lab': {how_to_install('lab')} ({error.name})") from None
    return load_system(name, folder)


def named_systems(names: Sequence[str], problems: list[str]) -> tuple[Named, ...]:
    """Return the systems of NAME or NAME=FOLDER. Adds to the problems what cannot be loaded."""
    systems = []
    for name, _, path in (argument.partition("=") for argument in names):
        folder = Path(path) if path else None
        try:
            loaded(name, folder)
        except ConfigurationError as error:
            problems += [f"{name}: {p}" if isinstance(error, MissingExtraError) else p for p in error.problems]
        systems.append((name, folder))
    return tuple(systems)


def all_systems(data: Path | None) -> tuple[tuple[Named, ...], list[str]]:
    """Return all systems, those without a model trained first, and for each that is skipped a line that says why."""
    from deid_core.lab.systems.registry import SYSTEMS, system_folder, train_system
    from deid_core.lab.training.settings import load_training

    systems: list[Named] = []
    skipped = []
    for name in SYSTEMS:
        folder = system_folder(name)
        try:
            if not any(folder.glob("*")):
                print(f"training {name}: no model in {folder}", file=sys.stderr, flush=True)
                train_system(load_training(), name, folder, data)
            loaded(name, None)
            systems.append((name, None))
        except ConfigurationError as error:
            skipped.append(f"{name}: skipped: {error.problems[0]}")
    return tuple(systems), skipped


def write_bench(
    reports: Sequence[SetReport], names: Sequence[str], systems: Sequence[Named], notes: Sequence[str], page: Path
) -> str:
    """Write the page, return the table; names: of the pipelines as they were asked for."""
    from deid_core.lab.evaluate.bench_table import bench_page, bench_rows, bench_table
    from deid_core.lab.systems.footprint import footprint

    measured = [m.pipeline for m in reports[0].measured]
    asked: list[Named] = [*((name, None) for name in names), *systems]
    footprints = {name: footprint(*of) for name, of in zip(measured, asked, strict=True)}
    rows = bench_rows(reports, footprints)
    write_text(page, bench_page(rows, notes))
    return table(bench_table(rows))
