# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: several numbers of cores in one command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.cli import trial_bar

Nereus = Callable[..., tuple[int, str, str]]
GROWS = """
policies = ["none", "fair"]
[cluster]
cores = 8
[storage]
bandwidth = 100.0
[[jobs]]
name = "a"
ranks = 2
iterations = 40
time = { divided = 4.0 }
io_every = 5
io_bytes = 300
flops = 1e9
profile = [2, 4, 8]
[[jobs]]
name = "b"
ranks = 3
iterations = 40
time = { divided = 4.1 }
io_every = 5
io_bytes = 200
flops = 1e9
profile = [3, 6, 12]
"""
#: Takes all that is free, once in its life.
ONCE = """
from nereus.policy.decisions import Policy, Resize
class Once(Policy):
    resized = False
    def decide(self, state, parameters):
        if self.resized or not state.settled or state.free == 0:
            return []
        self.resized = True
        job = state.settled[0]
        return [Resize(job.name, job.ranks + state.free, "once")]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "grows.toml"
    made.write_text(GROWS)
    return made


def document(nereus: Nereus, *arguments: str | Path) -> Any:
    code, out, err = nereus("simulate", *arguments, "--json", "-q")
    assert code == 0, err
    return json.loads(out)


def test_several_core_counts_give_the_documents_of_single_ones(nereus: Nereus, file: Path) -> None:
    alone = {cores: document(nereus, file, "--cores", cores) for cores in ("16", "8", "5")}
    found = document(nereus, file, "--cores", "16", "--cores", "8", "--cores", "5")
    assert found == {"cores": alone}
    assert list(found["cores"]) == ["16", "8", "5"]
    ends = [each["policies"]["fair"]["makespan_seconds"] for each in alone.values()]
    assert ends[0] < ends[1] < ends[2]


def test_state_of_a_custom_policy_is_not_shared_between_core_counts(nereus: Nereus, file: Path) -> None:
    own = file.with_name("once.py")
    own.write_text(ONCE)
    found = document(nereus, file, "--cores", "8", "--cores", "16", "--policy", f"{own}:Once")["cores"]
    assert [each["policies"][f"{own}:Once"]["resizes"] for each in found.values()] == [1, 1]


def test_trace_leaves_out_the_same_jobs_as_with_each_core_count_alone(
    nereus: Nereus, tmp_path: Path, trace: Callable[[int, int, int], str]
) -> None:
    file = tmp_path / "day.swf"
    file.write_text(trace(30, 64, 3))
    alone = {cores: document(nereus, file, "--cores", cores, "--policy", "fair") for cores in ("16", "64")}
    assert document(nereus, file, "--cores", "16", "--cores", "64", "--policy", "fair") == {"cores": alone}
    few, many = (each["policies"]["fair"]["left_out"] for each in alone.values())
    assert few > many
    _, _, err = nereus("simulate", file, "--cores", "16", "--cores", "64", "-q")
    assert f"{few} jobs of the trace need more than 16 cores and are left out" in err
    assert f"{many} jobs of the trace need more than 64 cores and are left out" in err


def test_table_has_a_row_for_each_core_count_and_policy(nereus: Nereus, file: Path) -> None:
    _, out, _ = nereus("simulate", file, "--cores", "8", "--cores", "16", "-q")
    above, _, below = out.partition("jobs")
    rows = [line.split() for line in above.splitlines() if line.strip()]
    assert [row[:2] for row in rows[2:]] == [["8", "none"], ["8", "fair"], ["16", "none"], ["16", "fair"]]
    assert [line.split()[0] for line in below.splitlines()[2:]] == ["8"] * 4 + ["16"] * 4


def test_single_core_count_is_shown_without_column(nereus: Nereus, file: Path) -> None:
    code, out, _ = nereus("simulate", file, "--cores", "8", "-q")
    assert (code, out.splitlines()[1].split()[:2]) == (0, ["policy", "makespan"])
    assert nereus("simulate", file, "-q")[1] == out
    assert list(document(nereus, file, "--cores", "8")) == ["policies"]


def test_events_name_the_core_count_only_if_there_are_several(nereus: Nereus, file: Path) -> None:
    events = file.with_name("events.jsonl")

    def written(*arguments: str) -> list[dict[str, Any]]:
        assert nereus("simulate", file, *arguments, "--events", events, "-q")[0] == 0
        return [json.loads(line) for line in events.read_text().splitlines()]

    eight, sixteen = written("--cores", "8"), written("--cores", "16")
    assert all("cores" not in event for event in eight)
    found = written("--cores", "8", "--cores", "16")
    assert found == [{"cores": 8, **event} for event in eight] + [{"cores": 16, **event} for event in sixteen]


def test_progress_counts_all_core_counts(nereus: Nereus, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_bar, "LINE_EVERY_SECONDS", 0.0)
    _, _, err = nereus("simulate", file, "--cores", "8", "--cores", "16", "--json")
    assert err.splitlines()[0] == "simulate: 1 of 8, none, 8 cores"
    assert err.splitlines()[-1] == "simulate: 8 of 8, fair, 16 cores"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cores", "0"], "--cores"),
        (["--cores", "8", "--cores", "0"], "--cores"),
        (["--cores", "8", "--cores", "many"], "--cores"),
        (["--cores", "8", "--cores", "16", "--cores", "8"], "--cores 8: is there twice"),
        (["--cores", "8", "--cores", "2"], "jobs[1].ranks = 3: at most the 2 cores of the cluster"),
        (["--cores", "8", "--cores", "16", "--picture", "p.png"], "--picture shows one number of cores"),
        ([f"--cores={each}" for each in range(3, 104)], "--bars: 101 numbers of cores with 2 policies"),
    ],
)
def test_invalid_core_counts_are_refused_in_one_line(
    nereus: Nereus, file: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(file.parent)
    code, out, err = nereus("simulate", file, *arguments, "--bars", "b.png", "--events", "e.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("nereus: ") and said in err and err.count("\n") == 1
    assert [each.name for each in file.parent.iterdir()] == [file.name]
