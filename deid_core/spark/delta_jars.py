"""Fetch Delta's jars once, so that no later run needs a network; part of `make setup`.

    python -m deid_core.spark.delta_jars

The jars are put into PREFIX/share/deid/jars of the Python environment. The artefact is chosen as
`delta.configure_spark_with_delta_pip` does. Jars that pyspark brings itself are left out.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

_SCALA = "2.13"
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


def fetch(target: Path, *, ivy_settings: Path | None = None) -> list[Path]:
    """Resolve Delta with Ivy, which Spark brings, copy its jars into `target`, and return them.

    ivy_settings: an ivysettings.xml that names a mirror. Raises SystemExit if Ivy does not find them.
    """
    with tempfile.TemporaryDirectory(prefix="deid-ivy-") as cache:
        settings = [f"spark.jars.packages={coordinates()}", f"spark.jars.ivy={cache}"]
        if ivy_settings is not None:
            settings.append(f"spark.jars.ivySettings={ivy_settings}")
        done = subprocess.run([sys.executable, "-c", _RESOLVE, *settings], capture_output=True, text=True, check=False)
        found = sorted(Path(cache, "jars").glob("*.jar"))
        if done.returncode or not found:
            raise SystemExit(f"Ivy did not resolve {coordinates()}:\n{done.stderr[-3000:]}")
        brought = {artefact(jar.name) for jar in _pyspark_jars().glob("*.jar")}
        # Ivy's names are GROUP_ARTEFACT-VERSION.jar.
        wanted = [jar for jar in found if artefact(jar.name.split("_", 1)[1]) not in brought]
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        return [Path(shutil.copy(jar, target / jar.name)) for jar in wanted]


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
        sys.stdout.write(f"Delta's jars are in {args.output}\n")
        return
    jars = fetch(args.output, ivy_settings=args.ivy_settings)
    sys.stdout.write(f"{len(jars)} jars of {coordinates()} are now in {args.output}\n")


if __name__ == "__main__":
    main()
