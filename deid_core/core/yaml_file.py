"""Reads YAML files into settings; all errors come at once, as "file:line: setting: what is wrong"."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import read_text

Model = TypeVar("Model", bound=BaseModel)
_MERGE = "tag:yaml.org,2002:merge"
"""Tag of `<<`, which merges another mapping and may be there more than once."""
_PLACE = re.compile(r"(?P<file>[^\n]*?):(?P<line>\d+): ")


class _Loader(yaml.SafeLoader):
    """Raises an error with a place for values that look like what does not exist, as the date 2001-99-99."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return what the node holds. Raises ConstructorError, also for errors of Python that PyYAML lets through."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, ArithmeticError, AttributeError, TypeError):
            problem = f"no {node.tag.rpartition(':')[2]} can be made of this value; put it in quotes if it is text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None


class InlineName(str):
    """Name of a source that has no lines, such as a command line's option; errors give it in place of file and line."""


def load_yaml(path: Path, model: type[Model] | Callable[[Any], type[Model]]) -> Model:
    """Read a YAML file into a settings class.

    model: the class, or a function that gives it for the file's data.

    Raises ConfigurationError if the file is missing, is not YAML, has a key twice, or does not fit; one line a problem.
    """
    node, problems = read_yaml(path)
    return validate_yaml(node, model, str(path), problems)


def read_yaml(path: Path) -> tuple[yaml.Node | None, list[str]]:
    """Return the nodes of a YAML file, which know file and line, and a problem for each key that is there twice.

    Raises ConfigurationError if the file cannot be read or is not YAML.
    """
    node = parse_yaml(read_text(path), str(path))
    return node, [f"{path}:{line}: {name}: occurs twice, first in line {first}" for line, name, first in _doubled(node)]


def parse_yaml(source: str, name: str) -> yaml.Node | None:
    """Return the nodes of a YAML text; `name` is what errors call it. Raises ConfigurationError if it is not YAML."""
    with _yaml_errors(name):
        loader = _Loader(source)
        loader.name = name
        node: yaml.Node | None = loader.get_single_node()
        return node


def validate_yaml(
    node: yaml.Node | None,
    model: type[Model] | Callable[[Any], type[Model]],
    name: str,
    problems: Sequence[str] = (),
) -> Model:
    """Return nodes, of one file or merged from several, as settings; each error names the file that it is in.

    problems: those known already.

    Raises ConfigurationError if there are any, or the data do not fit: a file's problems together, by line.
    """
    with _yaml_errors(name):
        # Construction resolves merges in the nodes, which errors are placed by.
        own = copy.deepcopy(node) if any(key.tag == _MERGE for key, _, _ in _keys(node)) else node
        data = None if own is None else _Loader("").construct_document(own)
    told = list(problems)
    chosen: type[Model] = model if isinstance(model, type) else model(data)
    try:
        settings = chosen.model_validate({} if data is None else data)
    except ValidationError as error:
        told += [f"{_place(node, e['loc'], name)}: {_describe(e, chosen)}" for e in error.errors()]
        raise ConfigurationError(_by_line(told)) from None
    if told:
        raise ConfigurationError(told)
    return settings


def _by_line(problems: Sequence[str]) -> list[str]:
    """Return problems "file:line: …" by line, those of one file together; the files in their order."""
    files: dict[str, int] = {}
    keys = []
    for problem in problems:
        place = _PLACE.match(problem)
        file, line = (place["file"], int(place["line"])) if place else (problem, 0)
        keys.append((files.setdefault(file, len(files)), line))
    return [problems[at] for at in sorted(range(len(problems)), key=keys.__getitem__)]


@contextmanager
def _yaml_errors(name: str) -> Iterator[None]:
    """Raise ConfigurationError in place of whatever PyYAML raises."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        where = _mark(error.problem_mark) if error.problem_mark else f"{name}:1"
        raise ConfigurationError(f"{where}: is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError):
        raise ConfigurationError(f"{name}: is not YAML: it holds characters that no text has") from None
    except RecursionError:
        raise ConfigurationError(f"{name}: is not YAML that can be read: it is nested too deeply") from None


def place_of_node(node: yaml.Node) -> str:
    """Return "file:line" of a node, with lines from 1."""
    return _mark(node.start_mark)


def _mark(mark: yaml.Mark) -> str:
    return str(mark.name) if isinstance(mark.name, InlineName) else f"{mark.name}:{mark.line + 1}"


def _doubled(root: yaml.Node | None) -> list[tuple[int, str, int]]:
    """Return keys that their mapping has twice: line, dotted name, line of the first; lines ascend.

    PyYAML keeps the last.
    """
    found: list[tuple[int, str, int]] = []
    firsts: dict[tuple[int, str, str], int] = {}
    for key, mapping, name in _keys(root):
        line, known = key.start_mark.line + 1, (id(mapping), key.tag, str(key.value))
        if known in firsts and key.tag != _MERGE:
            found.append((line, name, firsts[known]))
        firsts.setdefault(known, line)
    return sorted(found)


def _keys(root: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.MappingNode, str]]:
    """Yield each key with its mapping and its dotted name; each mapping once, however many aliases it has."""
    seen: set[int] = set()
    left = [(root, "")] if root else []
    while left:
        node, prefix = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += [(value, f"{prefix}{number}.") for number, value in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                left.append((value, f"{prefix}{key.value}."))
                yield key, node, f"{prefix}{key.value}"


def _place(node: yaml.Node | None, loc: tuple[int | str, ...], name: str) -> str:
    """Return file and line of the deepest part of `loc` that there is; pydantic's tags of unions are passed over."""
    if node is None:
        return f"{name}:1"
    place = place_of_node(node)
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            # Of a key that is there twice, the last is the one that counted.
            for key, value in reversed(node.value):
                if key.value == step:
                    node, place = value, place_of_node(key)
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            place = place_of_node(node)
    return place


def _describe(error: Any, model: type[BaseModel]) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "file"
    if error["type"] == "union_tag_invalid":
        known = [name.strip("' ") for name in error["ctx"]["expected_tags"].split(",")]
        return f"{where}: there is no {error['ctx']['tag']!r}; {_close(error['ctx']['tag'], known)}"
    if error["type"] == "union_tag_not_found":
        key = error["ctx"]["discriminator"].strip("'")
        return f"{where}: needs `{key}: NAME`"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg']}"
    name, known = str(error["loc"][-1]), _field_names(model)
    if name in known:
        return f"{where}: is a setting of another place"
    close = difflib.get_close_matches(name, known, n=1)
    return f"{where}: is not a setting" + (f"; did you mean {close[0]!r}?" if close else "")


def _close(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"


def _field_names(model: type[BaseModel]) -> list[str]:
    """Return the names of the model's fields and of those of the models in them, also in lists and unions."""
    names, left, seen = [], [model], set()
    while left:
        current = left.pop(0)
        if current in seen:
            continue
        seen.add(current)
        names += list(current.model_fields)
        annotations: list[Any] = [field.annotation for field in current.model_fields.values()]
        while annotations:
            annotation = annotations.pop(0)
            if isinstance(annotation, type) and issubclass(annotation, BaseModel):
                left.append(annotation)
            annotations += get_args(annotation)
    return names
