"""A fingerprint of what code does: changes with behaviour, not with comments, docstrings, formatting or file names.

The fingerprint of a module covers its syntax tree and, through its imports, every module of `deid_core` that it needs.
An import is represented by the fingerprint of the imported module, so moving a file to another folder changes nothing.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

import numpy as np

from deid_core.core.array_cache import cached_arrays

_PACKAGE = "deid_core"


def code_fingerprint(*modules: str, root: Path | None = None) -> str:
    """Return the SHA-256, hexadecimal, of these modules and all that they import from the package.

    modules: dotted names, e.g. "deid_core.pipeline.engine". root: the folder that holds `deid_core`; None: this one.
    Raises ValueError if modules import each other in a cycle, FileNotFoundError if one does not exist.
    """
    if root is not None:
        return _computed(modules, root)
    # Parsing all modules was a tenth of a night without a change; reading them is nothing.
    own = Path(__file__).resolve().parents[1]
    sources = hashlib.sha256(sys.version.encode())
    for file in sorted(own.rglob("*.py")):
        data = file.read_bytes()
        sources.update(f"\0{file.relative_to(own)}\0{len(data)}\0".encode() + data)
    made = cached_arrays(
        f"code {' '.join(modules)} {sources.hexdigest()}",
        lambda: {"fingerprint": np.frombuffer(bytes.fromhex(_computed(modules, own.parent)), np.uint8)},
    )
    return made["fingerprint"].tobytes().hex()


def _computed(modules: Sequence[str], root: Path) -> str:
    reader = _Reader(root)
    return hashlib.sha256("\0".join(reader.fingerprint(module) for module in modules).encode()).hexdigest()


def class_fingerprint(cls: type) -> str:
    """Return a SHA-256 of the code of a class from elsewhere: all modules of the top-level package that it is in.

    Comments, docstrings and formatting do not count, as with `code_fingerprint`. Of a class that is in no file, as in a
    notebook, the byte code of its own methods counts.
    """
    top = sys.modules.get(cls.__module__.split(".")[0])
    file = getattr(top, "__file__", None) or getattr(sys.modules.get(cls.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        codes = [getattr(value, "__code__", None) for _, value in sorted(vars(cls).items())]
        return hashlib.sha256(repr([_byte_code(code) for code in codes if code is not None]).encode()).hexdigest()
    path = Path(file)
    digest = hashlib.sha256()
    for each in sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]:
        data = each.read_bytes()
        if each.suffix == ".py":
            data = ast.dump(_WithoutDocstrings().visit(ast.parse(data))).encode()
        digest.update(f"{each.relative_to(path.parent)}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _byte_code(code: CodeType) -> tuple[object, ...]:
    constants = tuple(_byte_code(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.co_code, code.co_names, constants


class _Reader:
    """Fingerprints of modules below a folder, each computed once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, str] = {}
        self._open: list[str] = []
        """Modules whose imports are being followed, the outermost first."""

    def fingerprint(self, module: str) -> str:
        """Return the fingerprint of a module and of what it imports, hexadecimal."""
        if module in self._open:
            raise ValueError(f"modules import each other: {' -> '.join([*self._open, module])}")
        if module not in self._known:
            self._open.append(module)
            tree = ast.parse(self._file(module).read_bytes())
            code = _Code(module)
            dumped = ast.dump(code.visit(tree))
            imported = sorted(f"{alias}={self._imported(target, name)}" for target, name, alias in code.imports)
            digest = hashlib.sha256("\0".join([dumped, *sorted(code.libraries), *imported]).encode())
            self._open.pop()
            self._known[module] = digest.hexdigest()
        return self._known[module]

    def _imported(self, target: str, name: str) -> str:
        """The fingerprint of what `from target import name` imports, where `name` may be a module itself."""
        if self._is_module(f"{target}.{name}"):
            return self.fingerprint(f"{target}.{name}")
        return f"{name} of {self.fingerprint(target)}"

    def _is_module(self, module: str) -> bool:
        place = self._root.joinpath(*module.split("."))
        return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()

    def _file(self, module: str) -> Path:
        place = self._root.joinpath(*module.split("."))
        return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


class _WithoutDocstrings(ast.NodeTransformer):
    """Takes strings that stand alone out of a tree: they document a module, a function or an attribute."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)


class _Code(_WithoutDocstrings):
    """Takes docstrings, imports and code for type checkers out of a module's tree, and notes the imports."""

    def __init__(self, module: str) -> None:
        self._module = module
        self.imports: set[tuple[str, str, str]] = set()
        """(module, name, the name it has here) of what is imported from the package."""
        self.libraries: set[str] = set()
        """What is imported from elsewhere, as one string for each name."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.level:
            raise ValueError(f"{self._module}:{node.lineno}: a relative import; name the module in full")
        target = node.module or ""
        for name in node.names:
            if target.split(".")[0] == _PACKAGE:
                self.imports.add((target, name.name, name.asname or name.name))
            else:
                self.libraries.add(f"{target}.{name.name} as {name.asname or name.name}")
        return None

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        self.libraries.update(f"{name.name} as {name.asname or name.name}" for name in node.names)
        return None

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
            return node
        return self.generic_visit(node)
