"""CoNLL-2002 and 2003 and their kin: reads any order of columns (columns.py), writes two, word and BIO2 tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from deid_core.lab.corpora.annotated import AnnotatedText
from deid_core.lab.corpora.bio import tags
from deid_core.lab.corpora.columns import ColumnLayout, read_sentences
from deid_core.lab.corpora.joining import texts_of
from deid_core.text.vocabulary import Vocabulary


def read_conll(
    path: Path,
    *,
    word: int = 0,
    tag: int = 1,
    comment: str | None = None,
    words_with_blanks: bool = False,
    bare_tags: bool = False,
    repairs: Mapping[str, str] | None = None,
    text_tokens: int | None = None,
) -> list[AnnotatedText]:
    """The file's sentences as texts, or joined to texts of about `text_tokens` tokens (`joining.texts_of`).

    The other options are `ColumnLayout`'s; IOB1, BIO2 and BIOES are read as they are (`bio.chunks`).
    Raises ConfigurationError with every bad line; the messages quote no text.
    """
    layout = ColumnLayout(word, (tag,), comment, words_with_blanks, bare_tags, repairs or {})
    return texts_of(read_sentences(path, layout), text_tokens)


def write_conll(path: Path, texts: Iterable[AnnotatedText]) -> None:
    """Word, blank and tag a line (CoNLL-2002), an empty line behind each text.

    Tokens are the engine's (`deid_core.text.tokens`). Ids, blanks and line ends of the text and span ends within a
    token are lost: tools that score column files expect no more. A text without a token is left out.
    """
    vocabulary = Vocabulary()
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for text in texts:
            tokens = vocabulary.tokenise(text.text)
            for start, end, tag in zip(tokens.starts, tokens.ends, tags(tokens, text.spans), strict=True):
                file.write(f"{text.text[start:end]} {tag}\n")
            if len(tokens):
                file.write("\n")
