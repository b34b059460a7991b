"""The card of a trained model: what it was made of, how to make it again, and how good it is by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from deid_core.crf.model import CrfModel
from deid_core.ensemble.stacking.classes import CLASS_OF
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.corpora.named import Corpora
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.markdown import markdown_table
from deid_core.lab.training.settings import StackingTrainingSettings, TrainingSettings


def crf_card(
    model: CrfModel,
    settings: TrainingSettings,
    corpora: Corpora,
    sizes: Mapping[str, tuple[int, int]],
    scores: Mapping[str, EntityEvaluation],
    areas: Mapping[str, float],
) -> str:
    """Markdown. sizes: texts and tokens of each training corpus, once. scores: exact entities of each development set.

    areas: under the ROC curve, of each class of name-likeness, on words that were held out.
    """
    crfsuite = model.crfsuite_model()
    known = corpora.corpora
    trained = [
        (
            corpus.corpus,
            known[corpus.corpus].description,
            known[corpus.corpus].licence,
            *(f"{size:,}" for size in sizes[corpus.corpus]),
            f"{corpus.share:g}",
            f"{corpus.repeat} times",
            ", ".join(corpus.without),
        )
        for corpus in settings.train
    ]
    measured = [
        (name, label, f"{s.gold:,}", f"{s.precision:.3f}", f"{s.recall:.3f}", f"{s.f(1):.3f}")
        for name, evaluation in scores.items()
        for label, s in {**evaluation.by_label, "micro": evaluation.micro}.items()
    ]
    features = [(entry.family, _place(entry.model_dump(exclude_none=True))) for entry in settings.features]
    parts = [
        f"# Model {model.name}",
        "A linear-chain CRF for persons, places and organisations in German text, trained with CRFsuite. A statistical "
        "model is wrong at times: the figures below are of news, court decisions and made letters, not of real ones.",
        "## Made with",
        "`deid train crf` with conf/training.yaml and the larger lists: "
        f"c1 {settings.c1:g}, c2 {settings.c2:g}, {settings.iterations} iterations of L-BFGS, texts of about "
        f"{settings.text_tokens} tokens; nothing is drawn at random. Weights are rounded to multiples of 2^-20.",
        markdown_table(
            [("trained on", "what", "licence", "texts", "tokens", "share", "used", "less sentences of"), *trained]
        ),
        "Corpora and their weight were chosen by the figures on germeval-dev below. c1 and c2 lie where the random"
        " search (tests/benchmarks/crf.md), on held-out texts of the training corpora, is flat, c1 at the upper "
        "end: a smaller model. ler-dev and mobie-dev took no part in a choice.",
        "## What it knows of words",
        "`clusters.npz`: Brown clusters of the package spacy-lookups-data (MIT, Explosion), words reduced to 32 "
        "bits of a hash. `likeness.npz`: weights of character n-grams, learned from the name lists of "
        "gazetteers/sources.yaml (OpenStreetMap's are CC BY-SA 2.0, GermaNER's Apache 2.0, Berlin's first names CC"
        " BY 3.0 DE) against the dictionaries wngerman and hunspell-de-med (GPL); no entry of a list can be read "
        "back from them. The names of the generator's letters, both halves, were left out of the lists.",
        markdown_table(
            [
                ("name-likeness of", "area under ROC, held-out words"),
                *[(name, f"{area:.3f}") for name, area in areas.items()],
            ]
        ),
        "## Features",
        markdown_table([("family", "where"), *features]),
        "deid_core/crf/features says what each family is and where it comes from.",
        "## Size",
        markdown_table(
            [
                ("file", "bytes", "SHA-256"),
                *[(name, f"{len(data):,}", sha256(data).hexdigest()[:16]) for name, data in model.files],
            ]
        ),
        f"{len(crfsuite.attributes):,} attributes, {len(crfsuite.state_weights):,} weights, labels "
        f"{', '.join(crfsuite.labels)}.",
        "## How good it is by itself",
        "Exact entities (place and label), best path, no list or rule beside it.",
        markdown_table([("set", "label", "gold", "precision", "recall", "F1"), *measured]),
    ]
    return "\n\n".join(parts) + "\n"


def stacking_card(
    model: CrfModel,
    settings: StackingTrainingSettings,
    letters: Sequence[AnnotatedLetter],
    partially_annotated: int,
) -> str:
    """Markdown, for the model of the learned decision; what it is worth, the pipeline's figures say."""
    crfsuite = model.crfsuite_model()
    counts = Counter(CLASS_OF.get(span.type, "(not decided on)") for letter in letters for span in letter.gold)
    features = [
        (entry.family, _place(entry.model_dump(exclude_none=True)))
        for entry in [*settings.features, *settings.evidence]
    ]
    parts = [
        f"# Model {model.name}",
        "A linear-chain CRF that weighs what the recognisers of a pipeline say of each word, together with the words "
        "around (deid_core/ensemble/stacking). It was trained on letters written for this project, in which nobody is, "
        "and on news and court decisions; it is wrong at times.",
        "## Made with",
        f"`deid train stacking` with conf/training.yaml: {len(letters)} letters "
        f"(corpora {', '.join(settings.letters)}), each with and without the larger lists, and written again, "
        f"{settings.augmentations} times each with other names (half of these laid out otherwise), with other "
        f"institutions and with noise (lab/training/augmentation.py), and {partially_annotated:,} texts of "
        f"{', '.join(settings.partially_annotated)}, "
        "with and without the larger lists, in which persons, places and organisations alone are marked "
        "(training/partially_annotated.py; licences: the card of recogniser `crf`); the evidence of pipeline "
        f"`{settings.pipeline}` without {settings.detection_dropout:.0%} of the detections, drawn with seed "
        f"{settings.seed}; c1 {settings.c1:g}, c2 {settings.c2:g}, {settings.iterations} iterations of L-BFGS. "
        "Weights are rounded to multiples of 2^-20. What it knows of words is that of recogniser `crf`'s model.",
        markdown_table(
            [("class", "marks in the letters"), *((name, f"{count:,}") for name, count in counts.most_common())]
        ),
        "## Features",
        markdown_table([("family", "where"), *features]),
        "## Size",
        f"{len(crfsuite.attributes):,} attributes, {len(crfsuite.state_weights):,} weights, labels "
        f"{', '.join(crfsuite.labels)}.",
        "How good a pipeline with it is, by class and letter set: tests/benchmarks/quality.md.",
    ]
    return "\n\n".join(parts) + "\n"


def _place(entry: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in entry.items() if key != "family")
