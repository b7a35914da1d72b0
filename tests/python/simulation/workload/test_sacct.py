# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the jobs of an export of Slurm's accounting, each once and with its own numbers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.config.errors import ConfigError
from nereus.simulation.jobs.swf import TracedJob
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.sacct import STILL_RAN, LeftOut, entries, is_export
from nereus.simulation.workload.sources import Jobs, jobs_of

Nereus = Callable[..., tuple[int, str, str]]
#: Printed by a cluster of four nodes with two processors each, Slurm 22.05: jobs with their steps, one that
#: waits, one that runs, an array, a heterogeneous job, one that failed at once.
REAL = """\
JobID|Submit|Start|End|ElapsedRaw|Timelimit|AllocCPUS|ReqCPUS|State
1|2026-11-28T02:14:52|2026-11-28T02:14:54|2026-11-28T02:14:57|3|1-00:00:00|2|1|COMPLETED
1.batch|2026-11-28T02:14:54|2026-11-28T02:14:54|2026-11-28T02:14:57|3||2|2|COMPLETED
1.0|2026-11-28T02:14:54|2026-11-28T02:14:54|2026-11-28T02:14:57|3||2|2|COMPLETED
2|2026-11-28T02:14:52|2026-11-28T02:14:54|2026-11-28T02:14:58|4|00:05:00|4|2|COMPLETED
2.batch|2026-11-28T02:14:54|2026-11-28T02:14:54|2026-11-28T02:14:58|4||2|2|COMPLETED
2.0|2026-11-28T02:14:54|2026-11-28T02:14:54|2026-11-28T02:14:58|4||2|2|COMPLETED
3|2026-11-28T02:14:52|2026-11-28T02:14:54|2026-11-28T02:14:56|2|UNLIMITED|2|1|COMPLETED
3.batch|2026-11-28T02:14:54|2026-11-28T02:14:54|2026-11-28T02:14:56|2||2|2|COMPLETED
6+0|2026-11-28T02:14:52|2026-11-28T02:15:02|2026-11-28T02:15:04|2|00:10:00|2|1|COMPLETED
6+0.batch|2026-11-28T02:15:02|2026-11-28T02:15:02|2026-11-28T02:15:04|2||2|2|COMPLETED
6+0.0|2026-11-28T02:15:02|2026-11-28T02:15:02|2026-11-28T02:15:04|2||2|2|COMPLETED
6+1|2026-11-28T02:14:52|2026-11-28T02:15:02|2026-11-28T02:15:04|2|00:10:00|4|2|COMPLETED
8|2026-11-28T02:14:52|2026-11-28T02:15:00|2026-11-28T02:15:00|0|00:10:00|2|1|FAILED
8.batch|2026-11-28T02:15:00|2026-11-28T02:15:00|2026-11-28T02:15:00|0||2|2|FAILED
9|2026-11-28T02:14:52|Unknown|Unknown|0|00:10:00|4|4|PENDING
12|2026-11-28T02:14:52|2026-11-28T02:15:02|Unknown|15|00:01:00|2|1|RUNNING
12.batch|2026-11-28T02:15:02|2026-11-28T02:15:02|Unknown|15||2|2|RUNNING
5_0|2026-11-28T02:14:52|2026-11-28T02:14:57|2026-11-28T02:14:59|2|00:06:00|2|1|COMPLETED
5_0.batch|2026-11-28T02:14:57|2026-11-28T02:14:57|2026-11-28T02:14:59|2||2|2|COMPLETED
5_1|2026-11-28T02:14:52|2026-11-28T02:14:58|2026-11-28T02:15:00|2|00:06:00|2|1|COMPLETED
5_2|2026-11-28T02:14:52|2026-11-28T02:14:58|2026-11-28T02:15:00|2|00:06:00|2|1|COMPLETED
"""
#: The same cluster when all was over, with SLURM_TIME_FORMAT=%s and other columns.
LATER = """\
User|State|NCPUS|Submit|JobID|TimelimitRaw|Elapsed
root|CANCELLED by 0|2|1795832092|12|1|00:00:15
root|COMPLETED|8|1795832100|9|UNLIMITED|1-00:00:30
"""
SMALL = "JobID|Submit|ElapsedRaw|AllocCPUS|Timelimit|State\n"


