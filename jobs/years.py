"""Which year a note belongs to: its path says, else its header, else its file's date."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from deid_core.config import YearSettings
from jobs.rows import YearSource

_NS_A_SECOND = 1_000_000_000


class YearFinder:
    """Applies the settings' rule; a year outside their bounds is passed over."""

    def __init__(self, settings: YearSettings) -> None:
        self._settings = settings
        self._pattern = re.compile(settings.path_pattern)

    def year_of(self, source: str, header: int | None, mtime_ns: int) -> tuple[int, YearSource]:
        """The year and where it is from.

        source: path below the input folder. header: the year of the header's date. mtime_ns: the file's date, whose
        year counts in UTC, the same on every executor; it is taken whatever it is.
        """
        named = (int(match["year"]) for match in self._pattern.finditer(source))
        year = next((year for year in named if self._plausible(year)), None)
        if year is not None:
            return year, YearSource.PATH
        if header is not None and self._plausible(header):
            return header, YearSource.HEADER
        return datetime.fromtimestamp(mtime_ns // _NS_A_SECOND, UTC).year, YearSource.FILE

    def _plausible(self, year: int) -> bool:
        return self._settings.earliest <= year <= self._settings.latest
