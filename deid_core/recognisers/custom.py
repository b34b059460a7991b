"""Recogniser `custom`: regular expressions and word lists of one's own, written in a pipeline's YAML.

If a pipeline leaves `custom` out of `order`, its detections come before all others but authors and the pipeline's own
lists, and keep their boundaries and types. The stacking model never drops them, unless it was trained with `custom`.

    extends: default
    recognisers:
      - kind: custom
        patterns:
          - {name: study, label: ID, regex: 'STUDY-[0-9]{4}'}
        lists:
          - {name: staff, label: PER, type: clinician, file: staff.txt}
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import regex

from deid_core.core.errors import NoteError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.settings import CustomSettings, compile_custom
from deid_core.text.document import Document

_Rule = tuple[str, Label, PhiType, "regex.Pattern[str]"]
PHI_GROUP = "phi"


class CustomRecogniser:
    """Finds all matches of the settings' expressions and all whole words of its lists."""

    kind = "custom"

    def __init__(self, settings: CustomSettings) -> None:
        self._timeout_s = settings.timeout_s
        self._rules: list[_Rule] = [
            (pattern.name, pattern.label, pattern.phi_type, compile_custom(pattern.regex, pattern.flags))
            for pattern in settings.patterns
        ]
        for words in settings.lists:
            flags = regex.IGNORECASE if words.case == "ignore" else 0
            compiled = regex.compile(r"(?<!\w)\L<words>(?!\w)", flags | regex.VERSION1, words=words.words)
            self._rules.append((words.name, words.label, words.phi_type, compiled))

    def recognise(self, document: Document) -> Iterator[Detection]:
        """Yield a detection for each match, or for its group "phi" if the expression has one.

        Raises NoteError(ENGINE_TIMEOUT) naming the rule if all rules together take longer than `timeout_s`.
        """
        deadline = monotonic() + self._timeout_s
        for name, label, phi_type, compiled in self._rules:
            group: str | int = PHI_GROUP if PHI_GROUP in compiled.groupindex else 0
            try:
                for match in compiled.finditer(document.text, timeout=max(deadline - monotonic(), 1e-9)):
                    start, end = match.span(group)
                    if start < end:
                        yield Detection(start, end, label, phi_type, self.kind, name)
            except TimeoutError:
                raise NoteError(Reason.ENGINE_TIMEOUT, f"{self.kind}.{name}") from None
