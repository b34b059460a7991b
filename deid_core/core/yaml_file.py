"""A YAML file as settings, with every mistake at once: "file:line: setting: what is wrong"."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from deid_core.core.errors import ConfigurationError

Model = TypeVar("Model", bound=BaseModel)
_MERGE = "tag:yaml.org,2002:merge"
"""Tag of `<<`, which takes in another mapping and may stand more than once."""


class _Loader(yaml.SafeLoader):
    """Tells where a value stands whose form promises something that does not exist, as the date 2001-99-99."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """What the node holds. Raises ConstructorError, also where PyYAML lets through an error of Python's own."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, ArithmeticError, AttributeError, TypeError):
            problem = f"no {node.tag.rpartition(':')[2]} can be made of this value; put it in quotes if it is text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None


def load_yaml(path: Path, model: type[Model] | Callable[[Any], type[Model]]) -> Model:
    """Reads a YAML file into a settings class.

    model: the class, or a function that gives it for the file's data.

    Raises ConfigurationError: the file is missing, is not YAML, has a key twice, or does not fit; one line a problem.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: is not UTF-8") from None
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        data = _Loader(source).get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigurationError(f"{path}:{line}: is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError):
        raise ConfigurationError(f"{path}: is not YAML: it holds characters that no text has") from None
    except RecursionError:
        raise ConfigurationError(f"{path}: is not YAML that can be read: it is nested too deeply") from None
    problems = [f"{path}:{line}: {name}: stands twice, first in line {first}" for line, name, first in _doubled(node)]
    chosen: type[Model] = model if isinstance(model, type) else model(data)
    try:
        settings = chosen.model_validate({} if data is None else data)
    except ValidationError as error:
        problems += [f"{path}:{_line(node, e['loc'])}: {_describe(e, chosen)}" for e in error.errors()]
        raise ConfigurationError(problems) from None
    if problems:
        raise ConfigurationError(problems)
    return settings


def _doubled(root: yaml.Node | None) -> list[tuple[int, str, int]]:
    """Keys that stand in their mapping already, of which PyYAML keeps the last: line, dotted name, line of the first.

    Lines count from 1, ascending; each mapping is looked at once, however many aliases it has.
    """
    found: list[tuple[int, str, int]] = []
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
            firsts: dict[tuple[str, str], int] = {}
            for key, value in node.value:
                line, name, known = key.start_mark.line + 1, f"{prefix}{key.value}", (key.tag, key.value)
                left.append((value, f"{name}."))
                if known in firsts and key.tag != _MERGE:
                    found.append((line, name, firsts[known]))
                firsts.setdefault(known, line)
    return sorted(found)


def _line(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The line, from 1, of the deepest part of `loc` that the file has; pydantic's tags of unions are passed over."""
    line = node.start_mark.line if node is not None else 0
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            # Of a key that stands twice, the last is the one that counted.
            for key, value in reversed(node.value):
                if key.value == step:
                    node, line = value, key.start_mark.line
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return line + 1


def _describe(error: Any, model: type[BaseModel]) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "file"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg']}"
    known = _field_names(model)
    close = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
    return f"{where}: is not a setting" + (f"; did you mean {close[0]!r}?" if close else "")


def _field_names(model: type[BaseModel]) -> list[str]:
    """Names of the model's fields and of the models in them."""
    names = list(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            names += _field_names(field.annotation)
    return names
