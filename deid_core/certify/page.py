"""Make dossier.html: what dossier.json says, in words, one file without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from deid_core.audit_page.page_language import Language
from deid_core.audit_page.page_template import page_template
from deid_core.audit_page.sweep import by_find
from deid_core.certify.bounds import PER
from deid_core.certify.sampling_plan import DOUBTFUL_SHARE, OVERSAMPLING
from deid_core.core.labels import Label
from deid_core.policies.settings import policy_names

WORDS = Path(__file__).with_name("words")


def html_page(content: Mapping[str, Any], language: str) -> str:
    """Return the page. content: of dossier.json. language: one of audit_page.language.LANGUAGES."""
    words = Language(language, WORDS)
    years = [int(year) for year in content["corpus"]["years"]]
    # The style is that of the audit page.
    return page_template("dossier.html.j2", "deid_core.certify", "deid_core.audit_page").render(
        t=words,
        when=lambda value, form="time": words.time(datetime.fromisoformat(value), form) if value else "–",
        swept=by_find(content["sweep"]),
        # The texts of the shipped policies are in English.
        shipped=content["policy"]["name"] in policy_names(),
        audit=Language(language),
        d=content,
        per=PER,
        labels=frozenset(Label),
        first_year=min(years),
        last_year=max(years),
        doubtful_share=DOUBTFUL_SHARE,
        oversampling=OVERSAMPLING,
    )
