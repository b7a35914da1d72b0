# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a page that others of the host, or sites in the browser, cannot look into."""

import select
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from a_page import Served, Told, history, until

from nereus import UserError
from nereus.daemon.page import server
from nereus.daemon.page.server import MOST_CONNECTIONS, listening, new_word
from nereus.daemon.page.source import Source


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    made = Served(Source(Told(history()).ask))
    yield made
    made.close()


def test_page_listens_on_the_local_host_only(page: Served) -> None:
    assert page.where[0] == "127.0.0.1"


@contextmanager
def connections(page: Served, number: int = MOST_CONNECTIONS) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(page.where, timeout=30)) for _ in range(number)]


def test_excess_silent_connections_are_refused_and_logged_by_each_page(
    served: Callable[..., Served], capfd: pytest.CaptureFixture[str]
) -> None:
    for page in (served(Source(Told(history()).ask)), served(Source(Told(history()).ask))):
        with connections(page, MOST_CONNECTIONS + 10) as made:
            assert made[-1].recv(1) == b""
            assert "refused: 64 others are open" in capfd.readouterr().err
        until(lambda: answers(page))  # noqa: B023 - it is over before the next one


def test_connections_with_an_unfinished_second_request_are_closed(
    served: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = served(Source(Told(history()).ask))
    complete = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connections(page) as made:
        for one in made:
            one.sendall(complete)
            assert b"404" in one.recv(4096)
        monkeypatch.setattr(server, "REQUEST_SECONDS", 1.0)
        for one in made:
            # With the beginning of the next one, so that it is not idle.
            one.sendall(complete + b"GET / HTTP/1.1\r\nHost: ")
        until(lambda: [one for one in made if goes_on_after_another_byte(one)] == [])
        until(lambda: answers(page))


def goes_on_after_another_byte(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"x")
        return select.select([connection], [], [], 0)[0] == [] or connection.recv(4096) != b""
    except OSError:
        return False


def test_connections_that_never_read_their_answer_are_closed(
    served: Callable[..., Served], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "ANSWER_SECONDS", 15.0)
    (tmp_path / "large").write_bytes(bytes(1 << 25))  # more than the system keeps for who does not read
    page = served(Source(Told(history()).ask), files=tmp_path)
    with connections(page) as made:
        for one in made:
            one.sendall(f"GET /{page.word}/large HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert one.recv(1) != b""
        until(lambda: answers(page))


def answers(page: Served) -> bool:
    try:
        return page.ask(f"/{page.word}/look")[0] == 200
    except OSError:
        return False


def test_tokens_are_long_and_unique() -> None:
    words = {new_word() for _ in range(100)}
    assert len(words) == 100 and min(map(len, words)) >= 32


@pytest.mark.parametrize("path", ["", "look", "page.js", "look?since=1", "files/page.js"])
@pytest.mark.parametrize("word", ["", "wrong/", "/", "%C3%A9/", "../"])
def test_request_without_token_is_answered_with_404(page: Served, word: str, path: str) -> None:
    status, _, text = page.ask(f"/{word}{path}")
    assert (status, text.lower()) == (404, "not found")


def test_nearly_correct_token_is_refused(page: Served) -> None:
    for wrong in (page.word[:-1], page.word + "x", page.word.swapcase()):
        assert page.ask(f"/{wrong}/look")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "0.0.0.0", ""])
def test_foreign_host_header_is_refused(page: Served, host: str) -> None:
    status, _, text = page.ask(f"/{page.word}/look", Host=host)
    assert status == 400 and "jobs" not in text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9999"])
def test_tunnel_from_another_port_is_allowed(page: Served, host: str) -> None:
    assert page.ask(f"/{page.word}/look", Host=host)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["look", "page.js"])
def test_page_allows_no_changes(page: Served, method: str, path: str) -> None:
    assert page.ask(f"/{page.word}/{path}", method)[0] == 405


@pytest.mark.parametrize("path", ["../server.py", "..%2fserver.py", "%2e%2e/source.py", "/etc/passwd"])
def test_only_files_of_the_page_are_served(page: Served, path: str) -> None:
    assert page.ask(f"/{page.word}/{path}")[0] == 404


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "9" * 19, "%D9%A1"])
def test_invalid_event_number_is_refused(page: Served, since: str) -> None:
    status, _, text = page.ask(f"/{page.word}/look?since={since}")
    assert (status, text) == (400, "since: the number of an event is allowed")


@pytest.mark.parametrize("path", ["", "look", "page.js", "nothing"])
def test_headers_forbid_caching_and_foreign_scripts(page: Served, path: str) -> None:
    _, headers, _ = page.ask(f"/{page.word}/{path}")
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in headers


def test_port_in_use_is_refused(page: Served) -> None:
    with pytest.raises(UserError, match=f"--port = {page.where[1]}: Address already in use"):
        listening(page.where[1])
