# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the command, its document, and policies of one's own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.policy.policies import BY_NAME

Nereus = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[4]
SHORT = """
policies = ["none", "blocking"]
[cluster]
cores = 8
[storage]
bandwidth = 100.0
[[jobs]]
name = "a"
ranks = 2
iterations = 20
time = { divided = 4.0 }
noise = 0.05
io_every = 5
io_bytes = 300
profile = [1, 2, 4, 8]
[[jobs]]
name = "b"
ranks = 2
iterations = 20
time = { divided = 4.1 }
noise = 0.05
io_every = 5
io_seconds = 2.0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "short.toml"
    made.write_text(SHORT)
    return made


def document(nereus: Nereus, *arguments: str | Path) -> Any:
    code, out, _ = nereus("simulate", *arguments, "--json", "-q")
    assert code == 0
    return json.loads(out)


def test_document_holds_every_figure_of_every_policy(nereus: Nereus, file: Path) -> None:
    found = document(nereus, file)["policies"]
    assert list(found) == ["none", "blocking"]
    for policy in found.values():
        assert {
            "makespan_seconds",
            "io_seconds",
            "delay_seconds",
            "resizes",
            "flops",
            "jobs",
        } <= policy.keys()
        assert [job["name"] for job in policy["jobs"]] == ["a", "b"]
        assert all({"io_seconds", "delay_seconds", "ranks"} <= job.keys() for job in policy["jobs"])
        assert policy["io_seconds"] == pytest.approx(sum(job["io_seconds"] for job in policy["jobs"]))
    assert found["none"]["delay_seconds"] == 0 < found["blocking"]["delay_seconds"]


def test_results_are_reproducible_by_seed(nereus: Nereus, file: Path) -> None:
    first, again = document(nereus, file), document(nereus, file)
    assert first == again
    assert document(nereus, file, "--seed", "7") != first
    exact = file.with_name("exact.toml")
    exact.write_text(SHORT.replace("noise = 0.05\n", ""))
    assert document(nereus, exact, "--seed", "7") == document(nereus, exact)


def test_text_output_is_a_table_of_policies_and_jobs(nereus: Nereus, file: Path) -> None:
    code, out, err = nereus("simulate", file, "--policy", "io-sets", "-q")
    assert (code, err) == (0, "")
    assert "io-sets" in out
    assert "blocking" not in out


def test_events_and_picture_are_written_to_the_requested_files(
    nereus: Nereus, file: Path, tmp_path: Path
) -> None:
    events, picture = tmp_path / "events.jsonl", tmp_path / "new" / "picture.png"
    code, _, err = nereus("simulate", file, "--events", events, "--picture", picture)
    assert code == 0
    assert str(events) in err and str(picture) in err
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    assert {line["policy"] for line in lines} == {"none", "blocking"}
    assert sum(line["event"] == "phase" for line in lines) == 2 * 2 * 4
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_trace_is_simulated_and_drawn_without_a_scenario(
    nereus: Nereus, tmp_path: Path, trace: Callable[[int, int, int], str]
) -> None:
    file, picture = tmp_path / "day.swf", tmp_path / "day.png"
    file.write_text(trace(40, 64, 3))
    found = document(nereus, file, "--cores", "64", "--policy", "fair", "--picture", picture)["policies"][
        "fair"
    ]
    assert len(found["jobs"]) + found["left_out"] == 40
    assert found["left_out"] > 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_custom_policy_of_thirty_lines_is_simulated(nereus: Nereus) -> None:
    own = ROOT / "examples" / "policies" / "careful.py"
    assert len(own.read_text().splitlines()) <= 30
    name = f"{own}:Careful"
    scenario = ROOT / "examples" / "simulate" / "table-2.toml"
    found = document(nereus, scenario, "--cores", "48", "--policy", name)["policies"][name]
    assert found["resizes"] >= 1
    assert sum(job["ranks"] for job in found["jobs"]) > 28


@pytest.mark.parametrize("name", BY_NAME)
def test_every_named_policy_can_be_simulated(nereus: Nereus, file: Path, name: str) -> None:
    assert document(nereus, file, "--policy", name)["policies"][name]["unfinished"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["day.swf"], "day.swf: --cores is missing"),
        (["short.toml", "--parallel-fraction", "0.5"], "--parallel-fraction goes with a trace"),
        (["short.toml", "--cores", "1"], "jobs[0].ranks = 2: at most the 1 cores"),
        (["gone.toml"], "gone.toml: cannot be read: No such file"),
        (["short.toml", "--events", "gone/x"], "--events = gone/x: allowed is a file in a folder"),
    ],
)
def test_invalid_command_is_refused_with_a_line_for_each_problem(
    nereus: Nereus, file: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(file.parent)
    code, out, err = nereus("simulate", *arguments)
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert said in err and all(line.startswith("nereus: ") for line in lines)
    assert len(lines) == (2 if "--cores" in arguments else 1)  # of both jobs, of one option


def test_order_that_admits_nobody_behaves_like_blocking(nereus: Nereus, file: Path) -> None:
    own = file.with_name("never.py")
    own.write_text(
        "from nereus.policy.decisions import Policy\n"
        "class Nobody:\n    def admits(self, request, writing):\n        return False\n"
        "class Never(Policy):\n    order = Nobody()\n"
    )
    name = f"{own}:Never"
    code, out, _ = nereus("simulate", file, "--policy", name, "--policy", "blocking", "--json", "-q")
    assert code == 0
    never, blocking = (json.loads(out)["policies"][each] for each in (name, "blocking"))
    assert never == blocking
