"""The base class of all settings: immutable; unknown names and values of another type are errors."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class FrozenSettings(BaseModel):
    """Immutable settings from a file; their JSON is part of a fingerprint."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
