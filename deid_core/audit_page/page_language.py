"""The words of a language (words/*.yaml), and numbers and times as it writes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).with_name("words")
LANGUAGES = tuple(sorted(file.stem for file in FOLDER.glob("*.yaml")))


class Language:
    """Words by dotted key, such as `summary.title`, of a folder with a file for each language."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.name = name
        self._words = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the words with {values} filled in; numbers are formatted, and {n} chooses between one and other.

        Raises KeyError if there is no such key.
        """
        words = self.value(key)
        if isinstance(words, Mapping):
            words = words["one" if values["n"] == 1 else "other"]
        return str(words).format(**{name: self._formatted(value) for name, value in values.items()})

    def value(self, key: str) -> Any:
        """Return what stands at a dotted key as it is: words, or a list or table of them. Raises KeyError."""
        words: Any = self._words
        for part in key.split("."):
            words = words[part]
        return words

    def described(self, table: str, name: str) -> str:
        """Return the words of a name of a table, such as `labels` and `PER`; the name itself if there are none."""
        return str(self._words[table].get(name, name))

    def reason(self, name: str) -> Mapping[str, str]:
        """Return name and remedy of a reason of the quarantine."""
        return dict(self._words["reasons"].get(name, {"name": name, "remedy": ""}))

    def drift_bin(self, measure: str, bound: float, below: bool) -> str:
        """Return in words which notes are below a bound of a measure, or from it on."""
        unit = self._words["drift"]["units"].get(measure, "")
        if bound == 1 and not unit:
            return self("drift.nothing" if below else "drift.some")
        shown = int(bound) if bound == int(bound) else bound
        return f"{self('drift.below' if below else 'drift.from', bound=shown)} {unit}".strip()

    def number(self, value: float) -> str:
        """Return a count with separators, or a rate with as many decimals as its size needs.

        >>> Language("de").number(1234), Language("de").number(12.345), Language("en").number(0.012)
        ('1.234', '12,3', '0.012')
        """
        if isinstance(value, int) or not value:
            text = f"{value:,.0f}"
        else:
            text = f"{value:,.{1 if abs(value) >= 10 else 2 if abs(value) >= 0.095 else 3}f}"
        return text.translate(str.maketrans({",": self._words["thousands"], ".": self._words["decimal"]}))

    def tenth(self, value: float) -> str:
        """Return a score with one decimal."""
        return f"{value:.1f}".replace(".", self._words["decimal"])

    def share(self, part: float, whole: float = 1) -> str:
        """Return a share as a percentage; a small one is never 0 %.

        >>> Language("en").share(1, 3), Language("en").share(1, 100_000)
        ('33.3 %', 'under 0.1 %')
        """
        percent = 100 * part / whole if whole else 0.0
        if 0 < percent < 0.05:
            return f"{self('page.under')} {self.tenth(0.1)} %"
        digits = 0 if percent == round(percent) else 1
        return f"{percent:.{digits}f} %".replace(".", self._words["decimal"])

    def time(self, value: datetime, form: str = "time") -> str:
        """Return a time in UTC. form: `time` for a sentence, `day` for a table."""
        return value.strftime(self._words[form])

    def _formatted(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return self.time(value)
        return self.number(value) if isinstance(value, int | float) else value
