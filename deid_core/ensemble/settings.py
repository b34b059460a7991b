"""Settings of the ensemble, as a pipeline's YAML file gives them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from deid_core.core.labels import Label
from deid_core.core.settings import FrozenSettings, Share


class StackingSettings(FrozenSettings):
    """The learned decision (decide/learned.py)."""

    model: str
    """Model folder in deid_core/models, or a path; it has the knowledge of words of recogniser `crf`'s model."""
    promote_above: Share = 0.2
    """A token is taken as well if it is a person's name with at least this probability."""
    promote_above_others: Share | None = None
    """The same for places, institutions and professions; None: as for names."""
    promote_above_numbers: Share = 1.0
    """The same for dates, ages, telephone numbers and numbers that identify."""
    promote_above_repeated: Share | None = None
    """The same for a word that is a person's name elsewhere in the note; None: as for others."""
    prior_entity_rate: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of words in entities that `promote_above`, `promote_above_others` and `promote_above_numbers` are
    meant for: in a note with fewer they rise; None: never."""
    drop_above: Share = 0.9
    """A detection is dropped if each of its tokens is none with more than this probability."""
    keep: list[Annotated[Label, Field(strict=False)]] = Field(default=[])
    """Labels of detections that are never dropped."""
