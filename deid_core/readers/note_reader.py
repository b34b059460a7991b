"""Read files into notes. Each file gives exactly one result, a note or an error, in the order of the files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType

from deid_core.core.errors import DeidError, NoteError, Reason, place_of
from deid_core.core.file_formats import FORMATS, Format
from deid_core.core.note import BlockKind, Note
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.deadline import Deadline
from deid_core.readers.docx.reader import read_docx
from deid_core.readers.formats import format_of, is_compound
from deid_core.readers.freeze_fields import odt_with_saved_results, with_saved_results
from deid_core.readers.libreoffice import LibreOffice
from deid_core.readers.msdoc import DocRefused, read_doc
from deid_core.readers.plain import read_plain, read_text
from deid_core.readers.settings import ReadingSettings
from deid_core.readers.source_listing import SourceFile, read_bytes

_WINDOW_PER_BATCH = 4
"""Number of batches of finished notes that may wait for an earlier conversion."""


@dataclass(slots=True)
class _Pending:
    """A file whose result is known or awaited from LibreOffice."""

    source: SourceFile
    sha256: str = ""
    number: int = 0
    recomputed: bool = False
    """Whether LibreOffice recomputes fields of it."""
    result: Note | NoteError | None = None
    refused: str = ""
    """Why the direct reader refused it; empty if it did not."""


class NoteReader:
    """Reads .doc, .docx and plain text directly; other formats, and .doc that this reader refuses, with LibreOffice.

    A context manager: leaving it removes LibreOffice's profile and all temporary files. Use it in one process and one
    thread. LibreOffice is located when the first file needs it. `refusals` counts the reasons why .doc files went to
    LibreOffice, by fixed phrases. If LibreOffice fails as well, the error's detail contains the phrase.
    """

    def __init__(self, settings: ReadingSettings) -> None:
        self._settings = settings
        self._libreoffice: LibreOffice | None = None
        self.refusals: Counter[str] = Counter()

    def __enter__(self) -> NoteReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove LibreOffice's files. The reader can be used again."""
        if self._libreoffice is not None:
            self._libreoffice.close()
            self._libreoffice = None

    def read(
        self, files: Sequence[SourceFile], content: Callable[[SourceFile, int], bytes | str] = read_bytes
    ) -> Iterator[tuple[SourceFile, Note | NoteError]]:
        """Yield each file with its note or error, in the order of `files`. `year` is None on every note.

        content: returns the bytes of a file, or a text, of at most so many bytes; raises NoteError.
        Raises ConfigurationError if a file needs LibreOffice and it is missing. Errors of files are results.
        """
        pending: list[_Pending] = []
        try:
            for source in files:
                pending.append(self._start(source, content))
                waiting = 0 if self._libreoffice is None else len(self._libreoffice)
                batch = self._settings.libreoffice_batch
                if waiting in (0, batch) or len(pending) >= _WINDOW_PER_BATCH * batch:
                    yield from self._finish(pending)
                    pending = []
            yield from self._finish(pending)
        except BaseException:
            # Also if the caller stops early: a later call must not find the rest of a batch.
            self.close()
            raise

    def _start(self, source: SourceFile, content: Callable[[SourceFile, int], bytes | str]) -> _Pending:
        """Read a file, or add it to the next LibreOffice batch."""
        pending = _Pending(source)
        try:
            data = content(source, self._settings.max_file_bytes)
            if isinstance(data, str):
                pending.result = self._note(pending, data, Format.TEXT)
                return pending
            pending.sha256 = hashlib.sha256(data).hexdigest()
            if self._settings.doc_reader == "direct" and is_compound(data):
                pending.result = self._read_doc(pending, data)
                if pending.result is not None:
                    return pending
            form = format_of(data, ending=source.path.suffix.rstrip())
            if FORMATS[form].by_libreoffice:
                if self._libreoffice is None:
                    self._libreoffice = LibreOffice(self._settings)
                saved = self._with_saved_results(data, form)
                pending.recomputed = saved is None
                pending.number = self._libreoffice.add(saved or data, form)
                if pending.refused:
                    self.refusals[pending.refused] += 1
            else:
                pending.result = self._note(pending, data, form)
        except NoteError as error:
            pending.result = error
        return pending

    def _with_saved_results(self, data: bytes, form: Format) -> bytes | None:
        """Return the file with its fields as text, None if LibreOffice will recompute them."""
        match form:
            case Format.DOC:
                return with_saved_results(data)
            case Format.ODT:
                return odt_with_saved_results(data, self._settings)
            case _:
                return None

    def _finish(self, pending: list[_Pending]) -> Iterator[tuple[SourceFile, Note | NoteError]]:
        converted = {} if self._libreoffice is None else self._libreoffice.convert()
        for item in pending:
            result = item.result
            if result is None:
                data = converted.pop(item.number, None)
                if data is None:
                    result = NoteError(Reason.CONVERTER_FAILED, "no result")
                else:
                    result = data if isinstance(data, NoteError) else self._note(item, data, Format.DOCX)
                if isinstance(result, NoteError) and item.refused:
                    result = NoteError(result.reason, f"{result.detail}; direct reader: {item.refused}")
            yield item.source, result

    def _read_doc(self, item: _Pending, data: bytes) -> Note | NoteError | None:
        """Return the direct reader's result. If it refuses, return None and set the item's reason."""
        builder = self._new_builder()
        try:
            read_doc(data, builder, self._settings)
            return self._built(item, builder)
        except DocRefused as refusal:
            item.refused = str(refusal)
        except NoteError as error:
            return error
        except MemoryError:
            raise
        except Exception as error:
            # A bug in the direct reader must not lose the note.
            item.refused = f"fault: {place_of(error)}"
        return None

    def _note(self, item: _Pending, data: bytes | str, form: Format) -> Note | NoteError:
        builder = self._new_builder()
        try:
            if isinstance(data, str):
                read_text(data, builder, self._settings.max_text_chars)
            elif form is Format.TEXT:
                read_plain(data, builder, self._settings.max_text_chars)
            elif form is not Format.DOCX:
                raise NotImplementedError(f"no reader of .{form}")
            elif self._settings.docx_reader == "python-docx" and not item.number:
                # Import here, because the library takes 0.1 s to load.
                from deid_core.readers.docx.python_docx import read_by_python_docx

                read_by_python_docx(data, builder, self._settings)
            else:
                read_docx(data, builder, self._settings, recomputed=item.recomputed)
            return self._built(item, builder)
        except NoteError as error:
            return error
        except (DeidError, MemoryError):
            raise
        except Exception as error:
            return NoteError(Reason.INTERNAL, place_of(error))

    def _new_builder(self) -> CanonicalBuilder:
        """Return an empty builder. The file's time begins now."""
        return CanonicalBuilder(self._settings.max_blocks, Deadline(self._settings.file_time_limit_s))

    def _built(self, item: _Pending, builder: CanonicalBuilder) -> Note | NoteError:
        if builder.length > self._settings.max_text_chars:
            return NoteError(Reason.TOO_LARGE, f"{builder.length} characters, limit {self._settings.max_text_chars}")
        note = builder.build(item.source.note_id, source=item.source.relative, sha256=item.sha256)
        besides = (block for block in note.blocks if block.kind not in (BlockKind.PROPERTY, BlockKind.AUTHOR))
        if not any(note.block_text(block).strip() for block in besides):
            return NoteError(Reason.EMPTY, "no text besides properties" if note.text.strip() else "no text")
        return note
