"""What all settings have in common: an unknown name or a value of another type is a mistake, and nothing changes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class FrozenSettings(BaseModel):
    """Settings that a file gives and nobody changes; their JSON is part of a fingerprint."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
