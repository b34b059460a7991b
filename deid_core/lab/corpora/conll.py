"""CoNLL-2002, CoNLL-2003 and similar formats: reads any order of columns, writes word and BIO2 tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from deid_core.lab.corpora.annotated import AnnotatedText
from deid_core.lab.corpora.bio import tags
from deid_core.lab.corpora.columns import DOCUMENT_START, ColumnLayout, read_sentences
from deid_core.lab.corpora.joining import texts_of
from deid_core.text.vocabulary import Vocabulary


def read_conll(
    path: Path,
    *,
    word: int = 0,
    tag: int = 1,
    comment: str | None = None,
    words_with_blanks: bool = False,
    repairs: Mapping[str, str] | None = None,
    text_tokens: int | None = None,
) -> list[AnnotatedText]:
    """Return the sentences of a file as texts, or joined to texts of about `text_tokens` tokens (`joining.texts_of`).

    The other options are those of `ColumnLayout`. Reads IOB1, BIO2 and BIOES (`bio.chunks`).
    Raises ConfigurationError with every bad line; messages quote no text.
    """
    layout = ColumnLayout(word, tag, comment, words_with_blanks, repairs or {})
    return texts_of(read_sentences(path, layout), text_tokens)


def write_conll(path: Path, texts: Iterable[AnnotatedText]) -> None:
    """Write word, blank and tag a line (CoNLL-2002), and a line "-DOCSTART- id" before each text (as CoNLL-2003).

    Tokens are those of the engine (`deid_core.text.tokens`). Blanks, line ends and span boundaries within a token are
    lost. The id has "%" escapes as in a URL, and `read_conll` adds the line to it. A text without a token is omitted.
    """
    vocabulary = Vocabulary()
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for text in texts:
            tokens = vocabulary.tokenise(text.text)
            if len(tokens):
                file.write(f"{DOCUMENT_START} {quote(text.id)}\n\n")
            for start, end, tag in zip(tokens.starts, tokens.ends, tags(tokens, text.spans), strict=True):
                file.write(f"{text.text[start:end]} {tag}\n")
            if len(tokens):
                file.write("\n")
