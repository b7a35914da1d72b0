# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a page that others of the host, or sites in the browser, cannot look into."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from a_page import Served, Told, history, until

from nereus import UserError
from nereus.page.server import MOST_CONNECTIONS, listening, new_word
from nereus.page.source import Source


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    made = Served(Source(Told(history()).ask))
    yield made
    made.close()


def test_only_this_host_reaches_it(page: Served) -> None:
    assert page.where[0] == "127.0.0.1"


def test_a_crowd_of_silent_connections_is_refused_and_the_page_goes_on(
    capfd: pytest.CaptureFixture[str],
) -> None:
    page = Served(Source(Told(history()).ask))
    try:
        with ExitStack() as crowd:
            for _ in range(MOST_CONNECTIONS + 10):
                last = crowd.enter_context(socket.create_connection(page.where, timeout=30))
            assert last.recv(1) == b""
            assert "refused: 64 others are open" in capfd.readouterr().err
        until(lambda: answers(page))
    finally:
        page.close()


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
