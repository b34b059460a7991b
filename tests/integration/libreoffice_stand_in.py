"""A stand-in for LibreOffice that crashes, hangs, stops and forks, as the content of a file tells it."""

from __future__ import annotations

import sys
from pathlib import Path

from docx import Document

_STAND_IN = """#!{python}
import os, signal, subprocess, sys, time
from pathlib import Path
arguments = sys.argv[1:]
output = Path(arguments[arguments.index("--outdir") + 1])
inputs = [Path(a) for a in arguments[arguments.index("--outdir") + 2:]]
with open({calls!r}, "a") as calls:
    calls.write(" ".join(p.name for p in inputs) + "\\n")
for path in inputs:
    data = path.read_bytes()
    print("convert", path.name, flush=True)
    if b"HANG" in data:
        # A grandchild as well, since the whole process group must be killed.
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open({children!r}, "a") as children:
            children.write(f"{{child.pid}} {{os.getpid()}} ")
        time.sleep(600)
    if b"STOP" in data:
        os.kill(os.getpid(), signal.SIGSTOP)
    if b"CRASH ALWAYS" in data or (b"CRASH IN BATCH" in data and len(inputs) > 1):
        os._exit(139)
    if b"NOTHING" in data:
        continue
    (output / (path.stem + ".docx")).write_bytes(Path({docx!r}).read_bytes())
"""


class StandIn:
    """A program that takes LibreOffice's arguments: `calls()` are the names of each call's inputs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        result = Document()
        result.add_paragraph("converted")
        result.save(str(folder / "result.docx"))
        self.path = folder / "soffice"
        files = {name: str(folder / name) for name in ("calls", "children")}
        self.path.write_text(_STAND_IN.format(python=sys.executable, docx=str(folder / "result.docx"), **files))
        self.path.chmod(0o755)

    def calls(self) -> list[list[str]]:
        path = self._folder / "calls"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def children(self) -> list[int]:
        """Return the processes that hang or hung: the program's own and its child's."""
        path = self._folder / "children"
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []
