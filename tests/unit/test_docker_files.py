"""What the image, the compose file and the Kubernetes example refer to exists. None of them is built here.

The lines of the cron example are run with stand-ins for `deid`.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from deid_core import __version__


def copied(repository: Path) -> list[str]:
    text = (repository / "docker" / "Dockerfile").read_text()
    return [source for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE) for source in line.split()[:-1]]


def test_image_copies_what_exists_and_is_not_ignored(repository: Path) -> None:
    allowed = {line[1:] for line in (repository / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert len(copied(repository)) >= 8
    assert all((repository / source).exists() for source in copied(repository))
    assert set(copied(repository)) == allowed


def test_compose_starts_what_the_image_has(repository: Path) -> None:
    services = yaml.safe_load((repository / "docker" / "compose.yaml").read_text())["services"]
    assert services["worker"]["deploy"]["replicas"] == 2
    submit = services["submit"]["command"]
    inside = [argument.removeprefix("/opt/deid/") for argument in submit if argument.startswith("/opt/deid/")]
    assert inside == ["conf/spark/cluster.conf", "jobs/run.py"]
    assert all((repository / path).is_file() for path in inside)
    assert {service["image"] for service in services.values()} == {f"deid:{__version__}"}
    assert f"spark://{services['master']['hostname']}:7077" in submit
    assert f"spark://{services['master']['hostname']}:7077" in services["worker"]["command"]


def test_cron_job_mounts_what_its_command_names(repository: Path) -> None:
    documents = yaml.safe_load_all((repository / "docker" / "kubernetes" / "cronjob.yaml").read_text())
    job, policy = documents
    template = job["spec"]["jobTemplate"]["spec"]["template"]
    [container] = template["spec"]["containers"]
    mounted = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert {argument for argument in container["args"] if argument.startswith("/")} <= set(mounted)
    assert set(mounted.values()) == {volume["name"] for volume in template["spec"]["volumes"]}
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    [rule] = job["spec"]["jobTemplate"]["spec"]["podFailurePolicy"]["rules"]
    assert rule["onExitCodes"]["values"] == [64, 65, 78]


def test_cron_job_has_no_more_cpus_than_its_memory_is_for(repository: Path) -> None:
    job, _ = yaml.safe_load_all((repository / "docker" / "kubernetes" / "cronjob.yaml").read_text())
    [container] = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"cpu": "4", "memory": "12Gi"}


@pytest.mark.parametrize("code", [0, 64, 65, 70, 75, 78])
def test_cron_prints_nothing_after_a_good_night_and_the_code_after_another(
    code: int, repository: Path, tmp_path: Path
) -> None:
    deid = tmp_path / "deid"
    deid.write_text(f"#!/bin/sh\necho summary of $*\necho log line >&2\nexit {code}\n")
    deid.chmod(0o755)
    text = (repository / "docker" / "cron.example").read_text()
    commands = re.findall(r"^\d+ \d+ \S+ \* \*\s+deid\s+(.+)$", text, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        # cron treats % as the end of the command.
        assert "%" not in command
        here = command.replace("/opt/deid/.venv/bin/deid", str(deid)).replace("/var/log/deid", str(tmp_path))
        done = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=False)
        assert done.stdout == (f"deid run exited with {code}\n" if code else "")
        assert done.stderr == ""
    assert (tmp_path / "run.out").read_text().splitlines() == [
        "summary of run --input /archive/letters --lake /data/lake",
        "summary of run --input /archive/letters --lake /data/lake --retry",
    ]
    assert (tmp_path / "run.jsonl").read_text() == "log line\n" * 2
