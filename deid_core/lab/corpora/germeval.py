"""GermEval 2014: index, token, outer and nested BIO2 tag, separated by tabs; `#` lines name a sentence's source.

Labels are LOC, PER, ORG and OTH, and of each two more: LOCderiv for a word derived from a name ("österreichische"),
LOCpart for a compound with a name in it ("Bundesliga-Klub"). Neither is a name, so they are omitted by default.
Benikova et al. 2014, NoSta-D Named Entity Annotation for German, sections 2 and 3.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deid_core.lab.corpora.annotated import AnnotatedText
from deid_core.lab.corpora.columns import ColumnLayout, read_sentences
from deid_core.lab.corpora.joining import Sentence, texts_of

_COMMENT = r"#\t(?P<document>[^\t]*)"
_OUTER = 2
_NOT_A_NAME = ("deriv", "part")


def read_germeval(path: Path, *, derived: bool = False, text_tokens: int | None = None) -> list[AnnotatedText]:
    """Return the sentences of a file as texts, or joined to texts of about `text_tokens` tokens; ids are "source:line".

    Entities within entities are left out. derived: include the labels that end in -deriv and -part.
    Raises ConfigurationError with every bad line; messages quote no text.
    """
    layout = ColumnLayout(word=1, tag=_OUTER, comment=_COMMENT)
    sentences = read_sentences(path, layout)
    if not derived:
        sentences = [_without_derived(sentence) for sentence in sentences]
    return texts_of(sentences, text_tokens)


def _without_derived(sentence: Sentence) -> Sentence:
    return replace(sentence, entities=tuple(e for e in sentence.entities if not e[2].endswith(_NOT_A_NAME)))
