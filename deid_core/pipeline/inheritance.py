"""`extends`, `without` and overrides: one pipeline from several layers of YAML.

A layer changes what is below it. Its keys replace those of the same name; mappings are merged; `recognisers` are merged
by kind, and new kinds are appended; `without` removes recognisers, also from `order` and `labels_from`, and groups of
recogniser `pattern`, whose labels are then kept. The layers are, from the bottom, the pipeline that a file `extends`,
the file, and the overrides of the command line. All is done on YAML nodes, which know the file and line they come from,
so errors name the file in which a key is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from deid_core.core.errors import ConfigurationError
from deid_core.core.yaml_file import InlineName, parse_yaml, place_of_node, read_yaml

EXTENDS, WITHOUT = "extends", "without"
_RECOGNISERS, _KIND = "recognisers", "kind"
_PATTERN, _GROUPS, _KEEP = "pattern", "groups", "keep"
_NOT_INHERITED = ("name",)


def layered(
    path: Path, overrides: Mapping[str, Any], find: Callable[[str, Path], Path]
) -> tuple[yaml.Node | None, list[str]]:
    """Return the merged nodes of a pipeline's file and the problems of single files.

    overrides: values by dotted key, see `override_layer`. find: gives the path of an extended pipeline from what
    `extends` says and the folder of the file; raises ConfigurationError if there is none.

    Raises ConfigurationError if a file cannot be read, or files extend each other in a circle.
    """
    node, problems = _inherited(path, (), find)
    for key, value in overrides.items():
        layer = override_layer(key, value)
        node = _merged(node, layer) if isinstance(node, yaml.MappingNode) else node
    return node, problems


def with_absolute_files(node: yaml.Node | None) -> None:
    """Make paths absolute that are relative to the file in which they are written: of models (what has a slash is a
    path, else it is a name) and of recogniser `custom`'s lists. On the command line they are relative to its folder.
    """
    if not isinstance(node, yaml.MappingNode):
        return
    listed = _items(_value(node, _RECOGNISERS))
    crfs = [item for item in listed if _kind(item) == "crf"]
    named: list[tuple[yaml.Node | None, str]]
    named = [(node, "subtypes"), (_value(node, "stacking"), "model"), *((crf, "model") for crf in crfs)]
    for of, key in named:
        model = _value(of, key) if isinstance(of, yaml.MappingNode) else None
        if isinstance(model, yaml.ScalarNode) and "/" in model.value:
            inline = isinstance(model.start_mark.name, InlineName)
            model.value = str((Path() if inline else Path(model.start_mark.name).parent).absolute() / model.value)
    for item in listed:
        lists = _value(item, "lists") if isinstance(item, yaml.MappingNode) and _kind(item) == "custom" else None
        for each in lists.value if isinstance(lists, yaml.SequenceNode) else []:
            file = _value(each, "file") if isinstance(each, yaml.MappingNode) else None
            if isinstance(file, yaml.ScalarNode) and not isinstance(file.start_mark.name, InlineName):
                file.value = str(Path(file.start_mark.name).parent / file.value)


def override_layer(key: str, value: Any) -> yaml.MappingNode:
    """Return a layer that sets one dotted key, such as "stacking.drop_above" or "recognisers.gazetteer.lists".

    After "recognisers" comes a kind. value: as YAML holds it.
    """
    name = InlineName(f"--set {key}")
    node = parse_yaml(yaml.safe_dump(value, allow_unicode=True), name)
    steps = key.split(".")
    if node is None or not all(steps):
        raise ConfigurationError(f"{name}: a key is names with dots between, e.g. stacking.drop_above")
    for step in reversed(steps[2:] if steps[0] == _RECOGNISERS else steps):
        node = _mapping([(_scalar(step, node), node)], node)
    if steps[0] == _RECOGNISERS and len(steps) > 1:
        kind = (_scalar(_KIND, node), _scalar(steps[1], node))
        rest = node.value if isinstance(node, yaml.MappingNode) else []
        items = yaml.SequenceNode("tag:yaml.org,2002:seq", [_mapping([kind, *rest], node)], node.start_mark)
        node = _mapping([(_scalar(_RECOGNISERS, node), items)], node)
    elif steps[0] == _RECOGNISERS:
        node = _mapping([(_scalar(_RECOGNISERS, node), node)], node)
    assert isinstance(node, yaml.MappingNode)  # noqa: S101 - each branch above made one
    return node


def _inherited(
    path: Path, children: tuple[Path, ...], find: Callable[[str, Path], Path]
) -> tuple[yaml.Node | None, list[str]]:
    node, problems = read_yaml(path)
    if not isinstance(node, yaml.MappingNode):
        return node, problems
    extends = _value(node, EXTENDS)
    if extends is None:
        left, labels = _without(_but(node, WITHOUT), _value(node, WITHOUT))
        return _keeping(left, labels), problems
    where = f"{place_of_node(extends)}: {EXTENDS}"
    if not isinstance(extends, yaml.ScalarNode):
        raise ConfigurationError(f"{where}: is the name of a pipeline, or the path of its file")
    try:
        parent = find(extends.value, path.parent)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    chain = [each.resolve() for each in (*children, path)]
    if parent.resolve() in chain:
        circle = " -> ".join(str(each) for each in (*children, path, parent))
        raise ConfigurationError(f"{where}: pipelines extend each other: {circle}")
    below, told = _inherited(parent, (*children, path), find)
    if not isinstance(below, yaml.MappingNode):
        return below, [*told, *problems]
    below = _mapping([(k, v) for k, v in below.value if k.value not in _NOT_INHERITED], below)
    own = _mapping([(key, value) for key, value in node.value if key.value != EXTENDS], node)
    if _value(own, "name") is None:
        own = _mapping([(_scalar("name", node), _scalar(path.stem, node)), *own.value], node)
    return _merged(below, own), [*told, *problems]


def _merged(below: yaml.MappingNode, layer: yaml.MappingNode) -> yaml.MappingNode:
    left, labels = _without(below, _value(layer, WITHOUT))
    return _keeping(_but(_overlaid(left, layer), WITHOUT), labels)


def _overlaid(below: yaml.MappingNode, layer: yaml.MappingNode, place: str = "") -> yaml.MappingNode:
    """Return `below` with the layer's keys; the result is placed where the layer is."""
    pairs = {key.value: (key, value) for key, value in below.value}
    for key, value in layer.value:
        old = pairs[key.value][1] if key.value in pairs else None
        if isinstance(old, yaml.MappingNode) and isinstance(value, yaml.MappingNode):
            value = _overlaid(old, value, key.value)
        elif not place and key.value == _RECOGNISERS and isinstance(old, yaml.SequenceNode):
            value = _by_kind(old, value)
        pairs[key.value] = (key, value)
    return _mapping(list(pairs.values()), layer)


