"""What the image, the compose file and the Kubernetes example name exists; none of them is built here."""

from __future__ import annotations

import re
from pathlib import Path

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
