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


def test_only_this_host_reaches_it(page: Served) -> None:
    assert page.where[0] == "127.0.0.1"


@contextmanager
def connections(page: Served, number: int = MOST_CONNECTIONS) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(page.where, timeout=30)) for _ in range(number)]


def test_more_silent_connections_than_may_be_are_refused_and_each_page_says_so(
    served: Callable[..., Served], capfd: pytest.CaptureFixture[str]
) -> None:
    for page in (served(Source(Told(history()).ask)), served(Source(Told(history()).ask))):
        with connections(page, MOST_CONNECTIONS + 10) as made:
            assert made[-1].recv(1) == b""
            assert "refused: 64 others are open" in capfd.readouterr().err
        until(lambda: answers(page))  # noqa: B023 - it is over before the next one


def test_connections_that_asked_once_and_never_end_another_request_are_ended(
    served: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = served(Source(Told(history()).ask))
    with connections(page) as made:
        monkeypatch.setattr(server, "REQUEST_SECONDS", 1.0)
        for one in made:
            # With the beginning of the next one, so that it is not idle.
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: ")
            assert b"404" in one.recv(4096)
        until(lambda: [one for one in made if goes_on_after_another_byte(one)] == [])
        assert answers(page)


def goes_on_after_another_byte(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"x")
        return select.select([connection], [], [], 0)[0] == [] or connection.recv(4096) != b""
    except OSError:
        return False


def test_connections_that_never_take_their_answer_are_ended(
    served: Callable[..., Served], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "ANSWER_SECONDS", 1.0)
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


def test_words_are_long_and_no_two_are_the_same() -> None:
    words = {new_word() for _ in range(100)}
    assert len(words) == 100 and min(map(len, words)) >= 32


@pytest.mark.parametrize("path", ["", "look", "page.js", "look?since=1", "files/page.js"])
@pytest.mark.parametrize("word", ["", "wrong/", "/", "%C3%A9/", "../"])
def test_without_the_word_nothing_is_told(page: Served, word: str, path: str) -> None:
    status, _, text = page.ask(f"/{word}{path}")
    assert (status, text.lower()) == (404, "not found")


def test_a_word_that_is_nearly_right_is_wrong(page: Served) -> None:
    for wrong in (page.word[:-1], page.word + "x", page.word.swapcase()):
        assert page.ask(f"/{wrong}/look")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "0.0.0.0", ""])
def test_a_site_whose_name_leads_here_is_refused(page: Served, host: str) -> None:
    status, _, text = page.ask(f"/{page.word}/look", Host=host)
    assert status == 400 and "jobs" not in text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9999"])
def test_a_tunnel_with_another_port_leads_to_it(page: Served, host: str) -> None:
    assert page.ask(f"/{page.word}/look", Host=host)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["look", "page.js"])
def test_nothing_can_be_changed_through_it(page: Served, method: str, path: str) -> None:
    assert page.ask(f"/{page.word}/{path}", method)[0] == 405


@pytest.mark.parametrize("path", ["../server.py", "..%2fserver.py", "%2e%2e/source.py", "/etc/passwd"])
def test_no_file_but_those_of_the_page_is_given_out(page: Served, path: str) -> None:
    assert page.ask(f"/{page.word}/{path}")[0] == 404


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "9" * 19, "%D9%A1"])
def test_what_is_no_number_of_an_event_is_refused(page: Served, since: str) -> None:
    status, _, text = page.ask(f"/{page.word}/look?since={since}")
    assert (status, text) == (400, "since: the number of an event is allowed")


@pytest.mark.parametrize("path", ["", "look", "page.js", "nothing"])
def test_browsers_keep_nothing_and_run_no_script_but_its_own(page: Served, path: str) -> None:
    _, headers, _ = page.ask(f"/{page.word}/{path}")
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in headers


def test_a_port_that_is_taken_is_refused(page: Served) -> None:
    with pytest.raises(UserError, match=f"--port = {page.where[1]}: Address already in use"):
        listening(page.where[1])
