"""UIMA CAS as XMI or JSON, through dkpro-cassis (extra `lab`): what INCEpTION and DKPro Core pipelines exchange.

A file holds one text. cassis converts UIMA's UTF-16 offsets to code points. An XMI file does not declare its types:
INCEpTION exports a TypeSystem.xml beside it, which is used if present; otherwise the types are those of DKPro Core.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from lxml import etree

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.webanno import FEATURE, NAMED_ENTITY

XMI = ".xmi"
TYPE_SYSTEM = "TypeSystem.xml"
_NAMED_ENTITY_FEATURES = (FEATURE, "identifier")


def read_cas(path: Path, *, layer: str = NAMED_ENTITY, feature: str = FEATURE) -> list[AnnotatedText]:
    """Return the text of a file with the annotations of one type, ascending, labelled by one feature, "*" if empty.

    Raises ConfigurationError if cassis is not installed, the file is no CAS, an annotation lies outside the text, or a
    type is unknown, since its annotations would be missing. Messages quote no text.
    """
    cassis = load_cassis()
    try:
        cas = _from_xmi(path) if _is_xmi(path) else _from_json(path)
        features = [known.name for known in cas.typesystem.get_type(layer).all_features]
        found = [(a.begin, a.end, a.get(feature)) for a in cas.select(layer)]
        text = cas.sofa_string
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except cassis.typesystem.TypeNotFoundError:
        raise ConfigurationError(
            f"{path}: a type of the file or {layer} is not known; put the export's {TYPE_SYSTEM} beside the file"
        ) from None
    except (etree.LxmlError, ValueError, KeyError, TypeError, AttributeError, SyntaxError) as error:
        raise ConfigurationError(f"{path}: is not a UIMA CAS: {type(error).__name__}") from None
    if feature not in features:
        raise ConfigurationError(f"{path}: {layer} has no feature {feature}; there are: {', '.join(features)}")
    if text is None:
        raise ConfigurationError(f"{path}: has no text in its first view")
    problems = [
        f"{path}: annotation {number} of {layer} has no place in the text"
        for number, (begin, end, _) in enumerate(found, 1)
        if begin is None or end is None or not 0 <= begin < end <= len(text)
    ]
    if problems:
        raise ConfigurationError(problems)
    spans = sorted(LabelledSpan(begin, end, str(value or "*")) for begin, end, value in found)
    return [AnnotatedText(path.stem, text, tuple(spans))]


def write_cas(path: Path, text: AnnotatedText, *, layer: str = NAMED_ENTITY, feature: str = FEATURE) -> None:
    """Write one text as XMI or JSON, by the file's ending, with its spans as annotations of this type.

    For another type than DKPro Core's NamedEntity, XMI gets a TypeSystem.xml beside it.
    Raises ConfigurationError if cassis is not installed, or if XMI cannot hold a character of the text (XML 1.0).
    """
    cassis = load_cassis()
    # Declare the type explicitly: JSON would omit one of DKPro Core if the text has no span.
    types = cassis.TypeSystem()
    annotation = types.create_type(layer, supertypeName="uima.tcas.Annotation")
    for name in dict.fromkeys([feature, *_NAMED_ENTITY_FEATURES] if layer == NAMED_ENTITY else [feature]):
        types.create_feature(annotation, name, "uima.cas.String")
    cas = cassis.Cas(types, sofa_string=text.text, sofa_mime="text/plain")
    cas.add_all([annotation(begin=span.start, end=span.end, **{feature: span.label}) for span in text.spans])
    if not _is_xmi(path):
        cas.to_json(path)
        return
    try:
        cas.to_xmi(path)
    except ValueError:
        raise ConfigurationError(f"{path}: the text has control characters that XML cannot hold; write JSON") from None
    if layer != NAMED_ENTITY:
        types.to_xml(path.with_name(TYPE_SYSTEM))


def _is_xmi(path: Path) -> bool:
    return path.suffix.lower() == XMI


def load_cassis() -> Any:
    """Return the package cassis. Raises ConfigurationError if it is not installed."""
    try:
        return import_module("cassis")
    except ImportError as error:
        raise ConfigurationError(f"CAS files need the extra 'cas': {how_to_install('cas')} ({error.name})") from None


def _from_xmi(path: Path) -> Any:
    cassis = load_cassis()
    beside = path.with_name(TYPE_SYSTEM)
    if beside.is_file():
        with beside.open("rb") as file:
            types = cassis.load_typesystem(file)
        _check_names(feature.name for known in types.get_types() for feature in known.features)
    else:
        types = cassis.load_dkpro_core_typesystem()
    with path.open("rb") as file:
        return cassis.load_cas_from_xmi(file, typesystem=types)


def _from_json(path: Path) -> Any:
    source = path.read_text(encoding="utf-8")
    types = json.loads(source).get("%TYPES", {})
    _check_names(name for known in types.values() for name in known if not name.startswith("%"))
    return load_cassis().load_cas_from_json(source)


def _check_names(features: Iterable[str]) -> None:
    """Refuse names that UIMA does not allow: cassis passes them to attrs, which writes them into Python source."""
    if not all(name.isidentifier() for name in features):
        raise ValueError("the name of a feature is no identifier")
