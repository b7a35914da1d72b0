# SPDX-License-Identifier: BSD-3-Clause
"""Which ways to make processes work is found out by trying, whatever a way does to the job that tries it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nereus.bench.combinations import Combination, all_combinations, read_strategies, sets_of_strategies
from nereus.bench.process_trials import Bench, Sizes, Trial, find_ways, which_work
from nereus.launch import Build, LaunchError
from nereus.methods import CONNECTED_METHODS
from nereus.probe import Joining

NONE, SINGLE, JOIN = (Combination("merge", words) for words in ((), ("single",), ("join",)))
WAKE = Combination("merge", ("wake",))
JOINS = Joining(True)
# Of a program that answers at once, which a busy machine may start late.
SILENCE = 4.0


@pytest.fixture
def build(shell: Any, jobs: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """A build with a program in the place of nereus-resizes; jobs are started by this very process."""
    for name in ("XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, shell.environment[name])
    prefix = jobs.parent
    return Build("mpich", prefix, prefix / "mpiexec", "MPICH Version: 9.9")


@pytest.fixture
def fates(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what becomes of which way."""
    return lambda **by_way: monkeypatch.setenv(
        "FAKE_FATES", json.dumps({f"merge:{way.replace('_', '+')}": fate for way, fate in by_way.items()})
    )


def started(build: Build) -> list[list[str]]:
    """The command lines of nereus-resizes so far."""
    with (build.prefix / "jobs").open() as file:
        return [line.split() for line in file]


def tried(
    build: Build, *ways: Combination, joins: Joining = JOINS, silence: float = SILENCE
) -> dict[str, Trial]:
    trials = Bench(build, joins, Sizes(1, 3), silence).trials(list(ways))
    return {trial.combination.text: trial for trial in trials}


def test_every_method_is_listed_with_all_compatible_strategies() -> None:
    ways = {way.text for way in all_combinations()}
    assert len(ways) == len(all_combinations()) == len(CONNECTED_METHODS) * len(sets_of_strategies()) + 2
    assert {"merge:none", "baseline-inter:asynchronous+single+multiple", "merge:wake", "restart:none"} <= ways
    assert not [way for way in ways if "single" in way and "parallel" in way]
    assert not [way for way in ways if "join+" in way or ("join" in way and "parallel" in way)]


def test_strategies_may_be_named_in_any_order() -> None:
    assert read_strategies("single+asynchronous") == ("asynchronous", "single")
    assert read_strategies("none") == ()
    assert read_strategies("wake") == ("wake",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "x",
        "single+parallel",
        "join+multiple",
        "single+single",
        "wake+single",
        "none+single",
        "auto+single",
    ],
)
def test_incompatible_strategies_are_refused(text: str) -> None:
    assert read_strategies(text) is None


def test_all_ways_are_tried_in_one_job_and_wake_in_another(build: Build) -> None:
    trials = tried(build, WAKE, NONE, SINGLE)
    assert all(trial.works for trial in trials.values())
    assert trials["merge:none"].seconds["stall_seconds"] == 0.14
    sizes = ["--from", "1", "--to", "3"]
    assert started(build) == [[*sizes, "merge:wake"], [*sizes, "merge:none", "merge:single"]]


def test_refused_way_is_reported_without_a_new_job(build: Build, fates: Any) -> None:
    fates(none="no such thing")
    trials = tried(build, NONE, SINGLE)
    assert (trials["merge:none"].works, trials["merge:none"].reason) == (False, "no such thing")
    assert trials["merge:single"].works
    assert len(started(build)) == 1


def test_way_that_kills_the_job_does_not_prevent_other_trials(build: Build, fates: Any) -> None:
    fates(single="dies")
    trials = tried(build, NONE, SINGLE, JOIN)
    assert trials["merge:none"].works
    assert trials["merge:join"].works
    assert "SIGKILL" in trials["merge:single"].reason
    assert "all is lost" in trials["merge:single"].reason


def test_way_that_hangs_does_not_prevent_other_trials(build: Build, fates: Any) -> None:
    fates(none="hangs")
    trials = tried(build, NONE, SINGLE)
    assert trials["merge:single"].works
    assert trials["merge:none"].reason == "there was no answer within 4 s"
    assert not trials["merge:none"].answered


def test_program_without_output_is_handled(build: Build) -> None:
    (build.prefix / "bin" / "nereus-resizes").write_text("#!/bin/sh\nexit 3\n")
    trials = tried(build, NONE, SINGLE)
    assert [trial.reason for trial in trials.values()] == ["the job died: a rank ended with exit code 3"] * 2


def test_foreign_lines_between_answers_are_ignored(build: Build) -> None:
    program = build.prefix / "bin" / "nereus-resizes"
    lines = 'print("[]"); print("{"); print("7"); print(\'{"combination": "other", "works": true}\')'
    program.write_text(program.read_text().replace("for way in ways:", f"{lines}\nfor way in ways:", 1))
    assert tried(build, NONE)["merge:none"].works


def test_reason_why_groups_cannot_join_is_reported(build: Build, fates: Any) -> None:
    fates(join="no supervisor", none="no")
    trials = tried(build, NONE, JOIN, joins=Joining(False, "the port has no room"))
    assert trials["merge:join"].reason == "the port has no room"
    assert trials["merge:none"].reason == "no"


def test_interruption_skips_the_remaining_trials(build: Build, fates: Any) -> None:
    fates(none="hangs")
    begun = build.prefix / "jobs"
    assert list(Bench(build, JOINS, Sizes(1, 3), 600.0, begun.exists).trials([NONE, SINGLE, WAKE])) == []
    assert len(started(build)) == 1


