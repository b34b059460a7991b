"""Serve the page of `deid review` on a free port of the loopback interface, until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from deid_core.core.errors import ConfigurationError
from deid_core.review.application import HOSTS, ReviewTask, application, new_token


def serve(task: ReviewTask, port: int, ready: Callable[[str], None]) -> None:
    """Serve until Ctrl+C. port: 0 for a free one. ready: is called with the page's address.

    Raises ConfigurationError if the port is taken.
    """
    token = new_token()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOSTS[0], port))
        except OSError as error:
            raise ConfigurationError(f"--port {port}: {error.strerror}; leave it out for a free one") from None
        listening.listen()
        # No logs: their lines would have the token, and an error's message might quote a note.
        config = uvicorn.Config(
            application(task, token),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        ready(f"http://{HOSTS[0]}:{listening.getsockname()[1]}/{token}/")
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            # How a reader ends it. What was stored is on the disk.
            return
