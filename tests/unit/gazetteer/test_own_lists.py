"""The project's own lists keep to what their headings say."""

from __future__ import annotations

from deid_core.recognise.institution import lists
from deid_core.resources import gazetteer_dir


def test_no_insurer_is_a_medical_term() -> None:
    """Such a word could not begin or end an institution's name."""
    terms = set((gazetteer_dir() / "lists/medical-terms.txt").read_text(encoding="utf-8").splitlines())
    assert len(terms) > 30_000
    assert not terms & {word.lower() for word in lists.INSURERS}
