"""The archive for executors has the project's code and its machine code, and nothing else that Python keeps."""

from __future__ import annotations

from pathlib import Path

from deid_core.spark import pack_environment


def test_machine_code_is_packed_and_other_kept_files_are_not(tmp_path: Path) -> None:
    for name in (
        "a.py",
        "__pycache__/a.cpython-311.pyc",
        "__pycache__/a.f-1.py311.nbi",
        "__pycache__/a.f-1.py311.1.nbc",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    packed = {name for name, _ in pack_environment._tree(tmp_path, "deid_core")}
    assert packed == {
        "deid_core/a.py",
        "deid_core/__pycache__/a.f-1.py311.nbi",
        "deid_core/__pycache__/a.f-1.py311.1.nbc",
    }