def jobs_in(tmp_path: Path, text: str, **keys: object) -> Jobs:
    file = tmp_path / "jobs.sacct"
    file.write_text(text)
    return jobs_of(Workload.model_validate({"cores": 8, "trace": str(file), **keys}), 1)


def numbers(jobs: Jobs) -> list[tuple[str, float, int, float, float]]:
    return [(job.name, job.submit, job.ranks, job.seconds, job.limit) for job in jobs.all]


def test_export_of_a_real_cluster_has_the_jobs_that_ran(tmp_path: Path) -> None:
    found = jobs_in(tmp_path, REAL)
    assert numbers(found) == [
        ("1", 0, 2, 3, 86400),
        ("2", 0, 4, 4, 300),
        ("3", 0, 2, 2, float("inf")),
        ("6", 0, 6, 2, 600),
        ("5_0", 0, 2, 2, 360),
        ("5_1", 0, 2, 2, 360),
        ("5_2", 0, 2, 2, 360),
    ]
    assert found.left_out == {"did not run": 2, STILL_RAN: 1}


def test_columns_may_be_others_in_any_order(tmp_path: Path) -> None:
    assert numbers(jobs_in(tmp_path, LATER, default_limit=5.0)) == [
        ("12", 0, 2, 15, 60),
        ("9", 8, 8, 86430, 5),
    ]


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("2-03:04:05", 183845),
        ("2-03", 183600),
        ("2-03:04", 183840),
        ("100:00:00", 360000),
        ("04:05", 245),
        ("00:00:05.250", 5),
        ("UNLIMITED", float("inf")),
        ("Partition_Limit", float("inf")),
        ("", float("inf")),
    ],
)
def test_time_limit_is_read_in_each_form(tmp_path: Path, written: str, limit: float) -> None:
    (job,) = jobs_in(tmp_path, f"{SMALL}1|1000|10|2|{written}|COMPLETED\n").all
    assert job.limit == limit


def test_times_with_a_zone_are_compared_with_it(tmp_path: Path) -> None:
    rows = ["1|2026-03-29T01:00:00+0100", "2|2026-03-29T03:00:00+02:00", "3|2026-03-29T01:30:00Z"]
    found = jobs_in(tmp_path, SMALL + "".join(f"{row}|10|2|05:00|COMPLETED\n" for row in rows))
    assert [(job.name, job.submit) for job in found.all] == [("1", 0), ("2", 3600), ("3", 5400)]


def test_run_time_is_from_start_to_end_where_nothing_else_says_it(tmp_path: Path) -> None:
    text = (
        "JobID|Submit|Start|End|AllocCPUS|ReqCPUS\n"
        "1|2026-01-31T23:59:50|2026-01-31T23:59:58|2026-02-01T00:00:08|0|3\n"
        "2|2026-01-31T23:59:50|Unknown|2026-01-31T23:59:59|0|3\n"
    )
    found = jobs_in(tmp_path, text)
    assert numbers(found) == [("1", 0, 3, 10, float("inf"))] and found.left_out == {"did not run": 1}


def test_job_that_was_requeued_ran_twice_and_two_exports_may_be_one_file(tmp_path: Path) -> None:
    row = "7|1000|10|2|05:00|NODE_FAIL\n"
    again = row.replace("1000", "1500")
    found = jobs_in(tmp_path, SMALL + row + SMALL + again)
    assert [(job.name, job.submit) for job in found.all] == [("7", 0), ("7#2", 500)]


def test_array_that_waits_is_one_job_that_did_not_run(tmp_path: Path) -> None:
    found = jobs_in(tmp_path, SMALL + "7_[3-9%2]|1000|0|0|05:00|PENDING\n7_1|1000|10|2|05:00|COMPLETED\n")
    assert [job.name for job in found.all] == ["7_1"] and found.left_out == {"did not run": 1}


