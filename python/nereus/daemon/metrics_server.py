# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP server of the metrics.

All users of this host can reach it, so that few are answered at once, and none for long.
"""

import socket
import threading
import time
from collections.abc import Callable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

from nereus.daemon.error import DaemonError

LOCAL = "127.0.0.1"
#: Who comes when so many are being answered is refused.
MOST = 8
#: From the connection to the end of the answer.
SECONDS = 5.0
_LOOK_SECONDS = 0.25
_SAID_EVERY = 60.0

Connection = socket.socket


class MetricsServer(ThreadingMixIn, WSGIServer):
    """Answers in at most MOST threads, each of which ends after SECONDS, whatever the other side does."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128  # they wait for a moment, to be refused

    def __init__(self, port: int, registry: CollectorRegistry, tell: Callable[[str], None]) -> None:
        """`tell`, in another thread: that somebody was refused; once a minute at most."""
        self._tell, self._said = tell, float("-inf")
        self._lock = threading.Lock()
        self._since: dict[Connection, float] = {}
        super().__init__((LOCAL, port), _Silent)
        self.set_app(make_wsgi_app(registry))
        self._thread = threading.Thread(target=self.serve_forever, args=(_LOOK_SECONDS,), daemon=True)

    def begin(self) -> None:
        """Answer, until `end`."""
        self._thread.start()

    def end(self) -> None:
        """Answer nobody any more; who is being answered is cut off."""
        self.shutdown()
        self._cut_off(since_before=float("inf"))
        self.server_close()
        self._thread.join()

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own, where there is one left."""
        now = time.monotonic()
        with self._lock:
            has_place = len(self._since) < MOST
            if has_place:
                self._since[request] = now
        if has_place:
            super().process_request(request, client_address)
            return
        self.shutdown_request(request)
        if now - self._said >= _SAID_EVERY:
            self._said = now
            self._tell(f"--metrics: a new connection was refused: {MOST} others are being answered")

    def shutdown_request(self, request: Any) -> None:
        """It is over."""
        with self._lock:
            self._since.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Between two connections: end those that last too long."""
        self._cut_off(since_before=time.monotonic() - SECONDS)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asks may go before he is answered."""

    def _cut_off(self, since_before: float) -> None:
        with self._lock:
            for request, since in self._since.items():
                if since < since_before:
                    _shut(request)


class _Silent(WSGIRequestHandler):
    timeout = SECONDS  # of each read and write

    def log_message(self, format: str, *args: Any) -> None:
        """No line for each that asks."""

    def address_string(self) -> str:
        """Nobody's name is looked up."""
        return str(self.client_address[0])


def open_metrics_server(port: int, registry: CollectorRegistry, tell: Callable[[str], None]) -> MetricsServer:
    """Answer there, 0: at a port that the system chooses; DaemonError where that cannot be."""
    try:
        server = MetricsServer(port, registry, tell)
    except OSError as problem:
        raise DaemonError(f"--metrics = {port}: {problem.strerror}") from None
    server.begin()
    return server


def _shut(request: Connection) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # gone already