def _by_kind(below: yaml.SequenceNode, layer: yaml.Node) -> yaml.Node:
    if not isinstance(layer, yaml.SequenceNode):
        return layer
    items = list(below.value)
    places = {_kind(item): at for at, item in enumerate(items) if _kind(item)}
    for item in layer.value:
        kind = _kind(item)
        if kind in places:
            items[places[kind]] = _overlaid(items[places[kind]], item, _RECOGNISERS)
        else:
            items.append(item)
    return yaml.SequenceNode(below.tag, items, layer.start_mark, layer.end_mark)


def _without(node: yaml.MappingNode, without: yaml.Node | None) -> tuple[yaml.MappingNode, list[yaml.Node]]:
    """Return the mapping without these recogniser kinds and groups of `pattern`, and the labels of the groups.

    Raises ConfigurationError if it has none of one of them.
    """
    if without is None:
        return node, []
    where = f"{place_of_node(without)}: {WITHOUT}"
    if not isinstance(without, yaml.SequenceNode):
        raise ConfigurationError(f"{where}: is a list of recogniser kinds and groups of recogniser pattern")
    gone = [str(item.value) for item in without.value]
    listed = _value(node, _RECOGNISERS)
    kinds = [_kind(item) for item in listed.value] if isinstance(listed, yaml.SequenceNode) else []
    groups = [str(group.value) for item in _items(listed) for group in _items(_groups(item))]
    if unknown := [kind for kind in gone if kind not in kinds and kind not in groups]:
        there = ", ".join(kind for kind in kinds if kind) + (f"; in pattern: {', '.join(groups)}" if groups else "")
        raise ConfigurationError(f"{where}: the pipeline has no recogniser {', '.join(unknown)}; it has: {there}")
    labels: list[yaml.Node] = [_scalar(group.upper(), without) for group in gone if group in groups]
    pairs = []
    for key, value in node.value:
        if isinstance(value, yaml.SequenceNode) and key.value == _RECOGNISERS:
            value = _sequence([_without_groups(item, gone) for item in value.value if _kind(item) not in gone], value)
        elif isinstance(value, yaml.SequenceNode) and key.value in ("order", "labels_from"):
            value = _sequence([item for item in value.value if item.value not in gone], value)
        pairs.append((key, value))
    return _mapping(pairs, node), labels


def _keeping(node: yaml.MappingNode, labels: list[yaml.Node]) -> yaml.MappingNode:
    """Return the mapping with these labels in `keep`: a stacking model would find them by the words around."""
    if not labels:
        return node
    keep = _value(node, _KEEP)
    kept = _sequence([*_items(keep), *labels], keep or labels[0])
    return _mapping([*_but(node, _KEEP).value, (_scalar(_KEEP, kept), kept)], node)


def _but(node: yaml.MappingNode, name: str) -> yaml.MappingNode:
    return _mapping([(key, value) for key, value in node.value if key.value != name], node)


def _groups(item: yaml.Node) -> yaml.Node | None:
    return _value(item, _GROUPS) if isinstance(item, yaml.MappingNode) and _kind(item) == _PATTERN else None


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _without_groups(item: yaml.Node, gone: list[str]) -> yaml.Node:
    groups = _groups(item)
    if not isinstance(item, yaml.MappingNode) or groups is None:
        return item
    left = _sequence([group for group in _items(groups) if group.value not in gone], groups)
    return _mapping([(key, left if key.value == _GROUPS else value) for key, value in item.value], item)


def _kind(item: yaml.Node) -> str:
    kind = _value(item, _KIND) if isinstance(item, yaml.MappingNode) else None
    return str(kind.value) if isinstance(kind, yaml.ScalarNode) else ""


def _value(node: yaml.MappingNode, name: str) -> yaml.Node | None:
    return next((value for key, value in node.value if key.value == name), None)


def _scalar(text: str, at: yaml.Node) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, at.start_mark, at.end_mark)


def _mapping(pairs: list[tuple[yaml.Node, yaml.Node]], at: yaml.Node) -> yaml.MappingNode:
    return yaml.MappingNode("tag:yaml.org,2002:map", pairs, at.start_mark, at.end_mark)


def _sequence(items: list[yaml.Node], at: yaml.Node) -> yaml.SequenceNode:
    return yaml.SequenceNode("tag:yaml.org,2002:seq", items, at.start_mark, at.end_mark)
