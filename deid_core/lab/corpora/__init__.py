"""Annotated texts in and out: one reader a format behind one interface, and the corpora of conf/corpora.yaml by name.

annotated.py is what all give and take. jsonl.py, conll.py, germeval.py, webanno.py, cas.py and letters.py are the
formats, with lines.py, columns.py, joining.py and webanno_lines.py below them; formats.py knows them by name, named.py
the corpora. bio.py turns spans into a tag a token and back.

`write_corpus` and `bio.spans_of` have no command: they are for programs that hand texts to annotation tools, or take
tags from another tagger.
"""

from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.formats import FORMATS, read_corpus, write_corpus
from deid_core.lab.corpora.named import load_corpora, read_named

__all__ = ["FORMATS", "AnnotatedText", "LabelledSpan", "load_corpora", "read_corpus", "read_named", "write_corpus"]
