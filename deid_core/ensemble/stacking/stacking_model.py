"""The stacking model (Wolpert 1992): a CRF over the note's words and over what the recognisers found at each of them.

Its emissions are a mixture of those of weights and of two convolutional layers (crf/convolution.py). A model without
layers has weights alone.

Fixed precedence cannot tell when to believe a recogniser: a surname from a list after "Frau", but not after "Morbus".
This model weighs the detections at a token and its neighbours together with the words around, so that names and places
that no recogniser found get a second chance. `deid train stacking` trains it on letters written for this project, on
news, Wikipedia and court decisions. Its entities come before the detections of all kinds that the pipeline's `order`
names (ensemble/resolve.py). Its thresholds (StackingSettings) promote tokens, drop detections and cut their edges:

- A token outside every entity is promoted into one if its probability reaches `promote_above` (person),
  `promote_above_numbers` (date, age, phone, identifier, postcode) or `promote_above_others` (place, institution,
  profession): recall before precision, most of all for names. A word that is a name elsewhere in the note needs only
  `promote_above_repeated`, also misspelt (R below 0.2). Salutations and titles are not promoted. The first three
  thresholds are meant for notes in which the share `prior_entity_rate` of words is in entities. They rise in notes with
  fewer entities: fewer false positives on medical terms, at the cost of missing isolated names. Adjacent entities are
  kept together if any of their tokens passes a promotion threshold, and given up together if none does, so a higher
  threshold also removes entities of the best path.
- A detection is dropped if each of its tokens is outside with a probability above `drop_above`. Never dropped are
  labels of `never_drop`, what is certain by its form (ensemble/certain_forms.py), and types that the model has no label
  for, as e-mail addresses, but for type OTHER. A word at the edge of a detected name is cut if it is outside with a
  probability above `cut_above`; not for labels of `never_drop`, nor a capitalised word at the end of a person's name.
  So a pipeline with a stacking model does not remove all that a recogniser detected. Without one, all is removed but
  what own lists, kept labels and, where the pipeline has them, foreign passages and boundary trimming leave.

An entity that matches a detection exactly keeps that detection's recogniser, rule and score.

The model does not see authors and words that are removed always. Detections of `custom` and of recognisers of other
packages it sees only if it was trained with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import LABELS, Label, PhiType, label_of
from deid_core.core.spans import Detection, Dropped, DropReason
from deid_core.crf.compiled_crf import CompiledCrf
from deid_core.crf.convolution import CompiledConvolution, ConvolutionTagger
from deid_core.crf.tagger import CrfTagger
from deid_core.ensemble.certain_forms import is_never_dropped
from deid_core.ensemble.settings import StackingSettings
from deid_core.ensemble.stacking.attribution import NONE, attribute_entities
from deid_core.ensemble.stacking.detection_features import DetectionArrays, StackingFeatures
from deid_core.ensemble.stacking.thresholds import EntityArrays, Thresholds
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUPS
from deid_core.ensemble.word_form import word_form, word_forms
from deid_core.letterhead.fuzzy_match import closest
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import COMMON, IS_WORD, STOP, word_flags
from deid_core.text.column_starts import COLUMN
from deid_core.text.document import Document
from deid_core.text.folding import folded
from deid_core.text.note_sequence import FIRST_TYPE, LINE_TYPE, NO_TOKEN
from deid_core.text.tokens import MARK, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

KIND = "stacking"
_PERSON = "person"
_NUMBERS = frozenset(name for name, types in TYPE_GROUPS.items() if LABELS[label_of(types[0])].has_form)
"""These have a threshold of their own: numbers are frequent, and patterns recognise most by their form."""
_NAMES = frozenset({Label.PER, Label.LOC, Label.ORG})
"""A number is whole: its edges are never cut."""
_NEVER_PROMOTED = frozenset({OUTSIDE, "salute", "title"})
_SCORE_DIGITS = 4
_MAX_RATIO = 0.2
"""R of a word and the name that it misspells is below this (letterhead/fuzzy_match.py): one letter of six to ten."""
REPEATED = "promote_above_repeated"


class StackingResult(NamedTuple):
    """The entities of the stacking model, which are disjoint, and the detections that it kept and dropped."""

    entities: list[Detection]
    kept: list[Detection]
    dropped: list[Dropped]


class Promotion(NamedTuple):
    """A setting `promote_above…`, its value in a note, and what it is compared with: float64 (tokens,)."""

    setting: str
    threshold: float
    probabilities: npt.NDArray[np.float64]


class TokenProbabilities(NamedTuple):
    """What the stacking model says of the tokens of a note.

    outside: float64 (tokens,), the probability of being outside every entity. likeliest: of each token the likeliest
    label of an entity.
    """

    outside: npt.NDArray[np.float64]
    likeliest: list[str]
    promotions: list[Promotion]


class StackingModel:
    """Decides on the detections of documents of one vocabulary; see the module.

    words, features, convolution: the model's parts (`CrfModel.compiled_stacking`). Raises ConfigurationError if the
    model has a label that is no type group, or lacks a label that a setting needs.
    """

    def __init__(
        self,
        settings: StackingSettings,
        words: CompiledCrf,
        features: CompiledCrf,
        convolution: CompiledConvolution | None,
        gazetteer: Gazetteer,
        vocabulary: Vocabulary,
    ) -> None:
        needed = {OUTSIDE} if settings.promote_above_repeated is None else {OUTSIDE, _PERSON}
        problems = [f"label {label!r} is no type group" for label in sorted({*words.labels} - {OUTSIDE, *TYPE_GROUPS})]
        problems += [f"there is no label {label!r}" for label in sorted(needed - {*words.labels})]
        if problems:
            raise ConfigurationError([f"stacking: model {settings.model!r}: {problem}" for problem in problems])
        self._never_drop = frozenset(settings.never_drop)
        self._cut_above = settings.cut_above
        self._features = StackingFeatures(gazetteer)
        self._word_tagger = CrfTagger(words, vocabulary)
        self._feature_tagger = CrfTagger(features, self._features.vocabulary)
        self._layers = ConvolutionTagger(convolution, vocabulary, self._features.vocabulary) if convolution else None
        others = frozenset(words.labels) - _NEVER_PROMOTED - _NUMBERS - {_PERSON}
        promote_above_others = (
            settings.promote_above if settings.promote_above_others is None else settings.promote_above_others
        )
        promotions = {
            "promote_above_numbers": (_NUMBERS, settings.promote_above_numbers),
            "promote_above_others": (others, promote_above_others),
            "promote_above": ({_PERSON}, settings.promote_above),
        }
        self._promotions = tuple(promotions)
        self._thresholds = Thresholds(
            words.labels.index(OUTSIDE),
            settings.drop_above,
            np.array([[label in promoted for label in words.labels] for promoted, _ in promotions.values()], bool),
            np.array([threshold for _, threshold in promotions.values()], float),
            settings.prior_entity_rate,
            None
            if settings.promote_above_repeated is None
            else (words.labels.index(_PERSON), settings.promote_above_repeated),
            min_odds_ratio=settings.min_odds_ratio,
            repeated_from=settings.repeated_from,
        )
        # The type of each label if no recogniser has a more specific one; no entity has the label outside.
        self._default_types = [TYPE_GROUPS.get(label, (PhiType.OTHER,))[0] for label in words.labels]
        self._label_of_type = {phi: n for n, label in enumerate(words.labels) for phi in TYPE_GROUPS.get(label, ())}
        self._kinds = np.zeros((0, 4), np.int32)
        self._promotable = TypeFeature(vocabulary, lambda word: token_kind(word) != MARK, bool)
        self._word_forms = word_forms(vocabulary)
        self._flags = word_flags(gazetteer, vocabulary)

    @property
    def feature_sets(self) -> int:
        """The number of distinct feature sets met so far; the tables grow with them."""
        return len(self._features)

    def decide(self, document: Document, detections: Sequence[Detection]) -> StackingResult:
        """Return the model's entities, and the detections that it keeps and drops."""
        arrays = self._features.arrays(document, detections)
        tokens = document.tokens
        # Only words are promoted: a mark alone is no name or number.
        promotable = self._promotable.gather(tokens.types)
        found, surely_outside = self._entities(document, arrays, promotable)
        starts, ends = tokens.starts[found.start_tokens], tokens.ends[found.end_tokens - 1]
        source, is_exact = np.empty(len(starts), np.int32), np.empty(len(starts), np.bool_)
        is_kept = np.empty(len(detections), np.bool_)
        attribute_entities(
            *arrays, self._kind_table(), found.outside_counts, found.entity_of, found.labels, starts, ends,
            source, is_exact, is_kept,
        )  # fmt: skip
        words = np.zeros(len(tokens) + 1, np.int64)
        promotable.cumsum(out=words[1:])
        has_word = words[found.end_tokens] > words[found.start_tokens]
        entities = [
            detections[number] if exact else self._entity(start, end, label, score, detections, number)
            for start, end, label, score, number, exact, named in zip(
                starts.tolist(), ends.tolist(), found.labels.tolist(), found.scores.tolist(), source.tolist(),
                is_exact.tolist(), has_word.tolist(), strict=True,
            )
            if named
        ]  # fmt: skip
        dropped = [
            Dropped.from_detection(detection, DropReason.DROP_ABOVE)
            for detection in compress(detections, (~is_kept).tolist())
        ]
        numbers = np.flatnonzero(is_kept)
        kept = [detections[number] for number in numbers.tolist()]
        cut = self._cut_edges(document, kept, arrays.touched[numbers], surely_outside, words)
        return StackingResult(entities, kept, dropped + cut)

    def probabilities(self, document: Document, detections: Sequence[Detection]) -> TokenProbabilities:
        """Return the probabilities that `decide` compares with the thresholds, to explain what it did."""
        emissions, bounds = self._emissions(document, self._features.arrays(document, detections))
        of_sequence = self._word_tagger.probabilities(emissions, bounds)
        token_of, thresholds = document.sequence[1], self._thresholds
        promotable = self._promotable.gather(document.tokens.types)
        values = thresholds.promote_above_in(of_sequence, token_of, promotable).tolist()
        of_tokens = of_sequence[token_of != NO_TOKEN]
        sums = of_tokens @ thresholds.promoted.T.astype(float)
        promotions = [Promotion(*found) for found in zip(self._promotions, values, sums.T, strict=True)]
        if thresholds.repeated is not None:
            label, value = thresholds.repeated
            forms = self._forms(document, of_sequence)
            is_repeated = np.isin(forms, thresholds.repeated_forms(of_sequence, token_of, forms))
            promotions.append(Promotion(REPEATED, value, of_tokens[:, label] * is_repeated))
        inside = of_tokens.copy()
        inside[:, thresholds.outside] = -1
        likeliest = [self._word_tagger.labels[label] for label in inside.argmax(axis=1).tolist()]
        return TokenProbabilities(of_tokens[:, thresholds.outside], likeliest, promotions)

    def _forms(self, document: Document, of_sequence: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
        """Return the form of each token's word. A misspelt name of the note has that name's form.

        Common and function words have their own. of_sequence: probabilities of each position of the note's sequence.
        """
        types = document.tokens.types
        forms: npt.NDArray[np.uint32] = self._word_forms.gather(types)
        if self._thresholds.repeated is None:
            return forms
        label, above = self._thresholds.repeated
        of_tokens = of_sequence[document.sequence[1] != NO_TOKEN, label]
        is_name = of_tokens >= self._thresholds.repeated_from
        others = np.flatnonzero((of_tokens >= above) & ~is_name)
        others = others[self._flags.gather(types[others]) & (IS_WORD | COMMON | STOP) == IS_WORD]
        if len(others) and is_name.any():
            names = [folded(document.word(token)) for token in np.flatnonzero(is_name).tolist()]
            words = [folded(document.word(token)) for token in others.tolist()]
            near, _ = closest(names, words, _MAX_RATIO)
            for token, name in zip(others.tolist(), near.tolist(), strict=True):
                if name >= 0:
                    forms[token] = word_form(names[name])
        return forms

    def _cut_edges(
        self,
        document: Document,
        kept: list[Detection],
        touched: npt.NDArray[np.int64],
        surely_outside: npt.NDArray[np.bool_],
        words: npt.NDArray[np.int64],
    ) -> list[Dropped]:
        """Cut words that are surely outside from both edges of names, in place; return what was cut.

        Otherwise "HA Muster" would be removed whole, only because "Muster" is in an entity. kept: detections, with the
        tokens that each overlaps. words: for each token how many words are before it; an edge without a word stays.
        """
        inside = np.flatnonzero(~surely_outside)
        if not len(inside) or not kept:
            return []
        begin, end = touched[:, 0], touched[:, 1]
        first = inside[np.minimum(np.searchsorted(inside, begin), len(inside) - 1)]
        after = inside[np.maximum(np.searchsorted(inside, end) - 1, 0)] + 1
        is_cuttable = (begin <= first) & (first < after) & (after <= end)
        first = np.where(is_cuttable & (words[first] > words[begin]), first, begin)
        after = np.where(is_cuttable & (words[end] > words[after]), after, end)
        starts, ends = document.tokens.starts, document.tokens.ends
        cut: list[Dropped] = []
        for at in np.flatnonzero((first > begin) | (after < end)).tolist():
            whole = kept[at]
            if whole.label not in _NAMES or whole.label in self._never_drop:
                continue
            if first[at] > begin[at]:
                kept[at] = kept[at]._replace(start=int(starts[first[at]]))
                cut.append(_part(whole, whole.start, int(ends[first[at] - 1])))
            # A capitalised word after a given name may be a surname that is a noun, too: "Anna Vater".
            if after[at] < end[at] and not (whole.label is Label.PER and document.text[starts[after[at]]].isupper()):
                kept[at] = kept[at]._replace(end=int(ends[after[at] - 1]))
                cut.append(_part(whole, int(starts[after[at]]), whole.end))
        return cut

    def _entity(
        self, start: int, end: int, label: int, score: float, detections: Sequence[Detection], source: int
    ) -> Detection:
        """Return an entity with its own range; label and type are those of its detection, if it has one."""
        score, rule = min(round(score, _SCORE_DIGITS), 1.0), self._word_tagger.labels[label]
        if source == NONE:
            phi = self._default_types[label]
            return Detection(start, end, label_of(phi), phi, KIND, rule, score)
        best = detections[source]
        return Detection(start, end, best.label, best.type, KIND, f"{rule}/{best.recogniser}.{best.rule}", score)

    def _kind_table(self) -> npt.NDArray[np.int32]:
        """Return `kind_table` of attribute_entities for the kinds of detections met so far."""
        kinds = self._features.kinds
        if len(kinds) > len(self._kinds):
            rank = {kind: place for place, kind in enumerate(sorted(kinds))}
            self._kinds = np.array(
                [
                    (
                        self._label_of_type.get(kind[1], NONE),
                        kind[1] not in self._default_types,
                        rank[kind],
                        kind[0] in self._never_drop
                        or is_never_dropped(kind[2], kind[3])
                        or (kind[1] not in self._label_of_type and kind[1] is not PhiType.OTHER),
                    )
                    for kind in kinds
                ],
                np.int32,
            )
        return self._kinds

    def _emissions(
        self, document: Document, arrays: DetectionArrays
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the emissions of words, features and layers together, and the bounds of the sequence."""
        types, token_of = document.sequence
        features = np.full(len(types), LINE_TYPE, np.int32)
        features[token_of != NO_TOKEN] = self._features.types(document, arrays) + FIRST_TYPE
        bounds = np.array([0, len(types)], np.int64)
        emissions = self._feature_tagger.emissions(features, bounds, self._word_tagger.emissions(types, bounds))
        if self._layers is not None:
            self._layers.mix(types, features, emissions)
        return emissions, bounds

    def _entities(
        self, document: Document, arrays: DetectionArrays, promotable: npt.NDArray[np.bool_]
    ) -> tuple[EntityArrays, npt.NDArray[np.bool_]]:
        """Return the entities, and for each token whether it is outside with more than `cut_above`."""
        emissions, bounds = self._emissions(document, arrays)
        labels = self._word_tagger.best(emissions, bounds)
        probabilities = self._word_tagger.probabilities(emissions, bounds)
        tokens = document.tokens
        forms = self._forms(document, probabilities)
        breaks = tokens.breaks | (document.column_starts == COLUMN)
        token_of = document.sequence[1]
        surely_outside = np.zeros(len(tokens), np.bool_)
        surely_outside[token_of[token_of >= 0]] = (
            probabilities[token_of >= 0, self._thresholds.outside] > self._cut_above
        )
        return self._thresholds.entities(labels, probabilities, token_of, promotable, forms, breaks), surely_outside


def _part(detection: Detection, start: int, end: int) -> Dropped:
    return Dropped.from_detection(detection._replace(start=start, end=end), DropReason.CUT_ABOVE)
