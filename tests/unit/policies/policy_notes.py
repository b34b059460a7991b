"""Notes with marked spans, for the tests of policies: "Herr [patient Peter Müller] aus [town Ulm]"; files of cases."""

from __future__ import annotations

import re
from typing import Any

from case_files import CASES_DIR

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Span
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import PolicySettings, load_policy, policy_model

KEY = PolicyKey(b"the first secret of these tests, 32 bytes or more")
OTHER_KEY = PolicyKey(b"the second secret of these tests, 32 bytes or more")
PATIENTS = [f"p{number}" for number in range(10)]
"""For what must hold whatever is drawn: each has other surrogates."""
_MARKED = re.compile(r"\[(\w+) ([^\]]*)\]")


def span(start: int, end: int, phi: PhiType = PhiType.PATIENT) -> Span:
    return Span(start, end, label_of(phi), phi, "test", "rule", 1.0)


def note(marked: str) -> tuple[str, list[Span]]:
    """Return the text without marks, and its spans."""
    text, spans, at = "", [], 0
    for match in _MARKED.finditer(marked):
        text += marked[at : match.start()]
        spans.append(span(len(text), len(text) + len(match[2]), PhiType(match[1])))
        text += match[2]
        at = match.end()
    return text + marked[at:], spans


def policy(**settings: Any) -> PolicySettings:
    """Return a policy with these settings; placeholders for all that they leave out."""
    return policy_model().model_validate(
        {"name": "test", "description": "", "basis": [], "assumptions": [], **settings}
    )


def redacted(marked: str, settings: PolicySettings | str = "readable", key: PolicyKey = KEY, **of: Any) -> str:
    """Return the text of a marked note after a policy."""
    settings = load_policy(settings) if isinstance(settings, str) else settings
    text, spans = note(marked)
    return Redactor(settings, key).redact(text, spans, **of).text


def outputs(marked: str, settings: PolicySettings | str = "readable", key: PolicyKey = KEY, **of: Any) -> list[str]:
    """Return what stands for each span of a marked note."""
    settings = load_policy(settings) if isinstance(settings, str) else settings
    text, spans = note(marked)
    done = Redactor(settings, key).redact(text, spans, **of)
    return [done.text[start:end] for start, end in done.outputs]


def case_rows(name: str) -> list[list[str]]:
    """Return the rows of a file of tests/cases/policies."""
    lines = (CASES_DIR / "policies" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
