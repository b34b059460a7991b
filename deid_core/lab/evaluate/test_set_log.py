"""The record of the test letters: a line each time that they were measured, in a file beside them.

Every look at a figure and every change that follows it makes "unseen" a little less true; the record shows how often.
"""

from __future__ import annotations

import datetime as dt
import subprocess
from collections.abc import Iterable
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.evaluate.evaluation import Level
from deid_core.lab.evaluate.markdown import markdown_head, markdown_row
from deid_core.lab.evaluate.pipeline_scores import Measured

FILE = "OPENED.md"
_HEADINGS = (
    "date", "pipeline", "fingerprint", "commit", "word precision", "word recall", "word F2", "entity F1",
    "names covered", "letters with a patient's full name readable",
)  # fmt: skip
_ABOUT = (
    "# When the test letters were measured\n\n"
    "A line for each pipeline and time, written by `deid compare` when it measures them. "
    "A `+` after a commit: with changes that were not committed.\n\n"
)


def record_opening(folder: Path, measured: Iterable[Measured], commit: str) -> None:
    """Appends a line for each to the record in the folder of the test letters, which is made if there is none.

    commit: as `checkout_commit` gave it before anything was measured.
    Raises ConfigurationError if it cannot be written: figures that are not recorded are not to be shown.
    """
    file = folder / FILE
    rows = [
        (
            dt.date.today().isoformat(),
            m.pipeline,
            m.fingerprint,
            commit,
            *(f"{m.evaluation.score(Level.WORD, name):.3f}" for name in ("precision", "recall", "f2")),
            f"{m.evaluation.score(Level.EXACT, 'f1'):.3f}",
            f"{1 - m.evaluation.leaks.names().share:.3f}",
            f"{m.patients.full_names.count} of {m.patients.full_names.total}",
        )
        for m in measured
    ]
    try:
        if not file.exists():
            file.write_text(f"{_ABOUT}{markdown_head(_HEADINGS)}\n", encoding="utf-8")
        with file.open("a", encoding="utf-8") as record:
            record.writelines(f"{markdown_row(row)}\n" for row in rows)
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be written, and no figure is shown: {error.strerror}") from None


def checkout_commit(folder: Path) -> str:
    """The commit of the checkout that a folder is in, short, with + if files differ from it; "none" without git.

    The records themselves do not count: each set that is measured changes its own.
    """
    commit = _git(folder, "rev-parse", "--short", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--", ":(top)", f":(top,exclude)*{FILE}")
    return f"{commit}{'+' * bool(changed)}" if commit else "none"


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
