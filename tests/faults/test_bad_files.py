"""Two hundred bad files among five thousand: each in quarantine with its reason, the others done, memory bounded."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections import Counter
from pathlib import Path

import psutil
import pytest
from lakes import LETTER, NAMES, Archive, write
from processes import WAIT_S, started

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

NOTES, BAD = 4_800, 200
WORKER_KB = 2 * 1024 * 1024
OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def docx(document: bytes) -> bytes:
    """Return a .docx with this document part, complete enough to be refused for it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
            'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
            '.wordprocessingml.document.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
            'Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", document)
    return out.getvalue()


def with_password() -> bytes:
    """Return a zip whose members are marked as encrypted."""
    data = bytearray(docx(b"<x/>"))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(signature, at + 1)) >= 0:
            data[at + flags] |= 1
    return bytes(data)


def bad_files(good: bytes) -> dict[str, tuple[bytes, str]]:
    """Return kinds of bad files: name, bytes, and the reason that the ledger must give. good: a .docx."""
    flipped = bytearray(good)
    text_part = flipped.index(b"word/document.xml")
    for at in range(text_part + 60, text_part + 160, 7):
        flipped[at] ^= 0x55
    entity = b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>'
    return {
        "flipped.docx": (bytes(flipped), "corrupt"),
        "truncated.docx": (good[: len(good) // 2], "corrupt"),
        "empty.docx": (b"", "empty"),
        "empty.txt": (b"", "empty"),
        "password.docx": (with_password(), "encrypted"),
        "bomb.docx": (docx(b"<x>" + b" " * 60_000_000 + b"</x>"), "unsafe"),
        "entity.docx": (docx(entity), "unsafe"),
    }


def test_each_has_its_reason_and_the_others_are_done(first_run: Archive, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    for number in range(NOTES):
        letter = LETTER.format(name=NAMES[number % len(NAMES)], number=number)
        write(archive.input / str(2010 + number % 5) / f"{number}.txt", letter)
    kinds = bad_files((first_run.input / "2010" / "Peters.docx").read_bytes())
    expected: Counter[str] = Counter()
    for number in range(BAD - 2):
        name, (data, reason) = list(kinds.items())[number % len(kinds)]
        path = archive.input / "bad" / f"{number} {name}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        expected[reason] += 1
    with open(archive.input / "bad" / "large.doc", "wb") as file:
        file.write(OLE)
        file.truncate(100_000_000)
    (archive.input / "bad" / "large.txt").write_bytes(b"Herr Neumann kam. " * 2_800_000)
    expected["too_large"] = 2

    process = started(archive)
    peaks: dict[int, int] = {}
    watcher = threading.Thread(target=_watch, args=(process.pid, peaks), daemon=True)
    watcher.start()
    _, err = process.communicate(timeout=2 * WAIT_S)
    assert process.returncode == 0, err[-2000:]
    rows = delta_reader.read(archive.lake.ledger, ["state", "reason", "path"]).to_pylist()
    assert Counter(row["reason"] for row in rows if row["state"] == "quarantined") == expected
    assert len(rows) == NOTES + BAD
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == NOTES
    assert len(peaks) >= 2
    assert max(peaks.values()) < WORKER_KB


def _watch(driver: int, peaks: dict[int, int]) -> None:
    """Record the peak memory, in kB, of each Python process of the run."""
    while psutil.pid_exists(driver):
        try:
            for process in psutil.Process(driver).children(recursive=True):
                if "python" in process.name():
                    status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
                    [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
                    peaks[process.pid] = max(peak, peaks.get(process.pid, 0))
        except (psutil.Error, OSError, ValueError):
            continue
        time.sleep(0.2)
