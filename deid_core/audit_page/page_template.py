"""The templates of the pages: HTML that is escaped, and no name that has no value."""

from __future__ import annotations

import re

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`]+)`")


def page_template(name: str, *packages: str) -> Template:
    """Return the template of that name in the folder `templates` of the first of these packages that has it."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _with_code
    return environment.get_template(name)


def _with_code(text: str) -> Markup:
    """Return a text with `commands` in the font for code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - the text is escaped
