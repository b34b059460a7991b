"""An S3 server in this process, moto's, and files on it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pyarrow.fs import LocalFileSystem, S3FileSystem, copy_files

from deid_core.core.s3_url import S3Url

BUCKET = "bucket"


@contextmanager
def s3_server() -> Iterator[ThreadedMotoServer]:
    """Serve a bucket, at the address that the variables name. What lies in it stays for the next server."""
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
            yield server
    finally:
        server.stop()


def upload(folder: Path, name: str) -> S3Url:
    """Put a folder's files, and no others, below a key of the bucket."""
    system = _system()
    system.create_dir(f"{BUCKET}/{name}")
    system.delete_dir_contents(f"{BUCKET}/{name}")
    copy_files(str(folder), f"{BUCKET}/{name}", source_filesystem=LocalFileSystem(), destination_filesystem=system)
    return S3Url(f"{BUCKET}/{name}")


def put(key: str, content: bytes, **options: str) -> None:
    """Put an object. options: of S3's PutObject, such as StorageClass."""
    boto3.client("s3").put_object(Bucket=BUCKET, Key=key, Body=content, **options)


def delete(key: str) -> None:
    boto3.client("s3").delete_object(Bucket=BUCKET, Key=key)


def keys_below(prefix: str) -> list[str]:
    """Return the keys below a prefix, sorted."""
    found = boto3.client("s3").list_objects_v2(Bucket=BUCKET, Prefix=f"{prefix}/").get("Contents", [])
    return [item["Key"] for item in found]


def get(key: str) -> bytes:
    return bytes(boto3.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read())


def no_store() -> str:
    """Return an address at which nothing answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def _system() -> S3FileSystem:
    address = os.environ["AWS_ENDPOINT_URL"].partition("//")[2]
    return S3FileSystem(endpoint_override=address, scheme="http", allow_bucket_creation=True)
