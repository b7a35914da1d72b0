# SPDX-License-Identifier: BSD-3-Clause
"""`nereus page JOB`: what a user would lose is a page of the job that was meant, and of no other."""

import json
import os
import signal
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from a_job_page import KEY, Supervisor, emulation, progress, status
from a_name import called
from a_page import LIMIT, House, until
from commands import COMMAND, started

Nereus = Callable[..., tuple[int, str, str]]


def look(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(address + "look", timeout=LIMIT) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


@contextmanager
def page_of(folder: Path, *words: str) -> Iterator[str]:
    """Its address; the command ends in order, and says nothing more."""
    with started([*COMMAND, "page", *words, "--json"], folder, os.environ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"]
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT)
        assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("meant", ["cg-1", KEY, KEY[:5]])
def test_page_of_a_job_is_found_by_name_and_key_and_ends_in_order(
    house: House, tmp_path: Path, meant: str
) -> None:
    with (
        Supervisor(status(ranks=3, hosts=["h"] * 3)),
        called(KEY, "cg-1"),
        page_of(tmp_path, meant) as address,
    ):
        until(lambda: look(address)["job"].get("ranks") == 3)
        assert look(address)["job"]["name"] == "cg-1"
        with urllib.request.urlopen(address, timeout=LIMIT) as answer:
            assert b"Who sends to whom" in answer.read()


def test_results_that_are_named_are_followed(house: House, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(emulation(progress(1.0, 8, 0.5)))
    with Supervisor(status()), page_of(tmp_path, KEY, "--results", "mine.jsonl") as address:
        until(lambda: any(sample["iteration"] == 8 for sample in look(address)["samples"]))


def test_unknown_job_is_refused(house: House, nereus: Nereus) -> None:
    code, out, err = nereus("page", "nobodys-1")
    assert (code, out) == (2, "")
    assert "JOB = nobodys-1: no such job of yours is known here; running: none" in err


def test_part_of_two_keys_is_refused(house: House, nereus: Nereus) -> None:
    other = "a" * 15 + "b"
    with Supervisor(status()), Supervisor(status(job=other)):
        code, _, err = nereus("page", "aaaa")
    assert code == 2 and f"JOB = aaaa: could be any of {KEY}, {other}" in err


def test_results_without_a_job_are_refused(nereus: Nereus) -> None:
    code, _, err = nereus("page", "--results", "run.jsonl")
    assert code == 2 and "--results = run.jsonl: is allowed with JOB alone" in err
