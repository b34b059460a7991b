"""Annotated texts in and out: one interface to all formats, and the corpora of conf/corpora.yaml by name.

annotated.py holds the data class of all formats. jsonl.py, conll.py, germeval.py, webanno.py, cas.py, brat.py and
letters.py are formats; lines.py, columns.py, joining.py and webanno_lines.py are their parts. formats.py finds a format
by name or file ending, named.py reads named corpora, letter_index.py indexes data/letters. bio.py converts spans to BIO
tags and back.
"""

from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.formats import FORMATS, WRITABLE, find_format, read_corpus, write_corpus
from deid_core.lab.corpora.named import load_corpora, read_named

__all__ = [
    "FORMATS",
    "WRITABLE",
    "AnnotatedText",
    "LabelledSpan",
    "find_format",
    "load_corpora",
    "read_corpus",
    "read_named",
    "write_corpus",
]
