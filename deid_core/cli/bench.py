"""`deid bench`: notes and tokens per second of each stage on this machine, beside what a user would take instead."""

from __future__ import annotations

from deid_core.lab.bench import add_arguments, run

__all__ = ["add_arguments", "run"]
