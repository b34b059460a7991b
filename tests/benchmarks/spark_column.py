"""Measure `deidentify` as a function over a column: `python tests/benchmarks/spark_column.py`.

Beside Presidio, one Spark job each over the same generated notes, in turn, in one session on this machine: `deidentify`
of this project, and Presidio in a pandas UDF as its documentation has it, with one analyser for each worker and German
patterns alone (deid_core/lab/bench/presidio.py). The results go nowhere (`noop`). The first job of each starts workers
and loads engines; it is printed apart. Needs the extra `bench`, and pandas. This is no comparison of quality.

With `--policy NAME`, a policy beside placeholders: the task that a worker runs, from notes in Arrow to texts in Arrow,
in this process without Spark. Both policies take each batch of 20 notes in turn, and what counts is the least CPU time
of each batch, to which other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import StringType

from deid_core.core.note import Note
from deid_core.lab.bench.presidio import presidio_with_patterns
from deid_core.lab.corpora.letters import read_letters
from deid_core.lab.synthetic.generate import iter_notes
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import load_redactor
from deid_core.spark import deidentify
from deid_core.spark.column_task import DeidentifyColumn
from deid_core.spark.session import start_session
from deid_core.spark.task_base import Held

if TYPE_CHECKING:
    from pyspark.sql import Column

_SEED, _BATCH = 7, 20
_KEY = PolicyKey(b"the key of a measurement of speed, and of nothing else")


@pandas_udf(StringType())
def with_presidio(texts: pd.Series) -> pd.Series:
    """Return the texts with a mark in place of what Presidio finds."""
    return texts.apply(_redacted)


def _redacted(text: str) -> str:
    for start, end in sorted(presidio_with_patterns()(text), reverse=True):
        text = f"{text[:start]}<PHI>{text[end:]}"
    return text


def beside_presidio(notes: int, rounds: int, cores: int) -> None:
    """Print seconds and characters a second of both, and how often as long Presidio takes."""
    spark = start_session(settings={"spark.master": f"local[{cores}]"})
    texts = [made.note.text for made in iter_notes(notes, seed=_SEED)]
    frame = spark.createDataFrame([(text,) for text in texts], "text string").repartition(4 * cores).cache()
    columns: dict[str, Column] = {"deidentify": deidentify("text"), "Presidio": with_presidio("text")}
    seconds: dict[str, list[float]] = {name: [] for name in columns}
    for _ in range(rounds + 1):
        for name, column in columns.items():
            began = time.perf_counter()
            frame.select(column.alias("text")).write.format("noop").mode("overwrite").save()
            seconds[name].append(time.perf_counter() - began)
    characters = sum(map(len, texts))
    for name, (first, *rest) in seconds.items():
        print(
            f"{name}: first {first:.1f} s, then {median(rest):.2f} s ({min(rest):.2f} to {max(rest):.2f}), "
            f"{characters / median(rest):,.0f} characters/s"
        )
    ratios = [theirs / ours for ours, theirs in zip(seconds["deidentify"], seconds["Presidio"], strict=True)][1:]
    print(f"Presidio takes {median(ratios):.2f} times as long ({min(ratios):.2f} to {max(ratios):.2f})")
    spark.stop()


def beside_placeholders(policy: str, notes: Sequence[Note], rounds: int) -> None:
    """Print milliseconds a note of policy `thesis` and of this one, and the throughput of the second."""
    batches = [pa.array(map(_row, notes[at : at + _BATCH])) for at in range(0, len(notes), _BATCH)]
    spec = engine_spec("default")
    spent: dict[str, list[list[float]]] = {name: [[] for _ in batches] for name in ("thesis", policy)}
    tasks = {name: _task(name, spec)(_repeated(batches, rounds)) for name in spent}
    for number in range((rounds + 1) * len(batches)):
        for name, texts in tasks.items():
            began = time.process_time()
            next(texts)
            spent[name][number % len(batches)].append(time.process_time() - began)
    # In the first round all words are new.
    least = {name: sum(min(batch[1:]) for batch in spent[name]) for name in spent}
    for name, seconds in least.items():
        print(f"{name}: {1000 * seconds / len(notes):.2f} ms a note")
    print(f"throughput of {policy}: {least['thesis'] / least[policy]:.3f} of that of thesis")


def _row(note: Note) -> dict[str, str]:
    return {"text": note.text, "note_id": note.note_id, "patient": note.note_id}


def _repeated(batches: Sequence[pa.Array], rounds: int) -> Iterator[pa.Array]:
    for _ in range(rounds + 1):
        yield from batches


def _task(policy: str, spec: EngineSpec) -> Any:
    """Return the task of a worker that `deidentify` makes."""
    redactor, data = load_redactor(policy, _KEY), spec.to_bytes()
    sent: Any = Held(data), Held((redactor.policy.model_dump_json(), redactor.key))
    return DeidentifyColumn(sent[0], sha256(data).hexdigest(), spec.fingerprint, sent[1], with_spans=False)


def main() -> None:
    """Measure what the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=1000, help="generated notes (1000)")
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds (5)")
    parser.add_argument("--cores", type=int, default=2, help="beside Presidio: cores of Spark (2)")
    parser.add_argument("--policy", metavar="NAME", help="measure this policy beside placeholders")
    parser.add_argument(
        "--letters", type=Path, metavar="DIR", help="with --policy: letters in place of generated notes"
    )
    args = parser.parse_args()
    if not args.policy:
        beside_presidio(args.notes, args.rounds, args.cores)
        return
    made = read_letters(args.letters) if args.letters else iter_notes(args.notes, seed=_SEED)
    beside_placeholders(args.policy, [each.note for each in made], args.rounds)


if __name__ == "__main__":
    main()
