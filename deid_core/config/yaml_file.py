"""A YAML file as settings, with every mistake at once: "file:line: setting: what is wrong"."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from deid_core.errors import ConfigurationError

Model = TypeVar("Model", bound=BaseModel)


def load_yaml(path: Path, model: type[Model]) -> Model:
    """Reads a YAML file into a settings class.

    Raises ConfigurationError: the file is missing, is not YAML, or does not fit; one line a problem.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: is not UTF-8") from None
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        data = yaml.safe_load(source)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigurationError(f"{path}:{line}: is not YAML: {error.problem}") from None
    except yaml.YAMLError:
        raise ConfigurationError(f"{path}: is not YAML: it holds characters that no text has") from None
    try:
        return model.model_validate({} if data is None else data)
    except ValidationError as error:
        raise ConfigurationError(
            [f"{path}:{_line(node, e['loc'])}: {_describe(e, model)}" for e in error.errors()]
        ) from None


def _line(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The line, from 1, of the deepest part of `loc` that the file has; pydantic's tags of unions are passed over."""
    line = node.start_mark.line if node is not None else 0
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
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
