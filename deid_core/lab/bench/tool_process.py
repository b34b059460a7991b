"""`python tool_process.py NAME`: another tool in a process, perhaps in an environment of its own.

Reads one line of JSON from standard input, {"texts": [text, …], "lists": {entity: [word, …], …}}, and then a line for
each round: the tool goes through all texts, and a line of JSON goes out, {"cpu_s": CPU seconds, "spans": [[[start,
end], …] for each text]}. Imports nothing of the project at its top: the tool's environment need not have what that
needs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from time import process_time

Find = Callable[[str], list[tuple[int, int]]]
ThesisLists = dict[str, list[str]]


def _deduce(lists: ThesisLists) -> Find:
    """DEDUCE with its Dutch rules and lists, as it comes; it takes no others."""
    from deduce import Deduce

    model = Deduce()
    # Some offsets are numpy's.
    return lambda text: [(int(found.start_char), int(found.end_char)) for found in model.deidentify(text).annotations]


def _presidio(lists: ThesisLists) -> Find:
    from deid_core.lab.bench.presidio import presidio

    return presidio(lists)


def main(name: str) -> None:
    """Serves rounds until standard input ends."""
    # What a tool prints must not get among the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    given = json.loads(sys.stdin.readline())
    find = {"deduce": _deduce, "presidio": _presidio}[name](given["lists"])
    for _ in sys.stdin:
        start = process_time()
        found = [find(text) for text in given["texts"]]
        seconds = process_time() - start
        print(json.dumps({"cpu_s": seconds, "spans": found}), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
