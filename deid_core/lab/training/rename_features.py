"""Renames recognisers and rules in the features of stored models, so that a renaming needs no new training.

    from deid_core.lab.training.rename_features import Renaming, rename_stacking, rename_subtypes

    renaming = Renaming(recognisers={"person_context": "names"}, rules={("pattern", "date.numeric"): "date.digits"})
    folder = models_dir() / "stacking-de"
    rename_stacking(load_model("stacking-de"), renaming).save(folder, (folder / CARD_FILE).read_text())

The code must use the new names from then on. Both functions raise ValueError if two names would become one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from deid_core.crf.model import CrfModel
from deid_core.crf.weights import CrfWeights
from deid_core.ensemble.stacking.stacking_model import KIND
from deid_core.ensemble.subtype.model import SubtypeModel

_VALUE = re.compile(r"(?P<place>[BI]?)(?P<recogniser>[a-z_]+)(?P<mark>[:.])(?P<rest>.*)", re.DOTALL)
"""A detection's feature value, as ensemble/stacking/features.py writes it: "Bcrf:PER", "crf.crf.PER", "crf:PER+"."""


@dataclass(frozen=True)
class Renaming:
    """New names: of recognisers by the old name, of rules by the old names of recogniser and rule."""

    recognisers: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def recogniser(self, name: str) -> str:
        """Return the new name of a recogniser."""
        return self.recognisers.get(name, name)

    def rule(self, recogniser: str, rule: str) -> str:
        """Return the new name of a rule; of "word/person" the part before the slash is this recogniser's."""
        if recogniser == KIND:
            # "person/person_context.salute": the class of an entity, and the detection that it is attributed to.
            label, slash, source = rule.partition("/")
            source_recogniser, dot, source_rule = source.partition(".")
            if not dot:
                return rule
            new_rule = self.rule(source_recogniser, source_rule)
            return f"{label}{slash}{self.recogniser(source_recogniser)}{dot}{new_rule}"
        head, slash, rest = rule.partition("/")
        return self.rules.get((recogniser, rule)) or f"{self.rules.get((recogniser, head), head)}{slash}{rest}"


def rename_attributes(weights: CrfWeights, rename: Callable[[str], str]) -> CrfWeights:
    """Return the weights with renamed attributes; raises ValueError if two attributes would become one."""
    attributes = tuple(map(rename, weights.attributes))
    if len(set(attributes)) < len(attributes):
        raise ValueError("two attributes would have the same name")
    return replace(weights, attributes=attributes)


def rename_stacking(model: CrfModel, renaming: Renaming) -> CrfModel:
    """Return a stacking model with renamed detection features; its weights stay the same."""
    keys = {slot.key for template in model.detection_templates().single for slot in template.slots}

    def rename(attribute: str) -> str:
        key, colon, value = attribute.partition(":")
        found = _VALUE.fullmatch(value) if key in keys else None
        if found is None:
            return attribute
        recogniser, mark, rest = found["recogniser"], found["mark"], found["rest"]
        if mark == ".":
            rest = renaming.rule(recogniser, rest)
        return f"{key}{colon}{found['place']}{renaming.recogniser(recogniser)}{mark}{rest}"

    return model.with_weights(rename_attributes(model.weights(), rename))


def rename_subtypes(model: SubtypeModel, renaming: Renaming) -> SubtypeModel:
    """Return a subtype model with renamed symbols of the recogniser and rule that found a span."""

    def rename(symbol: str) -> str:
        recogniser, blank, rule = symbol.partition(" ")
        if not blank:
            return symbol
        return f"{renaming.recogniser(recogniser)} {renaming.rule(recogniser, rule)}"

    return model.with_symbols(rename)
