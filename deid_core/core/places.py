"""Places that are no path of this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class S3Url:
    """A folder or file on an S3-compatible object store. path: bucket, "/" and key."""

    path: str

    def __str__(self) -> str:
        return f"s3://{self.path}"
