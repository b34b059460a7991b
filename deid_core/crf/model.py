"""The model folder: a trained CRF and all it needs, as files that travel to the workers as they are.

    model.crfsuite.gz    what CRFsuite wrote; python-crfsuite and sklearn-crfsuite read it once it is unpacked
    features.json        {"format": 1, "features": [...], "evidence": [...], "files": {...}}: the feature sets, as in
                         conf/training.yaml, and the hashes of the other files
    *.npz                what the features know of words (lexicon.py), if the feature set needs it; the decision's
                         model has that of recogniser `crf`, beside which it is trained and used
    card.md              data, licences, command and figures; for readers, not loaded

Numba is loaded when a model is compiled, not before: pipelines without a CRF start without it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from deid_core.core.errors import ConfigurationError
from deid_core.core.resources import model_folder
from deid_core.crf.features.registry import FeatureSettings, build_templates
from deid_core.crf.features.templates import Templates
from deid_core.crf.features.word_knowledge import Lexicon
from deid_core.crf.weights import CrfsuiteModel, read_crfsuite
from deid_core.lexicon.gazetteer.automaton import Gazetteer

if TYPE_CHECKING:
    from deid_core.crf.inference_model import InferenceModel

FORMAT = 1
"""Of features.json; a model of another format is refused."""
MODEL_FILE = "model.crfsuite.gz"
FEATURES_FILE = "features.json"
CARD_FILE = "card.md"
LEXICON_SUFFIX = ".npz"
_MAX_MODEL_BYTES = 500_000_000


class _FeatureFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1]
    features: list[FeatureSettings]
    evidence: list[FeatureSettings] = []
    """Of the sequence of evidence that goes along with the words (decide/evidence.py); none for a model of words."""
    files: dict[str, str]
    """SHA-256 of each other file but the card, hexadecimal: model and word knowledge are of one training."""


@dataclass(frozen=True, slots=True)
class CrfModel:
    """A model's files, sorted by name, without its card; `name` is what errors call it."""

    name: str
    files: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """SHA-256 over names and contents of the files, hexadecimal."""
        digest = hashlib.sha256()
        for name, data in self.files:
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()

    def crfsuite_bytes(self) -> bytes:
        """The file that CRFsuite wrote, for `pycrfsuite.Tagger().open_inmemory`, which needs it as long as it tags.

        Raises ConfigurationError if it is missing, damaged, or larger than any model should be.
        """
        unpacker = zlib.decompressobj(wbits=31)
        try:
            data = unpacker.decompress(self._file(MODEL_FILE), _MAX_MODEL_BYTES)
        except zlib.error:
            raise self._error(MODEL_FILE, "is damaged: is no gzip file or has a wrong checksum") from None
        if not unpacker.eof:
            raise self._error(MODEL_FILE, f"is cut short, or has more than {_MAX_MODEL_BYTES} bytes unpacked")
        return data

    def crfsuite_model(self) -> CrfsuiteModel:
        """The model's labels, attributes and weights; raises ConfigurationError if the file is damaged."""
        return read_crfsuite(self.crfsuite_bytes(), f"{self.name}/{MODEL_FILE}")

    def templates(self, gazetteer: Gazetteer | None = None) -> Templates:
        """The templates of the feature set; some look words up in the lists.

        Raises ConfigurationError: features.json is damaged, of another format, or needs a file that is not there.
        """
        return build_templates(self._description().features, Lexicon.from_files(dict(self.files), gazetteer))

    def evidence_templates(self) -> Templates:
        """The templates of the sequence of evidence. Raises ConfigurationError as `templates` does."""
        return build_templates(self._description().evidence, Lexicon())

    def with_lexicon_of(self, other: CrfModel) -> CrfModel:
        """The model with another's knowledge of words, if it was trained with that and has none of its own."""
        lexicon = [(name, data) for name, data in other.files if name.endswith(LEXICON_SUFFIX)]
        return CrfModel(self.name, tuple(sorted(dict([*lexicon, *self.files]).items())))

    def _description(self) -> _FeatureFile:
        try:
            description = _FeatureFile.model_validate(json.loads(self._file(FEATURES_FILE)))
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
            raise ConfigurationError([f"{self.name}/{FEATURES_FILE}: {problem}" for problem in problems]) from None
        except ValueError:
            raise self._error(FEATURES_FILE, "is not JSON") from None
        found = {name: hashlib.sha256(data).hexdigest() for name, data in self.files if name != FEATURES_FILE}
        if wrong := sorted(name for name, _ in found.items() ^ description.files.items()):
            raise ConfigurationError(
                f"{self.name}: not of one training: {', '.join(dict.fromkeys(wrong))}; train again or restore the files"
            )
        return description

    def compiled(self, gazetteer: Gazetteer | None = None) -> InferenceModel:
        """The model ready for tagging; here numba is needed.

        Raises ConfigurationError if a file is damaged, model and features do not fit, or numba cannot be loaded.
        """
        return _compiler()(self.crfsuite_model(), self.templates(gazetteer))

    def compiled_with_evidence(self, gazetteer: Gazetteer | None = None) -> tuple[InferenceModel, InferenceModel]:
        """The same for a model of words and evidence: what words add to scores, and what evidence adds.

        Raises ConfigurationError as `compiled` does.
        """
        model, words, evidence = self.crfsuite_model(), self.templates(gazetteer), self.evidence_templates()
        keys = {slot.key for template in evidence.single for slot in template.slots}
        compile_crf = _compiler()
        return (
            compile_crf(model.part(lambda attribute: attribute.partition(":")[0] not in keys), words),
            compile_crf(model.part(lambda attribute: attribute.partition(":")[0] in keys), evidence),
        )

    def to_bytes(self) -> bytes:
        """A zip of the files; the same model gives the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in self.files:
                archive.writestr(zipfile.ZipInfo(name), data)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(name: str, data: bytes) -> CrfModel:
        """The model of `to_bytes`."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return CrfModel(name, tuple((file, archive.read(file)) for file in sorted(archive.namelist())))

    @staticmethod
    def of(
        name: str,
        crfsuite: bytes,
        features: Sequence[FeatureSettings],
        lexicon: Mapping[str, bytes],
        evidence: Sequence[FeatureSettings] = (),
    ) -> CrfModel:
        """A model from what training made: CRFsuite's file, the feature sets, and the lexicon's files by name."""
        files = {**lexicon, MODEL_FILE: gzip.compress(crfsuite, mtime=0)}
        hashes = ",\n".join(
            f'    "{file}": "{hashlib.sha256(data).hexdigest()}"' for file, data in sorted(files.items())
        )
        of_evidence = f'  "evidence": [\n{_entries(evidence)}\n  ],\n' if evidence else ""
        description = (
            f'{{\n  "format": {FORMAT},\n  "features": [\n{_entries(features)}\n  ],\n{of_evidence}'
            f'  "files": {{\n{hashes}\n  }}\n}}\n'
        )
        files[FEATURES_FILE] = description.encode()
        return CrfModel(name, tuple(sorted(files.items())))

    def without_lexicon(self) -> CrfModel:
        """The model without its knowledge of words, for a folder beside the model whose knowledge it is."""
        return CrfModel(self.name, tuple(file for file in self.files if not file[0].endswith(LEXICON_SUFFIX)))

    def save(self, folder: Path, card: str = "") -> None:
        """Puts the model in the place of a folder; a break leaves the old one or the new one, never parts of both.

        Between two renames the old one is in FOLDER.old alone; after a break there the next call puts it back first.
        Raises ConfigurationError if the folder holds anything that is no model's.
        """
        fresh, old = folder.with_name(f"{folder.name}.new"), folder.with_name(f"{folder.name}.old")
        if old.exists() and not folder.exists():
            old.rename(folder)
        foreign = [path.name for path in folder.glob("*") if not _is_of_a_model(path.name)]
        if foreign:
            raise ConfigurationError(f"{folder}: holds {len(foreign)} files that are no model's; name another folder")
        for rest in (fresh, old):
            shutil.rmtree(rest, ignore_errors=True)
        fresh.mkdir(parents=True)
        for name, data in self.files:
            (fresh / name).write_bytes(data)
        if card:
            (fresh / CARD_FILE).write_text(card, encoding="utf-8")
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
        shutil.rmtree(old, ignore_errors=True)

    def _file(self, name: str) -> bytes:
        for file, data in self.files:
            if file == name:
                return data
        raise self._error(name, "is missing")

    def _error(self, file: str, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.name}/{file}: {problem}; train the model again or restore its file")


def _entries(features: Sequence[FeatureSettings]) -> str:
    return ",\n".join(f"    {json.dumps(entry.model_dump(mode='json', exclude_none=True))}" for entry in features)


def _compiler() -> Callable[[CrfsuiteModel, Templates], InferenceModel]:
    try:
        from deid_core.crf.inference_model import compile_crf
    except ImportError as error:
        raise ConfigurationError(f"a CRF needs numba, which cannot be loaded: {type(error).__name__}") from None
    return compile_crf


def _is_of_a_model(name: str) -> bool:
    return name in (MODEL_FILE, FEATURES_FILE, CARD_FILE) or name.endswith(LEXICON_SUFFIX)


def load_model(name: str) -> CrfModel:
    """The model of that name in the package, or in the folder of that path if there is a slash in it.

    Raises ConfigurationError, naming the models that exist if this one does not.
    """
    folder = model_folder(name, MODEL_FILE)
    names = [MODEL_FILE, FEATURES_FILE, *(path.name for path in folder.glob("*.npz"))]
    try:
        return CrfModel(name, tuple((file, (folder / file).read_bytes()) for file in sorted(names)))
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: cannot be read: {error.strerror}") from None
