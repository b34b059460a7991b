"""Find the year of a note: from a column of the source, its path, else its header, else its file's date."""

from __future__ import annotations

import re
from datetime import MAXYEAR, MINYEAR, UTC, datetime

from deid_core.lake.states import YearSource
from deid_core.readers.settings import YearSettings

_NS_PER_S = 1_000_000_000
_FIRST_S, _LAST_S = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (MINYEAR, MAXYEAR))
"""Start of the first and the last year that Python can represent, in seconds since 1970."""


class YearFinder:
    """Applies the settings' rule. A year outside their bounds is ignored."""

    def __init__(self, settings: YearSettings) -> None:
        self._settings = settings
        self._pattern = re.compile(settings.path_pattern)

    def year_of(
        self, source: str, header: int | None, mtime_ns: int, *, column: int | None = None
    ) -> tuple[int, YearSource]:
        """Return the year and its source.

        source: path below the input folder; "" for a row of a table. header: year of the header's date. mtime_ns: the
        file's date, whose year is taken in UTC, the same on every executor, and without bounds but 9999. column: what a
        column of the source says.
        """
        if column is not None and self._plausible(column):
            return column, YearSource.COLUMN
        in_path = (int(match["year"]) for match in self._pattern.finditer(source))
        year = next((year for year in in_path if self._plausible(year)), None)
        if year is not None:
            return year, YearSource.PATH
        if header is not None and self._plausible(header):
            return header, YearSource.HEADER
        seconds = max(_FIRST_S, min(mtime_ns // _NS_PER_S, _LAST_S))
        return datetime.fromtimestamp(seconds, UTC).year, YearSource.FILE

    def _plausible(self, year: int) -> bool:
        return self._settings.earliest <= year <= self._settings.latest
