"""Another tool as a process of its own, so that neither its imports nor its memory bear on our stages.

Presidio runs in this environment (extra `bench`). DEDUCE requires an older `regex` than ours, on which results depend,
so it has an environment of its own within this one, which `make bench` fills.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from deid_core.core.errors import DeidError

DEDUCE_PYTHON = Path(sys.prefix, "deduce", "bin", "python")
"""Python of DEDUCE's environment (Makefile, target `bench`)."""


class Tool:
    """A tool that goes through the same texts once a call; `tool_process.py` says how it is spoken to.

    spans: per text the [start, end) that the last run found.
    """

    def __init__(
        self, name: str, python: Path, texts: Iterable[str], lists: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self.name = name
        self.spans: list[list[tuple[int, int]]] = []
        # -I: neither the caller's folder nor its variables bear on what the tool imports.
        command = [str(python), "-I", str(Path(__file__).with_name("tool_process.py")), name]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        given = {entity: sorted(words) for entity, words in (lists or {}).items()}
        self._write(json.dumps({"texts": list(texts), "lists": given}))

    def once(self) -> float:
        """Goes through all texts and returns the tool's CPU seconds. Raises DeidError if the tool ended."""
        self._write("again")
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise self._ended()
        answer = json.loads(line)
        self.spans = [[(start, end) for start, end in found] for found in answer["spans"]]
        return float(answer["cpu_s"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def _write(self, line: str) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _ended(self) -> DeidError:
        return DeidError(f"bench: {self.name} ended with code {self._process.wait()}; is its environment complete?")
