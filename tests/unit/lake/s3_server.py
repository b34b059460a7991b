"""An S3 server in this process, moto's, and files on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, S3FileSystem, copy_files

from deid_core.core.places import S3Url

BUCKET = "bucket"


@contextmanager
def s3_server() -> Iterator[None]:
    """Serve an empty bucket, at the address that the variables name."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    variables = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    }  # fmt: skip
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            _system().create_dir(BUCKET)
            yield
    finally:
        server.stop()


def upload(folder: Path, name: str) -> S3Url:
    """Put a folder's files, and no others, below a key of the bucket."""
    system = _system()
    system.create_dir(f"{BUCKET}/{name}")
    system.delete_dir_contents(f"{BUCKET}/{name}")
    copy_files(str(folder), f"{BUCKET}/{name}", source_filesystem=LocalFileSystem(), destination_filesystem=system)
    return S3Url(f"{BUCKET}/{name}")


def _system() -> S3FileSystem:
    address = os.environ["AWS_ENDPOINT_URL"].partition("//")[2]
    return S3FileSystem(endpoint_override=address, scheme="http", allow_bucket_creation=True)
