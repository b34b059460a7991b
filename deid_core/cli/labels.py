"""`deid labels`: the label table, to map this project's labels and types to those of other schemes."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from deid_core.core.errors import ExitCode
from deid_core.core.labels import TYPES

_SCHEMES = """\
Columns, separated by tabs, the first line names them:
  type            the subtype of a span
  label           what it is, as it stands in a placeholder
  category, kind  category and type of doi:10.1055/a-2424-1989
  i2b2            tag of 2014 i2b2/UTHealth
  hipaa           which of the 18 items of Safe Harbor, 45 CFR 164.514(b)(2)(i), A = 1 to R = 18; 0 for none
  gemtex          label of the GeMTeX guidelines
A cell is empty where a scheme has nothing that fits.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Says what the columns are; the command has no arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _SCHEMES


def run(args: argparse.Namespace) -> int:
    """Prints a head line and a line for each type, in the order of the label table."""
    rows = [asdict(entry) for entry in TYPES.values()]
    print("\t".join(rows[0]))
    for row in rows:
        print("\t".join(map(str, row.values())))
    return ExitCode.DONE
