"""Settings of the ensemble, as a pipeline's YAML file gives them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from deid_core.core.labels import Label
from deid_core.core.settings import FrozenSettings, Share


class PropagationSettings(FrozenSettings):
    """Propagation: what is certain in one place is searched for in the whole note (ensemble/propagation.py)."""

    min_score: Share
    """A name that a recogniser found with at least this score is searched for in the whole note. Institutions,
    addresses, places and numbers have a limit of their own (repeats.py)."""
    max_ratio: Share
    """A word is a form of the name if R = d / min(|n|, |w|) is below this, d the Levenshtein distance. Stricter than
    that of recogniser `letterhead`: the body of a letter names more people than its header."""
    min_letters: Annotated[int, Field(gt=0)]
    """Shorter words of a name are not searched for."""
    staff_initials: bool = False
    """Also find initials of staff that the note names (staff_initials.py); a stacking model has to judge them."""


class StackingSettings(FrozenSettings):
    """The stacking model and its thresholds (ensemble/stacking/stacking_model.py). Pipeline `default` sets its own."""

    model: str
    """Model folder in deid_core/models, or a path. The model shares the word knowledge of recogniser `crf`'s model."""
    promote_above: Share = 0.2
    """A token that is outside on the best path is promoted to a person's name if it is one with at least this
    probability. An entity of the best path is given up if no token of it, nor of an entity directly beside it, reaches
    this or another `promote_above…`."""
    promote_above_others: Share | None = None
    """The same for the probabilities of places, institutions and professions together; None: as for names."""
    promote_above_numbers: Share = 1.0
    """The same for the probabilities of dates, ages, telephone numbers, postcodes and identifiers together."""
    promote_above_repeated: Share | None = None
    """The same for a word that is a person's name elsewhere in the note, also misspelt (R below 0.2, as
    one letter of six); None: no exception for such words."""
    repeated_from: Share = 0.5
    """A word with at least this probability of being a person's name counts as one elsewhere in the note."""
    prior_entity_rate: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of words in entities for which `promote_above`, `promote_above_others` and `promote_above_numbers` are
    meant: they rise in a note with fewer entities. None: they never rise."""
    min_odds_ratio: Annotated[float, Field(gt=0, le=1)] = 0.1
    """However few entities a note seems to have, the odds of a threshold, p / (1 - p), are at most divided by this: the
    lower, the more the thresholds can rise."""
    drop_above: Share = 0.9
    """A detection is dropped if each of its tokens is outside every entity with more than this probability."""
    cut_above: Share = 1.0
    """A word at the edge of a name is cut from a detection that is kept if it is outside with more than this. Not for
    labels of `never_drop`; a capitalised word at the end of a person's name stays."""
    never_drop: list[Annotated[Label, Field(strict=False)]] = Field(default=[])
    """Labels of detections that are never dropped, nor cut at their edges. Types that the model has no label for are
    never dropped either, but for OTHER."""


class ListsSettings(FrozenSettings):
    """A pipeline's own lists (ensemble/own_lists.py).

    In YAML the path of a file, or a list of several, may stand in place of the words, and `always` may have the file as
    key and the label as value. The words become part of the pipeline, so workers need no file.
    """

    never: list[str] = Field(default=[])
    """Words that are never removed."""
    always: dict[Annotated[Label, Field(strict=False)], list[str]] = Field(default={})
    """Words that are removed always, by the label of their spans."""

    @model_validator(mode="after")
    def _fit(self) -> ListsSettings:
        always = [entry for entries in self.always.values() for entry in entries]
        if any(not any(character.isalnum() for character in entry) for entry in [*self.never, *always]):
            raise ValueError("an entry has no letter or digit")
        # An entry may be a name: errors do not quote it.
        if both := {entry.casefold() for entry in self.never} & {entry.casefold() for entry in always}:
            raise ValueError(f"never and always have {len(both)} entries in common; take them out of one of the two")
        return self


class BoundaryTrimmingSettings(FrozenSettings):
    """Trimming of words from the edges of names (ensemble/boundary_trimming.py)."""

    max_words: Annotated[int, Field(gt=0)]
    """The most words to trim at each edge; further ones stay."""
