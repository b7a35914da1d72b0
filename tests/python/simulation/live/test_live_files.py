# SPDX-License-Identifier: BSD-3-Clause
"""Files with a table [live]: what is allowed, which runs they have, and how their jobs are started."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import ConfigError
from nereus.simulation.jobs import load_scenario
from nereus.simulation.live import Study, is_live, load_live, planned_runs
from nereus.simulation.live.document import mode_of
from nereus.simulation.live.jobs import (
    COMPUTES,
    EMULATED,
    WAITS,
    Of,
    arguments_of,
    kind_of,
    known_beforehand,
    name_in,
)
from nereus.simulation.live.plan import scenario_for

#: Of the study's text: with it the first job computes.
JACOBI = {
    "repetitions = 2": "repetitions = 2\njacobi = { A1 = 1000 }",
    "flops = 10.0": "flops = 10.0\nmost = 2",
}
EXAMPLES = sorted((Path(__file__).parents[4] / "examples" / "study" / "io").glob("*.toml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_shipped_studies_can_be_run_and_simulated(file: Path) -> None:
    assert is_live(file)
    assert load_live(file).scenario == load_scenario(file)


def test_study_of_resizes_is_not_a_live_study() -> None:
    assert not is_live(EXAMPLES[0].parents[1] / "cg.toml")


def test_compared_policies_and_delays_run_alternately(study: Callable[..., Study]) -> None:
    found = planned_runs(study(repetitions="delays = [0.0, 0.5]\nrepetitions"))
    assert [run.name for run in found][:5] == [
        "none_delay-0_1",
        "blocking_delay-0_1",
        "none_delay-0.5_1",
        "blocking_delay-0.5_1",
        "none_delay-0_2",
    ]
    assert len({run.name for run in found}) == len(found) == 8


def test_delay_postpones_the_last_job(study: Callable[..., Study]) -> None:
    read = study(repetitions="delays = [0.5]\nrepetitions")
    scenarios = [scenario_for(read, run) for run in planned_runs(read)]
    assert {tuple(job.start for job in each.jobs) for each in scenarios} == {(0.0, 1.5)}
    assert [each.seed for each in scenarios] == [42, 42, 43, 43]


def options_of(study: Study, number: int) -> dict[str, str]:
    words = arguments_of(Of(study.scenario, study.live, number, Path("/run")))
    return dict(zip(words[::2], words[1::2], strict=True))


def test_job_is_started_with_the_options_of_the_scenario(study: Callable[..., Study]) -> None:
    options = options_of(study(repetitions="piece_bytes = 4096\nrepetitions"), 0)
    assert options["--bytes"] == "5000000"
    assert (options["--iterations"], options["--every"], options["--piece"]) == ("20", "5", "4096")
    assert (options["--fixed"], options["--divided"]) == ("0.01", "0.4")


def test_job_without_io_writes_no_file(study: Callable[..., Study]) -> None:
    assert not {"--every", "--file", "--bytes", "--piece"} & set(options_of(study(), 1))


def test_computing_job_writes_as_much_as_the_simulated_one(study: Callable[..., Study]) -> None:
    read = study(**JACOBI)
    assert [kind_of(read.live, job) for job in read.scenario.jobs] == [COMPUTES, WAITS]
    options = options_of(read, 0)
    assert int(options["--copies"]) * int(options["--size"]) * 8 == 5000000
    assert (options["--iterations"], options["--write-every"], options["--tolerance"]) == ("20", "5", "0")
    assert not {"--fixed", "--divided"} & set(options), "it takes the time that it takes"


def test_computing_job_without_io_writes_no_file(study: Callable[..., Study]) -> None:
    jacobi = {
        "repetitions = 2": "repetitions = 2\njacobi = { A2 = 9 }",
        "divided = 0.8 }": "divided = 0.8 }\nmost = 4",
    }
    assert set(options_of(study(**jacobi), 1)) == {"--size", "--iterations", "--tolerance", "--label"}


def test_jobs_are_identified_by_their_command_lines(study: Callable[..., Study]) -> None:
    read = study(**JACOBI)
    commands = [
        ["/bin/x", *arguments_of(Of(read.scenario, read.live, number, Path("/run")))] for number in (0, 1)
    ]
    assert [name_in(command) for command in commands] == ["A1", "A2"]
    assert name_in(["/bin/x", "--label"]) is None


def test_daemon_gets_the_profile_of_the_simulated_controller(study: Callable[..., Study]) -> None:
    times = known_beforehand(study().scenario.jobs[0])
    assert [each.ranks for each in times] == [2, 4]
    assert [each.seconds for each in times] == pytest.approx([0.21, 0.11])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("repetitions = 2", "repetition = 2", "repetition"),
        ("repetitions = 2", "repetitions = 0", "a whole number from 1 to 1000"),
        ("repetitions = 2", 'store = "disk"', "limited or folder"),
        ("repetitions = 2", "jacobi = { A1 = 0 }", "A1 = 0: .*equations, from 1 to 65536"),
        ("repetitions = 2", "jacobi = { A1 = 65537 }", "A1 = 65537: .*equations, from 1 to 65536"),
        ("repetitions = 2", "jacobi = { B = 9, A2 = 9 }", "allowed are A1, A2"),
        ("repetitions = 2", "jacobi = { A1 = 9 }", "no faster with more ranks than there are cores"),
        ("io_every = 5", "io_every = 5\nstartup = 1.0", "0: a live job is started before its time"),
        ("time = { divided = 0.8 }", "times = [[4, 0.2]]", "time in place of times"),
        ("io_every = 5", "io_every = 5\ncheckpoint_every = 5", "a checkpoint after each iteration"),
        ("io_every = 5", "io_every = 5\nio_rate = 1e6", "as fast as the store is"),
    ],
)
def test_impossible_study_is_reported_with_line(
    study: Callable[..., Study], before: str, after: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=r"two\.toml:\d+: .*" + said):
        study(**{before: after})


def test_measured_times_of_a_computing_job_are_its_model(study: Callable[..., Study]) -> None:
    measured = {"time = { fixed = 0.01, divided = 0.4 }": "times = [[1, 0.5], [2, 0.3]]"}
    read = study(**JACOBI, **measured, **{"profile = [2, 4]": "profile = [1, 2]"})
    assert [each.seconds for each in known_beforehand(read.scenario.jobs[0])] == pytest.approx([0.5, 0.3])


def test_computing_job_must_have_a_multiple_of_its_io_period(study: Callable[..., Study]) -> None:
    with pytest.raises(
        ConfigError, match=r"two\.toml:\d+: jobs\[0\]\.iterations = 20: a multiple of io_every = 3"
    ):
        study(**JACOBI, **{"io_every = 5": "io_every = 3"})


APPLICATION = """\
[[phases]]
iterations = 8
[[phases.stages]]
type = "pi"
time = 0.1
[[groups]]
ranks = 1
"""
EMULATIONS = """\
[cluster]
cores = 3
[[jobs]]
name = "A1"
experiment = "app.toml"
startup = 1.0
[[jobs]]
name = "A2"
experiment = "app.toml"
ranks = 3
"""


def test_workload_needs_neither_table_nor_store(study: Callable[..., Study], tmp_path: Path) -> None:
    (tmp_path / "app.toml").write_text(APPLICATION)
    read = study(EMULATIONS)
    assert not read.writes
    assert mode_of(read) == "emulated"
    assert [kind_of(read.live, job) for job in read.scenario.jobs] == [EMULATED, EMULATED]
    words = arguments_of(Of(read.scenario, read.live, 1, Path("/run")))
    assert words == ["/run/A2.run.json", "--results", "/run/A2.jsonl", "--label", "A2"]


def test_emulated_job_has_no_invented_noise(study: Callable[..., Study], tmp_path: Path) -> None:
    (tmp_path / "app.toml").write_text(APPLICATION)
    with pytest.raises(ConfigError, match=r"noise = 0\.1: 0: iterations of an emulated application"):
        study(EMULATIONS + "noise = 0.1\n")


def test_emulated_job_does_not_run_jacobi_too(study: Callable[..., Study], tmp_path: Path) -> None:
    (tmp_path / "app.toml").write_text(APPLICATION)
    with pytest.raises(ConfigError, match=r"experiment = .*none: live\.jacobi says"):
        study("[live]\njacobi = { A1 = 9 }\n" + EMULATIONS)