def test_known_results_are_not_tried_again(build: Build) -> None:
    first = which_work(build, JOINS)
    assert which_work(build, JOINS) == first
    assert len(first) == len(all_combinations())
    assert len(started(build)) == 2


def test_changed_library_is_tried_again(build: Build) -> None:
    library = build.prefix / "lib" / "libnereus.so.0.1.0"
    library.parent.mkdir()
    library.touch()
    which_work(build, JOINS)
    os.utime(library, (1, 1))
    which_work(build, JOINS)
    assert len(started(build)) == 4


def test_doctor_ignores_the_cache(build: Build) -> None:
    which_work(build, JOINS)
    which_work(build, JOINS, fresh=True)
    assert len(started(build)) == 4


def test_way_that_died_is_tried_twice_and_remembered(build: Build, fates: Any) -> None:
    fates(none="dies")
    assert not which_work(build, JOINS)[NONE].works
    jobs = len(started(build))
    fates()
    assert not which_work(build, JOINS)[NONE].works
    assert len(started(build)) == jobs
    assert which_work(build, JOINS, fresh=True)[NONE].works


def test_ways_that_spawn_are_not_tried_where_spawning_is_known_to_fail(build: Build) -> None:
    found = which_work(build, JOINS, obstacle="spawn: Error in spawn call")
    assert found[NONE].reason == "spawn: Error in spawn call"
    assert found[JOIN].works
    assert found[WAKE].works
    assert all(
        word.endswith((":wake", "join", "restart:none")) for line in started(build) for word in line[4:]
    )


def test_ways_of_one_word_are_tried_before_those_of_many(build: Build) -> None:
    which_work(build, JOINS)
    words = [word.count("+") for word in started(build)[1][4:]]
    assert words == sorted(words)


def test_way_that_hung_once_counts_as_working(build: Build, fates: Any) -> None:
    fates(none="hangs once")
    assert which_work(build, JOINS, silence=SILENCE)[NONE].works


def test_damaged_cache_is_ignored(build: Build) -> None:
    which_work(build, JOINS)
    for path in Path(os.environ["XDG_CACHE_HOME"], "nereus").iterdir():
        path.write_text(json.dumps({**json.loads(path.read_text()), "ways": {"merge:none": 7}}))
    assert which_work(build, JOINS)[NONE].works
    assert len(started(build)) == 4


def test_old_installation_is_reported_with_make_build(build: Build) -> None:
    (build.prefix / "bin" / "nereus-resizes").unlink()
    with pytest.raises(LaunchError, match="make build"):
        which_work(build, JOINS)
    ways = find_ways(build, JOINS, lambda: False, lambda trial: None)
    assert list(ways) == list(all_combinations())
    assert all("make build" in feature.reason and not feature.works for feature in ways.values())


def test_doctor_lists_every_way_with_reasons_for_failures(shell: Any, build: Build) -> None:
    fates = {"merge:single": "no port at 0x7f01", "baseline-inter:single": "no port at 0x9a22"}
    result = shell.nereus("doctor", "--json", "--limit", "600", FAKE_FATES=json.dumps(fates))
    assert result.returncode == 0, result.stderr
    (found,) = json.loads(result.stdout)["builds"]
    assert found["joining"]["works"]
    refused = [way for way in found["ways"] if not way["works"]]
    assert len(found["ways"]) == len(all_combinations())
    assert [(way["method"], way["strategies"], way["reason"]) for way in refused] == [
        ("merge", ["single"], "no port at 0x7f01"),
        ("baseline-inter", ["single"], "no port at 0x9a22"),
    ]


def test_doctor_goes_on_where_its_time_was_over(shell: Any, build: Build) -> None:
    fates = {"merge:none": "hangs"}
    result = shell.nereus("doctor", "--json", "--limit", "1", FAKE_FATES=json.dumps(fates))
    (found,) = json.loads(result.stdout)["builds"]
    untried = [way for way in found["ways"] if way["works"] is None]
    assert untried and all("the time for this MPI was over" in way["reason"] for way in untried)
    result = shell.nereus("doctor", "--json", "--limit", "600")
    (found,) = json.loads(result.stdout)["builds"]
    assert all(way["works"] is not None for way in found["ways"])


def test_doctor_tries_again_what_is_known_only_when_it_is_told_so(shell: Any, build: Build) -> None:
    shell.nereus("doctor", "--limit", "600")
    jobs = len(started(build))
    shell.nereus("doctor", "--limit", "600")
    assert len(started(build)) == jobs
    shell.nereus("doctor", "--limit", "600", "--again")
    assert len(started(build)) == 2 * jobs


def test_doctor_prints_a_table_of_ways(shell: Any, build: Build) -> None:
    fates = {"merge:single": "no [port] at 0x7f01", "baseline-inter:single": "no [port] at 0x9a22"}
    lines = shell.nereus("doctor", "--limit", "600", FAKE_FATES=json.dumps(fates)).stdout.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.strip()}
    assert rows["strategies"] == ["merge", "baseline-inter", "baseline-intra", "restart"]
    assert rows["single"] == ["no", "(1)", "no", "(1)", "yes", "-"]
    assert rows["wake"] == ["yes", "-", "-", "-"]
    assert "(1) no [port] at 0x..." in [line.strip() for line in lines]


def test_doctor_reports_what_an_old_installation_lacks(shell: Any) -> None:
    (build,) = json.loads(shell.nereus("doctor", "--json").stdout)["builds"]
    assert "make build" in build["joining"]["reason"]
    assert all("make build" in way["reason"] for way in build["ways"])
