"""The web application of `deid review`: the page, its notes, and where it sends what a reader marked.

It listens on the loopback interface alone (serve.py), answers only below a path that begins with a secret token, and
loads nothing from elsewhere, which its content security policy forbids the browser as well. Without a reader's name it
stores nothing. Browsers keep no copy. An error is named by its class and place, never by its message.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deid_core.core.errors import DeidError, place_of
from deid_core.lake.inspection.show_note import BeforeAndAfter, before_and_after
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import Review, append_review, read_reviews, text_sha256
from deid_core.review.marks import MarkedRange, ReaderName, make_review, parsed_ranges
from deid_core.review.note_json import note_json
from deid_core.review.output_text import Ranges, output_text
from deid_core.review.page import page_files
from deid_core.review.queue import QueuedNote

HOSTS = ("127.0.0.1", "localhost")
_MOST_BYTES = 4 << 20
"""Of what a page sends; a note has some 100 marks of 50 bytes."""
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"cross-origin-resource-policy": b"same-origin",
}


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """What is read, and by whom.

    queue: the notes in their order. reader: None if nothing is to be stored. disputes: by note the two reviews between
    which an adjudicator decides. agreement: returns how far readers agree, None if no two read the same note.
    policy: of the output whose texts are read, None for placeholders.
    """

    lake: Lake
    queue: Sequence[QueuedNote]
    reader: ReaderName | None
    language: str = "en"
    disputes: dict[str, tuple[Review, Review]] = field(default_factory=dict)
    agreement: Callable[[], dict[str, float] | None] = lambda: None
    policy: str | None = None


def new_token() -> str:
    """Return a secret that nobody guesses, of letters that a path may hold."""
    return secrets.token_urlsafe(32)


def application(task: ReviewTask, token: str) -> ASGIApp:
    """Return the application. token: the first part of every path that it answers."""
    handlers = _Handlers(task)
    routes = [
        *(Route(f"/{token}/{name}", handlers.file) for name in ("", *(name for name in handlers.files if name))),
        Route(f"/{token}/api/queue", handlers.queue),
        Route(f"/{token}/api/agreement", handlers.agreement),
        Route(f"/{token}/api/notes/{{number:int}}", handlers.note),
        Route(f"/{token}/api/notes/{{number:int}}", handlers.store, methods=["POST"]),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False)],
        max_body_size=_MOST_BYTES,
    )
    return _Guard(app)


class _Guard:
    """Adds the headers of privacy to each answer, and tells an error by its place alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS.items()]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            # The message may quote a note. Starlette has answered with 500 already.
            sys.stderr.write(f"deid review: internal error: {place_of(error)}\n")


class _Handlers:
    """Answers the requests. Starlette runs these functions in threads."""

    def __init__(self, task: ReviewTask) -> None:
        self._task = task
        self.files = page_files(task.language, task.reader, task.policy)

    def file(self, request: Request) -> Response:
        content, kind = self.files[request.url.path.rpartition("/")[2]]
        return Response(content, media_type=kind)

    def queue(self, request: Request) -> Response:
        """Return the reader and for each note whether the reader has read it."""
        read = {(review.note_id, review.text_sha256) for review in self._mine()}
        anyhow = {note_id for note_id, _ in read}
        reader = self._task.reader
        return JSONResponse(
            {
                "reader": reader and reader.name,
                "role": reader and reader.role,
                "read": [
                    (note.note_id, note.text_sha256) in read if note.text_sha256 else note.note_id in anyhow
                    for note in self._task.queue
                ],
            }
        )

    def agreement(self, request: Request) -> Response:
        return JSONResponse(self._task.agreement())

    def note(self, request: Request) -> Response:
        queued, note = self._note(request)
        mine = next((review for review in self._mine() if review.note_id == note.note_id), None)
        content = note_json(note, mine, self._task.disputes.get(note.note_id, ()))
        changed = queued.text_sha256 is not None and queued.text_sha256 != text_sha256(note.after)
        if (output := self._output(note)) is not None:
            content |= {"after": output[0], "outputs": output[1]}
        return JSONResponse(content | {"changed": changed})

    async def store(self, request: Request) -> Response:
        """Store what the page sends: an object with `marks`, each with start, end and type."""
        if self._task.reader is None:
            raise HTTPException(403, "read only")
        try:
            given = await request.json()
            ranges = parsed_ranges(given["marks"])
        except (ValueError, KeyError, TypeError):
            raise HTTPException(400, "is no list of marks") from None
        return await run_in_threadpool(self._stored, request, ranges, self._task.reader)

    def _stored(self, request: Request, ranges: list[MarkedRange], reader: ReaderName) -> Response:
        _, note = self._note(request)
        output = self._output(note)
        try:
            review = make_review(note, ranges, reader, text_sha256(output[0]) if output else "")
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        try:
            append_review(self._task.lake, review)
        except OSError:
            raise HTTPException(507, "the disk is full or cannot be written") from None
        return JSONResponse({"readable": sum(mark.readable for mark in review.marks)})

    def _note(self, request: Request) -> tuple[QueuedNote, BeforeAndAfter]:
        number = request.path_params["number"]
        if number >= len(self._task.queue):
            raise HTTPException(404, "no such note")
        queued = self._task.queue[number]
        try:
            return queued, before_and_after(self._task.lake, queued.note_id)
        except DeidError as error:
            # Its message holds ids and paths of the lake, no text.
            raise HTTPException(409, str(error)) from None

    def _output(self, note: BeforeAndAfter) -> tuple[str, Ranges] | None:
        """Return the note's text in the output that is read, and the ranges for its spans; None without an output."""
        if self._task.policy is None:
            return None
        try:
            return output_text(self._task.lake, note, self._task.policy)
        except DeidError as error:
            raise HTTPException(409, str(error)) from None

    def _mine(self) -> list[Review]:
        reader = self._task.reader
        if reader is None:
            return []
        return [r for r in read_reviews(self._task.lake) if (r.reader, r.role) == (reader.name, reader.role)]
