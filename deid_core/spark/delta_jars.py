"""Fetch Delta's jars once, so that no later run needs a network; part of `make setup`.

    python -m deid_core.spark.delta_jars

The jars are put into PREFIX/share/deid/jars of the Python environment. The artefact is chosen as
`delta.configure_spark_with_delta_pip` does. Jars that pyspark brings itself are left out. Only jars whose SHA-256
stands in delta_jars.sha256 (written by `sha256sum *.jar`) are taken or kept.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

_SCALA = "2.13"
_CHECKSUMS = Path(__file__).with_suffix(".sha256")
_VERSION_AND_ENDING = re.compile(r"-\d[\w.-]*\.jar$")
_RESOLVE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for setting in sys.argv[1:]:
    name, value = setting.split("=", 1)
    builder = builder.config(name, value)
builder.getOrCreate().stop()
"""


def jars_dir() -> Path:
    """Return the folder of this Python environment's jars."""
    return Path(sys.prefix) / "share" / "deid" / "jars"


def coordinates() -> str:
    """Return the Maven coordinates of the Delta that fits the installed pyspark and delta-spark."""
    spark = ".".join(metadata.version("pyspark").split(".")[:2])
    return f"io.delta:delta-spark_{spark}_{_SCALA}:{metadata.version('delta-spark')}"


def jar_problems(folder: Path) -> list[str]:
    """Return one message for each jar in `folder` that is missing, unknown or of another SHA-256."""
    known = dict(line.split()[::-1] for line in _CHECKSUMS.read_text(encoding="ascii").splitlines())
    found = {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in folder.glob("*.jar")}
    again = "run `python -m deid_core.spark.delta_jars --force` once with a network"
    if not found:
        return [f"Delta's jars are not in {folder}: run `make setup` (or `python -m deid_core.spark.delta_jars`) once"]
    missing = [f"{folder / name} is missing: {again}" for name in sorted(known.keys() - found.keys())]
    unknown = [
        f"{folder / name} has no checksum in {_CHECKSUMS.name} (its SHA-256 is {found[name]}): remove it"
        for name in sorted(found.keys() - known.keys())
    ]
    changed = [
        f"{folder / name} is not the jar that was released (its SHA-256 is {found[name]}): {again}"
        for name in sorted(known.keys() & found.keys())
        if found[name] != known[name]
    ]
    return missing + unknown + changed


def fetch(target: Path, *, ivy_settings: Path | None = None) -> list[Path]:
    """Resolve Delta with Ivy, which Spark brings, copy its jars into `target`, and return them.

    ivy_settings: an ivysettings.xml that names a mirror. Raises SystemExit if Ivy does not find them, or if one differs
    from its checksum; `target` is then as it was.
    """
    with tempfile.TemporaryDirectory(prefix="deid-ivy-") as cache:
        settings = [f"spark.jars.packages={coordinates()}", f"spark.jars.ivy={cache}"]
        if ivy_settings is not None:
            settings.append(f"spark.jars.ivySettings={ivy_settings}")
        # An image is built where the host name may have no address.
        here = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"}
        command = [sys.executable, "-c", _RESOLVE, *settings]
        done = subprocess.run(command, env=here, capture_output=True, text=True, check=False)
        found = sorted(Path(cache, "jars").glob("*.jar"))
        if done.returncode or not found:
            raise SystemExit(f"Ivy did not resolve {coordinates()}:\n{done.stderr[-3000:]}")
        brought = {artefact(jar.name) for jar in _pyspark_jars().glob("*.jar")}
        # Ivy's names are GROUP_ARTEFACT-VERSION.jar.
        wanted = [jar for jar in found if artefact(jar.name.split("_", 1)[1]) not in brought]
        checked = Path(cache, "checked")
        checked.mkdir()
        for jar in wanted:
            shutil.copy(jar, checked)
        if wrong := jar_problems(checked):
            raise SystemExit("\n".join(["The jars that were downloaded are refused; nothing was changed:", *wrong]))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(checked, target)
        return sorted(target.glob("*.jar"))


def artefact(file_name: str) -> str:
    """Return a jar's name without version and ending."""
    return _VERSION_AND_ENDING.sub("", file_name)


def _pyspark_jars() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent / "jars"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Fetch Delta's jars once.")
    parser.add_argument("--output", type=Path, default=jars_dir(), help="folder for the jars")
    parser.add_argument("--ivy-settings", type=Path, help="ivysettings.xml of a mirror inside a closed network")
    parser.add_argument("--force", action="store_true", help="fetch them again")
    args = parser.parse_args()
    present = sorted(args.output.glob(f"*delta-spark*-{metadata.version('delta-spark')}.jar"))
    if present and not args.force:
        if wrong := jar_problems(args.output):
            raise SystemExit("\n".join(wrong))
        sys.stdout.write(f"Delta's jars are in {args.output}\n")
        return
    jars = fetch(args.output, ivy_settings=args.ivy_settings)
    sys.stdout.write(f"{len(jars)} jars of {coordinates()} are now in {args.output}\n")


if __name__ == "__main__":
    main()
