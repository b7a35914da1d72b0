# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a line that says what is wrong with a workload or a trace, and where."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.simulation.workload.loading import load_workload

Nereus = Callable[..., tuple[int, str, str]]
BEGIN = 'cores = 4\norder = ["easy"]\n'
JOB = '[[jobs]]\nname = "a"\nranks = 2\nseconds = 10\nlimit = 20\n'
GENERATED = "[generated]\njobs = 3\nevery = 1.0\nseconds = 1.0\n"


def line(number: int, submit: float = 0, seconds: float = 10, ranks: int = 2, limit: float = 20) -> str:
    return f"{number} {submit} -1 {seconds} {ranks} -1 -1 {ranks} {limit} -1 1 1 1 1 1 -1 -1 -1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BEGIN, ":1: jobs: one of trace, generated and jobs says which jobs there are"),
        (BEGIN + JOB + GENERATED, ":3: jobs = "),
        (BEGIN + JOB.replace("limit = 20\n", ""), ":3: jobs[0].limit: is missing: the order easy needs"),
        (BEGIN + JOB.replace("ranks = 2", "ranks = 5"), ":5: jobs[0].ranks = 5: at most the 4 cores"),
        (BEGIN + JOB + "submit = -1\n", ":8: jobs[0].submit = -1: seconds from 0"),
        (BEGIN + JOB.replace("seconds = 10", "seconds = 0"), ":6: jobs[0].seconds = 0: seconds above 0"),
        (BEGIN + JOB + JOB, ":9: jobs[1].name = "),
        (BEGIN + JOB + 'kind = "soft"\n', ':8: jobs[0].kind = "soft": one of rigid, moldable, malleable'),
        (BEGIN + JOB + "least = 3\n", ":8: jobs[0].least = 3: at most the 2 ranks"),
        (BEGIN + JOB + "most = 1\n", ":8: jobs[0].most = 1: at least the 2 ranks"),
        (
            BEGIN + JOB + 'kind = "rigid"\nmost = 3\n',
            ":9: jobs[0].most = 3: goes with a job that is moldable",
        ),
        (BEGIN.replace("easy", "esay") + JOB, ':2: order[0] = "esay": one of fcfs, easy, conservative'),
        (BEGIN.replace("order", "orders") + JOB, ":2: orders = "),
        (BEGIN + 'strategy = ["all"]\n' + JOB, ':3: strategy[0] = "all": one of keep-preferred, keep-least'),
        (BEGIN + "malleable = [0, 120]\n" + JOB, ":3: malleable[1] = 120: a list of numbers from 0 to 100"),
        (
            BEGIN + 'malleable_by = "time"\n' + JOB,
            ':3: malleable_by = "time": one of jobs, core-hours',
        ),
        (BEGIN + "malleable = [60]\nmoldable = 50\n" + JOB, ":4: moldable = 50: at most the 40 %"),
        (
            BEGIN.replace("easy", "conservative") + "malleable = [20]\n" + JOB,
            ":3: malleable[0] = 20: 0, since the order conservative gives each job one size",
        ),
        (BEGIN.replace("easy", "conservative") + JOB + 'kind = "moldable"\n', ":8: jobs[0].kind = "),
        (BEGIN + 'trace = "nowhere.swf"\n', ':3: trace = "nowhere.swf": the name of a file that is there'),
        (BEGIN + GENERATED + "most_ranks = 8\n", ":7: generated.most_ranks = 8: at most the 4 cores"),
    ],
)
def test_wrong_workload_is_reported_with_line_key_and_what_is_allowed(
    refused: Callable[[str, str], None], text: str, said: str
) -> None:
    refused(text, said)


BAD_LINES = [
    ("1 2 3\n", "a job has 18 numbers, this line 3"),
    (line(1).replace("1 0", "1 x"), "a job has numbers only"),
    (line(3), "there is a job 3 above"),
    (line(1, submit=-5), "the submit time of a job is from 0, or -1 where it is not known, not -5"),
    (line(1, seconds=-5), "the run time of a job is from 0, or -1 where it is not known, not -5"),
    (line(1, limit=-5), "the requested time of a job is from 0, or -1 where it is not known, not -5"),
    (line(1, ranks=9), "the job has 9 processors, the machine 4 cores"),
    (line(1, limit=-1), "the requested time is missing: the order easy needs the limit of each job"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD_LINES)
def test_wrong_line_of_a_trace_is_reported_or_skipped_with_a_count(
    nereus: Nereus, tmp_path: Path, wrong: str, said: str
) -> None:
    file = tmp_path / "day.swf"
    file.write_text("; Computer: none\n" + line(3) + wrong + line(4))
    asked = ("simulate", "workload", file, "--cores", "4", "--order", "easy", "--quiet")
    code, out, err = nereus(*asked)
    assert (code, out) == (2, "")
    assert err.startswith(f"nereus: {file}:3: {said}") and err.count("\n") == 1
    code, out, err = nereus(*asked, "--skip-bad")
    assert code == 0 and "easy" in out
    assert err == "nereus: warning: 1 jobs are left out: bad\n"


def test_jobs_that_did_not_run_are_left_out_and_counted(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "day.swf"
    file.write_text(line(1, seconds=0) + line(2, seconds=-1) + line(3))
    code, _, err = nereus("simulate", "workload", file, "--cores", "4", "--json", "--quiet")
    assert (code, err) == (0, "nereus: warning: 2 jobs are left out: did not run\n")
    file.write_text(line(1, seconds=0))
    code, _, err = nereus("simulate", "workload", file, "--cores", "4", "--json", "--quiet")
    assert code == 2 and "has no job that can be simulated" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "--cores is missing: a trace does not say how many there are"),
        (["--cores", "4", "--order", "best"], "option: --order[0] = "),
        (["--cores", "4", "--malleable", "20,x"], "--malleable = 20,x: allowed are numbers from 0 to 100"),
        (["--cores", "4", "--malleable", "120"], "option: --malleable[0] = 120.0: a list of numbers"),
        (["--cores", "4", "--default-limit", "0"], "option: --default-limit = 0.0: seconds above 0"),
    ],
)
def test_wrong_option_is_refused(nereus: Nereus, tmp_path: Path, options: list[str], said: str) -> None:
    file = tmp_path / "day.swf"
    file.write_text(line(1))
    code, out, err = nereus("simulate", "workload", file, *options)
    assert (code, out) == (2, "")
    assert said in err and err.count("\n") == 1


def test_default_limit_is_for_jobs_without_one(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "day.swf"
    file.write_text(line(1, limit=-1, seconds=50) + line(2, submit=5, seconds=10))
    asked = ("simulate", "workload", file, "--cores", "4", "--json", "--quiet", "--order", "easy")
    code, out, _ = nereus(*asked, "--default-limit", "30")
    assert code == 0
    assert '"killed": 1' in out and '"makespan_seconds": 30.0' in out


@pytest.mark.parametrize("name", ["workload.toml", "whole-machine.toml"])
def test_shipped_workload_can_be_read(name: str) -> None:
    found = load_workload(Path(__file__).parents[4] / "examples" / "simulate" / name, {})
    assert found.generated is not None and found.seeds > 1
