"""Pack what executors need besides Spark into one archive.

    python -m deid_core.spark.pack_environment --output dist/deid-env.tar.gz
    spark-submit --archives dist/deid-env.tar.gz#deid_env --conf spark.executorEnv.PYTHONPATH=deid_env …

The archive holds the project and the installed packages that it needs at run time, with their native libraries. It
holds neither pyspark, which the cluster has, nor Python: executors need a bare Python of this version and platform.
Nothing is downloaded, and the same environment gives the same bytes. Machine code that was compiled here is part of it:
run `deid text` once before.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

from deid_core.core.data_folders import conf_dir, gazetteer_dir
from deid_core.core.errors import ConfigurationError

_ROOT = Path(__file__).resolve().parents[2]
_ARROW_NEEDS = "pandas"
"""pyspark imports it to pass Arrow batches. It is the only package of the extra `spark` that a cluster may lack."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LEFT_OUT = frozenset({"__pycache__", "tests", "include"})
_MACHINE_CODE = frozenset({".nbi", ".nbc"})
"""Kept by numba beside the modules (core/jit.py): executors with the same kind of processor need not compile."""


def distributions() -> list[metadata.Distribution]:
    """Return the installed packages that the project needs at run time, with their own dependencies, by name.

    Raises ConfigurationError if one of them is not installed.
    """
    found: dict[str, metadata.Distribution] = {}
    waiting = [*_requirements(), _ARROW_NEEDS]
    while waiting:
        requirement = waiting.pop()
        name, _, marker = requirement.partition(";")
        match = _NAME.match(name)
        key = re.sub(r"[-_.]+", "-", match.group()).lower() if match else ""
        if not key or key in found or "extra" in marker:
            continue
        try:
            distribution = metadata.distribution(key)
        except metadata.PackageNotFoundError:
            # A requirement for another platform or Python has a marker, and need not be installed.
            if marker:
                continue
            raise ConfigurationError(f"the package {key!r} is not installed; run `make setup`") from None
        found[key] = distribution
        waiting += distribution.requires or []
    return [found[name] for name in sorted(found)]


def pack(output: Path) -> int:
    """Write the archive and return how many files it has."""
    output.parent.mkdir(parents=True, exist_ok=True)
    members = dict(sorted(_members()))
    with (
        open(output, "wb") as file,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, path in members.items():
            info = archive.gettarinfo(path, name)
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            with open(path, "rb") as content:
                archive.addfile(info, content)
    return len(members)


def _requirements() -> list[str]:
    """Return the requirements from pyproject.toml, or from the installed package if there is no checkout."""
    project = _ROOT / "pyproject.toml"
    if project.is_file():
        return list(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"])
    return metadata.requires("deid") or []


def _members() -> Iterator[tuple[str, Path]]:
    """Yield names in the archive and files."""
    for distribution in distributions():
        for file in distribution.files or ():
            path = Path(str(distribution.locate_file(file)))
            if ".." not in file.parts and _LEFT_OUT.isdisjoint(file.parts) and path.is_file():
                yield PurePosixPath(file).as_posix(), path
    yield from _tree(_ROOT / "deid_core", "deid_core")
    yield from _tree(conf_dir(), "deid_core/_resources/conf")
    yield from _tree(gazetteer_dir() / "lists", "deid_core/_resources/gazetteers/lists")
    yield "deid_core/_resources/gazetteers/sources.yaml", gazetteer_dir() / "sources.yaml"


def _tree(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        inner = path.relative_to(folder)
        if path.is_file() and (path.suffix in _MACHINE_CODE or _LEFT_OUT.isdisjoint(inner.parts)):
            yield f"{name}/{inner.as_posix()}", path


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Pack the environment of Spark's executors.")
    parser.add_argument("--output", type=Path, default=Path("dist/deid-env.tar.gz"), help="the archive")
    args = parser.parse_args()
    count = pack(args.output)
    size_mb = args.output.stat().st_size / 1_000_000
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    sys.stdout.write(f"{args.output}: {count} files, {size_mb:.0f} MB, for Python {version} on {sys.platform}\n")


if __name__ == "__main__":
    main()
