# SPDX-License-Identifier: BSD-3-Clause
"""Serves the page on 127.0.0.1, until it is told to stop.

Others of this host can reach the port: without the word in the address they are told nothing. A site that a
browser shows beside could have its own name lead to 127.0.0.1: whoever asks under such a name is refused.
"""

import asyncio
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from nereus import UserError

LOCAL = "127.0.0.1"
FILES = Path(__file__).with_name("files")
#: What is shown first: of the daemon, of one job.
DAEMON_PAGE, JOB_PAGE = "index.html", "job.html"
#: Names under which a browser may reach it, also through a tunnel of ssh.
HOSTS = (LOCAL, "localhost")

_LOOKS = 0.1  # s, between looks whether to stop
_LAST_ANSWERS = 1  # s, for those under way then
_MOST_DIGITS = 18  # of the number of an event
#: Connections at once; who comes then is refused.
MOST_CONNECTIONS = 64
#: From a connection, or the answer before, to the end of a request's header.
REQUEST_SECONDS = 10.0
#: For an answer, which goes through a tunnel, maybe.
ANSWER_SECONDS = 30.0
_SAID_EVERY = 60.0
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def listening(port: int) -> socket.socket:
    """A socket for the page; 0: a port that is free."""
    made = socket.socket(socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOCAL, port))
        # From now on browsers wait for the page, and are not turned away.
        made.listen()
    except OSError as problem:
        made.close()
        raise UserError(f"--port = {port}: {problem.strerror}; 0 takes one that is free") from None
    return made


def new_word() -> str:
    """What an address must have in it."""
    return secrets.token_urlsafe(24)


class Looked(Protocol):
    """What a page is drawn from."""

    def look(self, since: int | None) -> dict[str, Any]:
        """What came after that number; None: what a page begins with."""


def application(word: str, source: Looked, files: Path = FILES, first: str = DAEMON_PAGE) -> Starlette:
    """The page at /WORD/, what it is drawn from at /WORD/look; `first`: the file that is that page."""

    def look(request: Request) -> Response:
        since = request.query_params.get("since", "")
        if since and not (since.isascii() and since.isdigit() and len(since) <= _MOST_DIGITS):
            return PlainTextResponse("since: the number of an event is allowed", status_code=400)
        return JSONResponse(source.look(int(since) if since else None))

    def page(_: Request) -> Response:
        return FileResponse(files / first)

    inside = [
        Route("/look", look, methods=["GET"]),
        Route("/", page, methods=["GET"]),
        Mount("/", StaticFiles(directory=files)),
    ]
    made = Starlette(
        routes=[Mount("/{word}", Guarded(word, Starlette(routes=inside)))],
        middleware=[
            Middleware(WithHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False),
        ],
    )
    # Whoever does not know the word is not even told that one may stand there.
    made.router.redirect_slashes = False
    return made


class Guarded:
    """What is behind it is there for those alone who know the word."""

    def __init__(self, word: str, behind: Callable[..., Awaitable[None]]) -> None:
        self._word, self._behind = word.encode(), behind

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        said = scope["path_params"]["word"].encode()
        if secrets.compare_digest(said, self._word):
            await self._behind(scope, receive, send)
        else:
            await PlainTextResponse("not found", status_code=404)(scope, receive, send)


class WithHeaders:
    """Every answer says that nothing of it may be kept, shown inside others, or lead elsewhere."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(key.lower().encode(), value.encode()) for key, value in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        await self._app(scope, receive, send_with)


class Refusals:
    """What one server tells of connections that it refused."""

    def __init__(self) -> None:
        self._said = float("-inf")

    def tell(self, now: float) -> None:
        """A line, once a minute at most."""
        if now - self._said >= _SAID_EVERY:
            self._said = now
            text = f"nereus: page: a new connection was refused: {MOST_CONNECTIONS} others are open"
            print(text, file=sys.stderr, flush=True)


class Limited(H11Protocol):
    """All users of this host can come: few connections are kept, and none for long that is slow."""

    refusals: Refusals
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            self.refusals.tell(self.loop.time())
        else:
            self._end_after(REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_after(None)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._end_after(ANSWER_SECONDS)

    def on_response_complete(self) -> None:
        # The answer may still be on its way.
        is_sent = self.transport.get_write_buffer_size() == 0
        self._end_after(REQUEST_SECONDS if is_sent else ANSWER_SECONDS)
        super().on_response_complete()  # the next request may have come already

    def _end_after(self, seconds: float | None) -> None:
        if self._end is not None:
            self._end.cancel()
        self._end = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


def limited() -> type[Limited]:
    """What connections of one server are handled by."""

    class OfOneServer(Limited):
        refusals = Refusals()

    return OfOneServer


class _Server(uvicorn.Server):
    """Takes no signals over, not even those that were ignored when we started: `stopped` knows of them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(app: Starlette, at: socket.socket, stopped: Callable[[], bool]) -> None:
    """Until `stopped`."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        http=limited(),
        ws="none",
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )
    server = _Server(config)

    async def both() -> None:
        watching = asyncio.create_task(_watch(server, stopped))
        await server.serve(sockets=[at])
        watching.cancel()

    asyncio.run(both())


async def _watch(server: uvicorn.Server, stopped: Callable[[], bool]) -> None:
    while not stopped():
        await asyncio.sleep(_LOOKS)
    server.should_exit = True
