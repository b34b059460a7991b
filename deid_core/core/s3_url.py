"""The address of a folder or file on an S3-compatible object store, where a path of this machine may stand, too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class S3Url:
    """A folder or file on an S3-compatible object store. path: bucket, "/" and key."""

    path: str

    def __str__(self) -> str:
        return f"s3://{self.path}"
