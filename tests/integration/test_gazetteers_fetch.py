"""`deid gazetteers fetch` and `build`, against a server on loopback."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode, TryAgainError
from deid_core.lexicon.gazetteer.fetch import fetch_all
from deid_core.lexicon.gazetteer.settings import GazetteerSettings

TOWNS = "Ulm\nKöln\n".encode()


def archive(member: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(member, data)
    return buffer.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Serves the server's files. /short announces more than it sends."""

    def do_GET(self) -> None:
        files: dict[str, bytes] = self.server.files  # type: ignore[attr-defined]
        if self.path == "/busy":
            self.send_error(503)
        elif self.path not in files:
            self.send_error(404)
        else:
            body = files[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body) + (100 if self.path == "/short" else 0)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files = {  # type: ignore[attr-defined]
        "/towns.txt": TOWNS,
        "/short": TOWNS,
        "/towns.zip": archive("DE.txt", TOWNS),
        "/bomb.zip": archive("DE.txt", b"0" * 2_000_000),
    }
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def settings_for(folder: Path, address: str, sha256: str | None = None, more: str = "") -> GazetteerSettings:
    checksum = f"'{sha256}'" if sha256 else "null"
    (folder / "sources.yaml").write_text(
        "sources:\n  - name: towns\n    kind: town\n    licence: own\n"
        f"    fetch: {{address: '{address}', sha256: {checksum}{more}}}\n",
        encoding="utf-8",
    )
    return GazetteerSettings(sources=str(folder / "sources.yaml"))


def fetch(folder: Path, settings: GazetteerSettings, only: list[str] | None = None) -> list[bool]:
    return [fetched.pinned for fetched in fetch_all(settings, only, into=folder / "fetched")]


def test_a_pinned_list_is_put_in_place(tmp_path: Path, address: str) -> None:
    sha256 = hashlib.sha256(TOWNS).hexdigest()
    assert fetch(tmp_path, settings_for(tmp_path, f"{address}/towns.txt", sha256)) == [True]
    assert (tmp_path / "fetched" / "towns").read_bytes() == TOWNS


def test_a_member_is_taken_out_of_an_archive(tmp_path: Path, address: str) -> None:
    assert fetch(tmp_path, settings_for(tmp_path, f"{address}/towns.zip", more=", member: DE.txt")) == [False]
    assert (tmp_path / "fetched" / "towns").read_bytes() == TOWNS


def test_another_checksum_is_refused_and_leaves_what_was_there(tmp_path: Path, address: str) -> None:
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "towns").write_bytes(b"old")
    with pytest.raises(ConfigurationError) as caught:
        fetch(tmp_path, settings_for(tmp_path, f"{address}/towns.txt", "0" * 64))
    assert "0" * 64 in str(caught.value) and hashlib.sha256(TOWNS).hexdigest() in str(caught.value)
    assert [p.name for p in (tmp_path / "fetched").iterdir()] == ["towns"]
    assert (tmp_path / "fetched" / "towns").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("path", "more", "error", "message"),
    [
        ("/gone", "", ConfigurationError, "404"),
        ("/busy", "", TryAgainError, "503"),
        ("/short", "", TryAgainError, "connection|IncompleteRead|bytes"),
        ("/towns.txt", ", max_bytes: 3", ConfigurationError, "larger than max_bytes"),
        ("/bomb.zip", ", member: DE.txt, max_bytes: 100000", ConfigurationError, "larger than max_bytes"),
        ("/towns.zip", ", member: AT.txt", ConfigurationError, "no member 'AT.txt'"),
        ("/towns.txt", ", member: DE.txt", ConfigurationError, "no zip archive"),
    ],
)
def test_failures_say_what_to_do_and_write_nothing(
    tmp_path: Path, address: str, path: str, more: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fetch(tmp_path, settings_for(tmp_path, address + path, more=more))
    assert not (tmp_path / "fetched").exists()


def test_no_network_is_a_reason_to_try_again(tmp_path: Path, address: str) -> None:
    # Port 1 of loopback refuses connections, so nothing leaves the machine.
    with pytest.raises(TryAgainError, match="cannot be reached"):
        fetch(tmp_path, settings_for(tmp_path, "http://127.0.0.1:1/towns.txt"))


def test_an_unknown_name_is_refused_with_those_that_exist(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigurationError, match="there are: towns"):
        fetch(tmp_path, settings_for(tmp_path, f"{address}/towns.txt"), only=["cities"])


def test_fetch_then_build_on_the_command_line(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deid_core.lexicon.gazetteer.fetch.fetched_dir", lambda: tmp_path / "fetched")
    monkeypatch.setattr("deid_core.lexicon.gazetteer.build.fetched_dir", lambda: tmp_path / "fetched")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("deid_core.core.array_cache.gazetteer_dir", lambda: tmp_path)
    sources = settings_for(tmp_path, f"{address}/towns.txt").sources
    assert main(["gazetteers", "build", "--sources", sources, "--json"]) == ExitCode.DONE
    before = json.loads(capsys.readouterr().out)
    assert before["sources"][0]["skipped"] == "not fetched"
    assert main(["gazetteers", "fetch", "--sources", sources]) == ExitCode.DONE
    printed = capsys.readouterr().out
    assert hashlib.sha256(TOWNS).hexdigest() in printed and "not pinned" in printed
    assert main(["gazetteers", "build", "--sources", sources]) == ExitCode.DONE
    assert "towns" in capsys.readouterr().out
    assert main(["gazetteers", "build", "--sources", sources, "--json"]) == ExitCode.DONE
    after = json.loads(capsys.readouterr().out)
    assert after["sources"][0]["taken"] == 2 and after["digest"] != before["digest"]


def test_the_command_line_passes_on_exit_codes(
    tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = settings_for(tmp_path, "http://127.0.0.1:1/x").sources
    assert main(["gazetteers", "fetch", "--sources", sources]) == ExitCode.RETRY
    assert main(["gazetteers", "fetch", "--sources", sources, "--only", "nothing"]) == ExitCode.USAGE
    assert "sources.yaml" in capsys.readouterr().err
