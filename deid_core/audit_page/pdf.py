"""Print the audit page to PDF with Chromium, if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TIME_LIMIT_S = 120


def browser() -> str:
    """Return the path of a browser that prints. Raises ConfigurationError if none is on the PATH."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise ConfigurationError(
        f"--pdf: needs one of {', '.join(BROWSERS)} on the PATH; or write --html, open it in any browser and print it"
    )


def to_pdf(html: str, program: str) -> bytes:
    """Return the page as PDF. program: what `browser` found. Raises TryAgainError if it fails or takes too long."""
    with tempfile.TemporaryDirectory(prefix="deid-pdf-") as name:
        folder = Path(name)
        (folder / "page.html").write_text(html, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={folder / 'profile'}",
            # The browser's own header and footer would show the path of the file.
            "--no-pdf-header-footer",
            f"--print-to-pdf={folder / 'page.pdf'}",
            (folder / "page.html").as_uri(),
        ]
        if os.geteuid() == 0:
            # Chromium's sandbox refuses root. The page has no scripts and loads nothing.
            command.insert(1, "--no-sandbox")
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=_TIME_LIMIT_S)
            return (folder / "page.pdf").read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            problem = type(error).__name__
        raise TryAgainError(f"--pdf: {program} did not print the page ({problem}); write --html and print it by hand")
