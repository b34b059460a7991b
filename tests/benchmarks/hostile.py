"""Prints seconds of CPU time of the engine on texts made to keep it busy, at two sizes, as Markdown.

    python tests/benchmarks/hostile.py [PIPELINE] [NAME …]

A text whose time per character grows with its size is marked: its time is that of more than its size.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

from hostile_texts import hostile_texts

from deid_core.core.errors import NoteError
from deid_core.core.note import Note
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import load_spec
from deid_core.pipeline.settings_file import load_settings

SIZES = (250_000, 1_000_000)
MARKED_FROM = 1.5
"""Times the growth of the text."""
MIN_S = 0.2
"""Nothing below is marked: a few milliseconds differ by chance."""


def main() -> None:
    """Prints the table."""
    pipeline, names = (sys.argv[1] if len(sys.argv) > 1 else "default"), sys.argv[2:]
    engine = Engine(load_spec(load_pipeline(pipeline), load_settings()))
    engine.warm_up()
    # The first long text loads what no short one needs.
    engine.deidentify(Note("", "Herr Müller kam am 12.03.2011. " * 8_000, year=2011))
    print("| text |", " | ".join(f"{size:,} characters" for size in SIZES), "| |\n|---|---|---|---|")
    texts = [hostile_texts(size) for size in SIZES]
    for name in names or texts[0]:
        took, ends = zip(*(_seconds(engine, made[name]) for made in texts), strict=True)
        grows = took[1] > MIN_S and took[1] > MARKED_FROM * took[0] * SIZES[1] / SIZES[0]
        cells = (f"{seconds:.2f} s {end}".strip() for seconds, end in zip(took, ends, strict=True))
        print(f"| {name} |", " | ".join(cells), "|", "grows" if grows else "", "|", flush=True)


def _seconds(engine: Engine, text: str) -> tuple[float, str]:
    """Return seconds of CPU time, and the reason and detail if there is no result."""
    started, end = time.process_time(), ""
    try:
        engine.deidentify(Note("", text, year=2011))
    except NoteError as error:
        end = str(error)
    return time.process_time() - started, end


if __name__ == "__main__":
    main()