GOOD = "3|1000|10|2|05:00|COMPLETED\n"
BAD_LINES = [
    ("1|2|3\n", "a job has the 6 columns of the header, this line 3"),
    ("x|1000|10|2|05:00|COMPLETED\n", 'JobID = "x": a job has an id such as 12, 12_3 or 12+0'),
    ("1|Unknown|10|2|05:00|COMPLETED\n", 'Submit = "Unknown": a time such as 2026-01-31T23:59:59'),
    ("1|2026-02-30T00:00:00|10|2|05:00|COMPLETED\n", 'Submit = "2026-02-30T00:00:00": a time such as'),
    ("1|1000|-10|2|05:00|COMPLETED\n", 'ElapsedRaw = "-10": a whole number from 0'),
    ("1|1000|10|2K|05:00|COMPLETED\n", 'AllocCPUS = "2K": a whole number from 0'),
    ("1|1000|10|2|soon|COMPLETED\n", 'Timelimit = "soon": D-HH:MM:SS, HH:MM:SS or MM:SS, UNLIMITED or'),
    (
        "1|1000|10|2|UNLIMITED|COMPLETED\n",
        "Timelimit: is missing: the order easy needs the limit of each job",
    ),
    ("1|1000|10|9|05:00|COMPLETED\n", "AllocCPUS: the job has 9 processors, the machine 4 cores"),
    (GOOD, "there is a job 3 above that was submitted at the same time"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD_LINES)
def test_wrong_line_is_reported_with_its_column_or_skipped_with_a_count(
    nereus: Nereus, tmp_path: Path, wrong: str, said: str
) -> None:
    file = tmp_path / "day.sacct"
    file.write_text(SMALL + GOOD + wrong + GOOD.replace("3", "4", 1))
    asked = ("simulate", "workload", file, "--cores", "4", "--order", "easy", "--quiet")
    code, out, err = nereus(*asked)
    assert (code, out) == (2, "")
    assert err.startswith(f"nereus: {file}:3: {said}") and err.count("\n") == 1
    code, out, err = nereus(*asked, "--skip-bad")
    assert code == 0 and "easy" in out
    assert err == "nereus: warning: 1 jobs are left out: bad\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: the first line of an export of sacct names its columns"),
        (GOOD, "has no column JobID: the first line of an export of sacct names its columns"),
        ("JobID|Submit|AllocCPUS\n", "has no column ElapsedRaw or Elapsed"),
        ("JobID|Submit|ElapsedRaw\n", "has no column AllocCPUS or NCPUS"),
        (SMALL, "has no job that can be simulated"),
    ],
)
def test_export_without_header_or_jobs_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "jobs.sacct"
    file.write_text(text)
    workload = Workload.model_validate({"cores": 8, "trace": str(file)})
    with pytest.raises(ConfigError, match=said):
        entries(file)
        jobs_of(workload, 1)


def test_export_of_another_name_is_known_by_its_first_line(tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text(SMALL + GOOD)
    (tmp_path / "w.toml").write_text('cores = 4\ntrace = "jobs.txt"\n')
    assert is_export(file) and not is_export(tmp_path / "w.toml") and not is_export(tmp_path / "none")
    file.write_text("; a|b\n")
    assert not is_export(file)


CELLS = st.one_of(
    st.sampled_from(
        [
            "1",
            "12_3",
            "12+0",
            "12+1",
            "1.batch",
            "1_[2-3]",
            "1000",
            "Unknown",
            "2026-01-01T00:00:00",
            "UNLIMITED",
        ]
    ),
    st.sampled_from(["05:00", "1-00:00:00", "RUNNING", "CANCELLED by 7", "9" * 5000, "٣", "", '"', "\x00"]),
    st.text(max_size=8),
)
NAMES = st.sampled_from(
    ["JobID", "Submit", "Start", "End", "ElapsedRaw", "Elapsed", "Timelimit", "AllocCPUS", "State", "Other"]
)


@given(
    header=st.one_of(st.just(SMALL.strip().split("|")), st.lists(NAMES, max_size=8)),
    rows=st.lists(st.lists(CELLS, min_size=5, max_size=7), max_size=6),
)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_jobs_or_one_line_that_says_what_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, header: list[str], rows: list[list[str]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.sacct"
    file.write_text("\n".join("|".join(row) for row in [header, *rows]), encoding="utf-8", errors="replace")
    try:
        found = entries(file)
    except ConfigError as error:
        assert len(str(error).splitlines()) == 1
        return
    for each in found:
        if isinstance(each.job, TracedJob):
            assert min(each.job.submit, each.job.seconds, each.job.ranks) >= 0 and each.job.limit >= -1
        elif isinstance(each.job, ConfigError):
            assert len(str(each.job).splitlines()) == 1
        else:
            assert each.job == LeftOut(STILL_RAN)
