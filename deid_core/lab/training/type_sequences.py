"""What recogniser `crf` lacks of seed 000's Table 3, tried: type sequences and the class prior.

The types are shapes of words (chris2). With the names of Stanford NER's source, of which the table gives the options:

    class prior      useClassFeature       a feature that every token has
    type sequences   useTypeSeqs           PTYPE … PCNTYPE: shapes and words around a token, with its label
                     useTypeSeqs2          TYPES: the shapes of two tokens, with both labels
                     useTypeySequences     TPS2, TNS1: the shape of a token, and of the next one, with both labels
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from scipy.sparse import hstack

from deid_core.crf.features.families import build_templates
from deid_core.crf.features.templates import Templates
from deid_core.crf.features.word_families import normal, stanford_shapes
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.corpora.bio import chunks
from deid_core.lab.evaluate.entity_scores import EntityEvaluation, Match
from deid_core.lab.training.experiments import Texts, Trained
from deid_core.lab.training.sequences import Sequences, sequences_of
from deid_core.lab.training.settings import CrfTrainingSettings
from deid_core.lab.training.transition_crf import (
    ChainData,
    TransitionCrf,
    feature_rows,
    fit_transition_crf,
    numbered_features,
)
from deid_core.text.tokens import EDGE

PRIOR, OF_LABEL, OF_LABELS = "class prior", "type sequences of a label", "type sequences of two labels"
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "as shipped": (),
    PRIOR: (PRIOR,),
    OF_LABEL: (OF_LABEL,),
    OF_LABELS: (OF_LABELS,),
    "all three": (PRIOR, OF_LABEL, OF_LABELS),
}
"""What each model of the experiment has beside the features of recogniser `crf`."""
Features = list[str]


def type_sequence_models(
    settings: CrfTrainingSettings, word_knowledge: WordKnowledge, sequences: Sequences, tests: Mapping[str, Texts]
) -> Iterator[Trained]:
    """Train a model with each of VARIANTS; measure each on all tests: exact entities."""
    templates = build_templates(settings.features, word_knowledge)
    labels = sorted({tag for tags in sequences.tags for tag in tags})
    gold = [labels.index(tag) for tags in sequences.tags for tag in tags]
    of_tests = {name: sequences_of(texts) for name, texts in tests.items()}
    shipped, columns = numbered_features(_of_templates(templates, sequences))
    shipped_tests = {name: feature_rows(_of_templates(templates, of), columns) for name, of in of_tests.items()}
    for name, parts in VARIANTS.items():
        nodes, node_columns = numbered_features(_of_words(node_features, sequences, parts))
        edges, edge_columns = numbered_features(_of_words(edge_features, sequences, parts))
        data = ChainData(hstack([shipped, nodes], "csr"), edges, [*map(len, sequences.words)])
        model = fit_transition_crf(
            data, gold, len(labels), c1=settings.c1, c2=settings.c2, steps=settings.curve.iterations
        )
        scores = {}
        for test, of in of_tests.items():
            nodes = feature_rows(_of_words(node_features, of, parts), node_columns)
            edges = feature_rows(_of_words(edge_features, of, parts), edge_columns)
            data = ChainData(hstack([shipped_tests[test], nodes], "csr"), edges, [*map(len, of.words)])
            scores[test] = _scores(model, data, of, labels)
        yield Trained(name, sequences.tokens, scores)


def node_features(words: Sequence[str], parts: Sequence[str]) -> list[Features]:
    """Return what the parts add to each token of a sequence, for its own label."""
    found: list[Features] = [["prior"] if PRIOR in parts else [] for _ in words]
    if OF_LABEL not in parts:
        return found
    shown, shapes = _with_edges(normal(tuple(words))), _with_edges(stanford_shapes(tuple(words)))
    for at, features in enumerate(found, 1):
        before, own, after = shapes[at - 1 : at + 2]
        features += (
            f"PTYPE:{before}", f"NTYPE:{after}", f"PW_CTYPE:{shown[at - 1]} {own}", f"NW_CTYPE:{own} {shown[at + 1]}",
            f"PCTYPE:{before} {own}", f"CNTYPE:{own} {after}", f"PCNTYPE:{before} {own} {after}",
        )  # fmt: skip
    return found


def edge_features(words: Sequence[str], parts: Sequence[str]) -> list[Features]:
    """Return the features of the move to each token of a sequence; the first one has none."""
    found: list[Features] = [["move"] if at else [] for at in range(len(words))]
    if OF_LABELS in parts:
        shapes = [*stanford_shapes(tuple(words)), EDGE]
        for at in range(1, len(words)):
            found[at] += (f"TYPES:{shapes[at - 1]} {shapes[at]}", f"TPS2:{shapes[at]}", f"TNS1:{shapes[at + 1]}")
    return found


def _with_edges(values: Sequence[str]) -> list[str]:
    return [EDGE, *values, EDGE]


def _of_templates(templates: Templates, of: Sequences) -> Iterator[Features]:
    return chain.from_iterable(map(templates.attributes, of.words))


def _of_words(
    make: Callable[[Sequence[str], Sequence[str]], list[Features]], of: Sequences, parts: Sequence[str]
) -> Iterator[Features]:
    return chain.from_iterable(make(words, parts) for words in of.words)


def _scores(model: TransitionCrf, data: ChainData, of: Sequences, labels: Sequence[str]) -> EntityEvaluation:
    """Return the scores of exact entities; their places are numbers of words, since both sides are tags."""
    evaluation = EntityEvaluation(Match.EXACT)
    found = iter(model.best(data).tolist())
    for gold in of.tags:
        predicted = [labels[next(found)] for _ in gold]
        evaluation.add(_ranges(gold), _ranges(predicted))
    return evaluation


def _ranges(tags: Sequence[str]) -> list[LabelledSpan]:
    return [LabelledSpan(start, end, label) for start, end, label in chunks(tags)]
