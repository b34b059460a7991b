"""The files of the page: HTML from templates/page.html.j2, its script and its style. No build step, no framework."""

from __future__ import annotations

import json
from pathlib import Path

from deid_core.audit_page.page_language import Language
from deid_core.audit_page.page_template import page_template
from deid_core.core.html import LABEL_HUES
from deid_core.core.labels import LABELS, TYPES, Label, PhiType, label_of
from deid_core.review.marks import ReaderName

_FOLDER = Path(__file__).parent
_KEYS = {PhiType.PATIENT: "p", PhiType.BIRTH_DATE: "b"} | {entry.general: entry.key for entry in LABELS.values()}
TYPE_KEYS = {_KEYS[phi]: phi for phi in TYPES if phi in _KEYS}
"""The types that a reader chooses from, by key: the most general one of each label, and two more."""


def page_files(language: str, reader: ReaderName | None, policy: str | None = None) -> dict[str, tuple[str, str]]:
    """Return content and media type of each file by its name; "" is the page itself.

    policy: of the output whose texts are read, None for placeholders.
    """
    words, audit = Language(language, _FOLDER / "words"), Language(language)
    kinds = {**audit.value("types"), **words.value("kinds")}
    html = page_template("page.html.j2", "deid_core.review").render(
        t=words,
        audit=audit,
        labels=list(Label),
        choices=[(key, phi, label_of(phi)) for key, phi in TYPE_KEYS.items()],
        kinds=kinds,
        reader=reader,
        policy=policy,
        script=json.dumps({"words": words.value("script"), "types": kinds}, ensure_ascii=False),
    )
    hues = "\n".join(f".{label} {{ --hue: {hue}; }}" for label, hue in LABEL_HUES.items())
    templates = _FOLDER / "templates"
    return {
        "": (html, "text/html"),
        "review.js": ((templates / "review.js").read_text(encoding="utf-8"), "text/javascript"),
        "review.css": ((templates / "review.css").read_text(encoding="utf-8") + hues + "\n", "text/css"),
    }
