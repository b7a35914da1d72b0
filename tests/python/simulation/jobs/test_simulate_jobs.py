# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: simulated jobs that do what real ones would be told to do."""

from collections.abc import Callable

import pytest

from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.simulation.jobs import Result, Scenario, simulate

Outcome = Callable[..., Result]
Made = Callable[[str], Scenario]

ONE = """
[cluster]
cores = 8
[storage]
bandwidth = 100.0
[reconfiguration]
seconds = 2.0
per_rank = 0.5
[[jobs]]
name = "a"
ranks = 2
iterations = 10
time = { divided = 4.0 }
io_every = 5
io_bytes = 300
flops = 7.0
profile = [1, 2, 4, 8]
"""
TWO = (
    ONE
    + """
[[jobs]]
name = "b"
start = 1.0
ranks = 2
iterations = 10
time = { divided = 4.0 }
io_every = 5
io_bytes = 300
"""
)


class Once(Policy):
    """Resizes `a` one time, after its first phase."""

    def __init__(self, ranks: int, at: int | None = None, until: int | None = None) -> None:
        self.resize = Resize("a", ranks, "a test", at, until)
        self.done = False

    def decide(self, state: State, parameters: Parameters) -> list[Resize]:
        if self.done or state.now < 10:
            return []
        self.done = True
        return [self.resize]


def resizes(result: Result) -> list[tuple[float, int, int]]:
    return [(e["time"], e["iteration"], e["ranks"]) for e in result.events if e["event"] == "resized"]


def test_single_job_takes_its_compute_and_write_time(outcome: Outcome) -> None:
    result = outcome(ONE)
    assert result.makespan == pytest.approx(10 * 2 + 2 * 3)
    assert result.service == pytest.approx(6)
    assert (result.delay, result.job("a").phases, result.job("a").resizes) == (0, 2, 0)
    assert result.flops == pytest.approx(70 / 26)
    assert result.job("a").core_seconds == pytest.approx(2 * 26)


def test_exclusive_writers_wait_and_are_not_slowed_down(outcome: Outcome) -> None:
    together, apart = outcome(TWO), outcome(TWO, "blocking")
    # b begins 1 s later, when 200 bytes are left of a.
    assert together.service == pytest.approx(4 * 5)
    assert together.delay == 0
    assert apart.service == pytest.approx(4 * 3)
    assert apart.delay == pytest.approx(2)
    assert [job.wait for job in apart.jobs] == pytest.approx([0, 2])


def test_resize_happens_at_a_checkpoint_and_takes_its_time(scenario: Made) -> None:
    result = simulate(scenario(ONE + "checkpoint_every = 2\n"), "once", Once(4))
    # Iteration 5 and its phase are over at 13 s, iteration 6 at 15 s; the resize takes 2 s and twice 0.5 s.
    ((time, iteration, ranks),) = resizes(result)
    assert time == pytest.approx(18)
    assert (iteration, ranks) == (6, 4)
    assert result.makespan == pytest.approx(18 + 4 * 1 + 3)
    assert result.job("a").paused == pytest.approx(3)
    assert result.job("a").core_seconds == pytest.approx(2 * 18 + 4 * 7)


def test_lent_ranks_are_returned_at_their_iteration(scenario: Made) -> None:
    result = simulate(scenario(ONE), "once", Once(4, at=7, until=9))
    assert [(iteration, ranks) for _, iteration, ranks in resizes(result)] == [(7, 4), (9, 2)]
    assert result.makespan == pytest.approx(26 - 2 * 1 + 2 * 3)
    assert result.job("a").ranks == 2


def test_arriving_job_gets_cores_back_from_one_that_grew(scenario: Made) -> None:
    text = TWO.replace("start = 1.0\nranks = 2", "start = 20.0\nranks = 6").replace("ns = 10", "ns = 40")
    result = simulate(scenario(text), "once", Once(8))
    a, b = result.job("a"), result.job("b")
    assert [ranks for _, _, ranks in resizes(result)] == [8, 2]
    assert b.started is not None and b.submitted == 20
    assert b.started == pytest.approx(resizes(result)[1][0])
    assert a.ended is not None and a.ended > b.started


def test_job_that_does_not_fit_waits_and_is_not_overtaken(outcome: Outcome) -> None:
    text = TWO.replace("start = 1.0\nranks = 2", "start = 1.0\nranks = 7")
    third = text.split("[[jobs]]")[1].replace('"a"', '"c"').replace("ranks = 2", "start = 2.0\nranks = 1")
    result = outcome(text + "[[jobs]]" + third)
    first = result.job("a").ended
    assert result.job("b").started == first
    assert result.job("c").started == first
    assert result.queued == pytest.approx(2 * (first or 0) - 3)


def test_messages_to_a_job_arrive_with_latency(scenario: Made) -> None:
    late = scenario("latency = 0.25\n" + ONE)
    result = simulate(late, "once", Once(4))
    assert result.job("a").started == 0.25
    assert result.delay == pytest.approx(0.5)  # two grants
    told = next(event for event in result.events if event["event"] == "told")
    assert resizes(result)[0][0] >= told["time"]


def test_simulation_ends_at_the_given_time_and_counts_finished_work(outcome: Outcome) -> None:
    result = outcome("until = 14.0\n" + ONE)
    assert (result.makespan, result.job("a").ended, result.job("a").phases) == (14, None, 1)
    assert result.flops == pytest.approx(5 * 7 / 14)
    assert result.job("a").core_seconds == pytest.approx(28)
    assert result.document()["unfinished"] == 1


def test_measured_times_are_interpolated(outcome: Outcome) -> None:
    measured = ONE.replace("time = { divided = 4.0 }", "times = [[1, 4.0], [4, 1.0]]")
    assert outcome(measured).makespan == pytest.approx(10 * 2 + 6)


def test_noise_is_the_same_under_every_policy(outcome: Outcome) -> None:
    noisy = ONE + "noise = 0.2\n"
    assert outcome(noisy).makespan == outcome(noisy, "blocking").makespan != outcome(ONE).makespan


def test_predictions_are_exact_without_noise(outcome: Outcome) -> None:
    long = ONE.replace("iterations = 10", "iterations = 100")
    exact, noisy = outcome(long), outcome(long + "noise = 0.1\n")
    assert len(exact.job("a").foretold) == 20 - 3
    assert max(each.error for each in exact.job("a").foretold) < 1e-6
    assert max(each.error for each in noisy.job("a").foretold) > 0.1
    found = noisy.document()["prediction"]
    assert 0 < found["mean_error_share"] < found["greatest_error_share"] < 0.2


def test_job_without_profile_is_not_resized_by_speedup(outcome: Outcome) -> None:
    long = ONE.replace("iterations = 10", "iterations = 100")
    assert outcome(long, "fair").job("a").resizes >= 1
    assert outcome(long.replace("profile = [1, 2, 4, 8]", ""), "speedup").job("a").resizes == 0
    assert outcome(long, "speedup").job("a").ranks == 8
