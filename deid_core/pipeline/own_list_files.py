"""Read the files that a pipeline's `lists` name, in place of their words.

lists:
  never: not-names.txt                   # a file, several files in a list, or the words themselves in a list
  always: {staff.txt: PER, wards.txt: ORG}

A file is UTF-8 text with an entry a line; lines that begin with # are comments. Its path is relative to the YAML file
in which it is written. What ends in .txt is a file.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from deid_core.core.yaml_file import InlineName, place_of_node
from deid_core.lexicon.gazetteer.readers import entry_lines

_LISTS, _NEVER, _ALWAYS = "lists", "never", "always"
_SUFFIX = ".txt"
_MAX_PROBLEMS = 20
"""Of one file, at most; in a file of another format every line is wrong."""


def with_list_words(node: yaml.Node | None) -> list[str]:
    """Put the words of the files in their place. Return what is wrong with the files, by file and line."""
    problems: list[str] = []
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value == _LISTS and isinstance(value, yaml.MappingNode):
            value.value = [(kind, _words(kind.value, each, problems)) for kind, each in value.value]
    return problems


def read_list(path: Path, problems: list[str]) -> list[str]:
    """Return the entries of a file in its order, each once. Add what is wrong with it to `problems`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.append(f"{path}: cannot be read: {error.strerror}")
        return []
    malformed: list[str] = []
    entries = list(dict.fromkeys(entry for _, entry in entry_lines(data, malformed)))
    problems += [f"{path}:{problem}" for problem in malformed[:_MAX_PROBLEMS]]
    if len(malformed) > _MAX_PROBLEMS:
        problems.append(f"{path}: {len(malformed) - _MAX_PROBLEMS:,} more lines are wrong")
    if not entries and not malformed:
        problems.append(f"{path}:1: has no entry; leave it out of `lists`")
    return entries


def _words(kind: str, value: yaml.Node, problems: list[str]) -> yaml.Node:
    if kind == _NEVER:
        return _of_files(value, problems)
    if kind != _ALWAYS or not isinstance(value, yaml.MappingNode):
        return value
    by_label: dict[str, tuple[yaml.Node, list[yaml.Node]]] = {}
    for key, below in value.value:
        label, words = (below, key) if isinstance(below, yaml.ScalarNode) else (key, below)
        read = _of_files(words, problems)
        found = by_label.setdefault(str(label.value), (label, []))[1]
        found += read.value if isinstance(read, yaml.SequenceNode) else [read]
    pairs = [(label, _sequence(words, label)) for label, words in by_label.values()]
    return yaml.MappingNode(value.tag, pairs, value.start_mark, value.end_mark)


def _of_files(value: yaml.Node, problems: list[str]) -> yaml.Node:
    """Return the words: of the file, or of the list's items, each of which is a word or a file."""
    if isinstance(value, yaml.ScalarNode):
        return _sequence(_read(value, problems), value)
    if not isinstance(value, yaml.SequenceNode):
        return value
    words: list[yaml.Node] = []
    for item in value.value:
        is_file = isinstance(item, yaml.ScalarNode) and str(item.value).endswith(_SUFFIX)
        words += _read(item, problems) if is_file else [item]
    return _sequence(words, value)


def _read(file: yaml.ScalarNode, problems: list[str]) -> list[yaml.Node]:
    inline = isinstance(file.start_mark.name, InlineName)
    path = Path(file.value) if inline else Path(file.start_mark.name).parent / file.value
    told: list[str] = []
    words = read_list(path, told)
    problems += [f"{place_of_node(file)}: {_LISTS}: {problem}" if inline else problem for problem in told]
    tag = "tag:yaml.org,2002:str"
    return [yaml.ScalarNode(tag, word, file.start_mark, file.end_mark) for word in words]


def _sequence(items: list[yaml.Node], at: yaml.Node) -> yaml.SequenceNode:
    return yaml.SequenceNode("tag:yaml.org,2002:seq", items, at.start_mark, at.end_mark)
