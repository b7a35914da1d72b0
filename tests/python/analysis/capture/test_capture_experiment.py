# SPDX-License-Identifier: BSD-3-Clause
"""The experiment has the stages of the application, lasts as long, and says what it is not sure of."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from calls_of import Call, write, write_all
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.analysis.capture import Captured, NoPatternError, Wishes, capture, read_traces, text_of
from nereus.config import Experiment, load

CG = [
    Call("Allgatherv", 5e-6, 40e-6, 64_000),
    Call("Allreduce", 1e-3, 20e-6),
    Call("Allreduce", 50e-6, 30e-6),
]
HALO = [
    Call("Irecv", 300e-6, 1e-6),
    *[Call("Isend", 0.1e-6, 2e-6, 4000)] * 4,
    Call("Waitall", 0.1e-6, 90e-6, 0),
]
WISHES = Wishes("captured")


def captured(of_ranks: Sequence[Sequence[Call]], wishes: Wishes = WISHES) -> Captured:
    with TemporaryDirectory() as folder:
        return capture(read_traces(write_all(Path(folder), of_ranks)), wishes)


def seconds_of(experiment: Experiment, rank: int = 0) -> float:
    """How long a rank is busy with all stages."""
    weights = experiment.weights
    return sum(
        phase.iterations
        * stage.time
        * (weights[rank % len(weights)] if stage.type in ("pi", "matrix") else 1)
        for phase in experiment.phases
        for stage in phase.stages
    )


def test_conjugate_gradient_is_captured_with_its_stages() -> None:
    found = captured([CG * 200] * 2)
    (phase,) = found.experiment.phases[:1]
    assert phase.iterations == 200
    stages = [(stage.type, stage.bytes) for stage in phase.stages]
    assert stages == [("allgather", 64_000), ("pi", 0), ("allreduce", 8), ("pi", 0), ("allreduce", 8)]
    assert found.calls_covered == 1.0
    assert found.warnings == []


def test_neighbour_messages_become_one_p2p_stage() -> None:
    phase = captured([HALO * 100] * 4).experiment.phases[0]
    assert [(stage.type, stage.bytes) for stage in phase.stages] == [("pi", 0), ("p2p", 16_000)]


def test_computation_during_nonblocking_messages_stays_between_begin_and_wait() -> None:
    iteration = [Call("Isend", 1e-6, 1e-6, 4000), Call("Wait", 500e-6, 5e-6, 0), Call("Allreduce", 200e-6)]
    phase = captured([iteration * 50] * 2).experiment.phases[0]
    assert [stage.type for stage in phase.stages] == ["ip2p", "pi", "wait", "pi", "allreduce"]
    assert phase.stages[0].id == phase.stages[2].id


def test_file_writes_become_stages_with_their_bytes() -> None:
    iteration = [Call("File_write_at_all", 1e-3, 2e-3, 10**6), Call("Allreduce", 1e-3)]
    phase = captured([iteration * 20] * 2).experiment.phases[0]
    assert ("write", 10**6) in [(stage.type, stage.bytes) for stage in phase.stages]


def test_checkpoint_of_every_tenth_iteration_is_captured() -> None:
    written = Call("File_write_all", 1e-4, 5e-3, 4096)
    found = captured([(CG * 10 + [written]) * 30] * 2)
    writes = [(p.iterations, s.bytes) for p in found.experiment.phases for s in p.stages if s.type == "write"]
    assert writes == [(30, 4096)]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0, 1e-2), st.floats(1e-6, 1e-3)), min_size=1, max_size=6),
    st.integers(10, 50),
    st.floats(0.5, 2.0),
)
def test_experiment_lasts_as_long_as_application(
    times: list[tuple[float, float]], iterations: int, load: float
) -> None:
    """On the rank that computes most; others wait for it."""
    of_ranks = []
    for factor in (1.0, load):
        iteration = [
            Call("Allreduce", factor * computed, in_call + (max(1.0, load) - factor) * computed, 8 * at)
            for at, (computed, in_call) in enumerate(times)
        ]
        of_ranks.append(iteration * iterations)
    found = captured(of_ranks)
    noted = 1e-7 * len(times) * iterations
    assert seconds_of(found.experiment, found.reference) == pytest.approx(
        found.seconds - noted, rel=0.01, abs=1e-6
    )


def test_ranks_that_compute_more_get_higher_weights() -> None:
    heavy = [Call("Allreduce", 2e-3, 10e-6)] * 50
    light = [Call("Allreduce", 1e-3, 1.01e-3)] * 50
    found = captured([light, heavy])
    assert found.weights == pytest.approx([2 / 3, 4 / 3], rel=1e-3)
    assert found.reference == 1


def test_time_lost_to_other_processes_is_not_emulated() -> None:
    calls = [Call("Allreduce", 1e-3, 10e-6, idle=1e-3)] * 50
    assert seconds_of(captured([calls, calls]).experiment) == pytest.approx(50 * 1.01e-3, rel=0.01)


def test_iteration_time_excludes_iterations_disturbed_by_other_processes() -> None:
    """Also where the others of the program waited longer than was lost."""
    quiet, disturbed = Call("Allreduce", 1e-3, 10e-6), Call("Allreduce", 1e-3, 5e-3, idle=2e-3)
    calls = ([quiet] * 4 + [disturbed]) * 20
    assert seconds_of(captured([calls, calls]).experiment) == pytest.approx(100 * 1.01e-3, rel=0.01)


def test_disturbed_long_iterations_are_not_replaced_by_short_ones() -> None:
    """A tenth are twenty times as long, and each of them loses a little to others."""
    short, long = Call("Allreduce", 1e-3, 10e-6), Call("Allreduce", 20e-3, 10e-6, idle=0.2e-3)
    calls = ([short] * 9 + [long]) * 20
    found = captured([calls, calls])
    assert seconds_of(found.experiment) == pytest.approx(20 * (9 * 1.01e-3 + 20.01e-3), rel=0.01)


def test_disturbed_short_iterations_are_not_replaced_by_long_ones() -> None:
    short, long = Call("Allreduce", 1e-3, 10e-6, idle=0.5e-3), Call("Allreduce", 20e-3, 10e-6)
    calls = ([short] * 5 + [long] * 5) * 20
    found = captured([calls, calls])
    assert seconds_of(found.experiment) == pytest.approx(100 * (1.01e-3 + 20.01e-3), rel=0.01)


def test_single_disturbed_outlier_iteration_counts_as_a_usual_one() -> None:
    usual, taken = Call("Allreduce", 1e-3, 10e-6), Call("Allreduce", 8e-3, 10e-6, idle=5e-3)
    calls = [usual] * 50 + [taken] + [usual] * 50
    assert seconds_of(captured([calls, calls]).experiment) == pytest.approx(101 * 1.01e-3, rel=0.01)


def test_calls_without_emulated_counterpart_are_reported() -> None:
    found = captured([[Call("Alltoall", 1e-3, 1e-4, 800), Call("Barrier", 1e-3, 1e-5, 0)] * 20] * 2)
    assert [stage.type for stage in found.experiment.phases[0].stages] == [
        "pi",
        "allgather",
        "pi",
        "allreduce",
    ]
    assert [line.split()[0] for line in found.warnings] == ["MPI_Alltoall", "MPI_Barrier"]


def random_calls(number: int) -> list[Call]:
    return [Call(f"Bcast{at * 7919 % 101}-{at}") for at in range(number)]


def test_calls_without_repetition_are_refused_with_best_pattern_found() -> None:
    with pytest.raises(NoPatternError, match="nothing occurs three times in a row"):
        captured([random_calls(300)])
    few = random_calls(300) + CG * 5
    with pytest.raises(
        NoPatternError, match=r"a pattern of 3 calls, 5 times; patterns are 4.76 % of the 315 calls"
    ):
        captured([few])
    assert captured([few], Wishes("forced", force=True)).experiment.name == "forced"


@pytest.mark.parametrize("kept", [300, 301, 302])
def test_calls_beyond_trace_limit_count_as_iterations(tmp_path: Path, kept: int) -> None:
    """Wherever in an iteration the last call that was kept stands."""
    write(tmp_path, (CG * 101)[:kept], made=3 * 250)
    found = capture(read_traces(tmp_path), WISHES)
    assert [phase.iterations for phase in found.experiment.phases] == [250]
    assert f"the first {kept} of 750 calls" in found.warnings[0]
    assert "count as iterations" in found.warnings[0]


@pytest.mark.parametrize("rounds", [5, 30])
@pytest.mark.parametrize("behind", [1, 3, 4, 5])
def test_trace_cut_inside_checkpoint_still_counts_later_iterations(
    tmp_path: Path, rounds: int, behind: int
) -> None:
    step, checkpoint = [Call("Allreduce")] * 100, [Call("Barrier"), Call("Bcast"), Call("File_write_all")]
    kept = 103 * rounds + 100 + behind
    write(tmp_path, ((step + checkpoint) * (rounds + 2))[:kept], made=2 * 103 * rounds)
    found = capture(read_traces(tmp_path), WISHES)
    iterations = [phase.iterations for phase in found.experiment.phases]
    expected = 2 * 100 * rounds
    assert max(iterations[0], sum(iterations)) == pytest.approx(expected, rel=0.04)
    assert "count as iterations" in found.warnings[0]


def test_calls_cut_off_after_last_pattern_are_reported_missing(tmp_path: Path) -> None:
    write(tmp_path, CG * 100 + random_calls(20), made=3 * 250)
    found = capture(read_traces(tmp_path), WISHES)
    assert found.experiment.phases[0].iterations == 100
    assert "are not in the experiment" in found.warnings[0]


def test_weights_of_ranks_cut_off_at_different_times_cover_the_same_period(tmp_path: Path) -> None:
    """One that makes four calls in an iteration where the other makes one."""
    write(tmp_path, [Call("Allreduce", 1e-3)] * 1000, 0, 2, made=4000)
    write(tmp_path, [*[Call("Send", 0.25e-3, 0)] * 3, Call("Allreduce", 0.25e-3)] * 250, 1, 2, made=16000)
    found = capture(read_traces(tmp_path), WISHES)
    assert found.weights == [1.0]
    assert found.agreeing == 2


def test_program_without_calls_is_refused_even_with_force(tmp_path: Path) -> None:
    write(tmp_path, [], seconds=1.0)
    with pytest.raises(NoPatternError, match="nothing occurs three times in a row"):
        capture(read_traces(tmp_path), Wishes("forced", force=True))


@pytest.mark.parametrize(
    ("call", "stage"), [("Iallreduce", "allreduce"), ("Ibarrier", "allreduce"), ("File_iwrite_at", "write")]
)
def test_nonblocking_call_gets_the_time_of_its_wait(call: str, stage: str) -> None:
    iteration = [Call(call, 1e-3, 1e-6), Call("Wait", 1e-3, 400e-6, 0)]
    phase = captured([iteration * 50] * 2).experiment.phases[0]
    assert [each.type for each in phase.stages] == ["pi", stage, "pi"]
    assert phase.stages[1].time == pytest.approx(401e-6, rel=0.01)


@pytest.mark.parametrize("call", ["Compare_and_swap", "Rget_accumulate"])
def test_one_sided_calls_become_p2p_stages_with_their_bytes(call: str) -> None:
    phase = captured([[Call(call, 1e-3, 5e-6, 4000), Call("Bcast", 1e-3)] * 50] * 2).experiment.phases[0]
    assert [(each.type, each.bytes) for each in phase.stages][:2] == [("pi", 0), ("p2p", 4000)]


def test_program_with_little_to_emulate_is_refused(tmp_path: Path) -> None:
    """Its calls repeat while they are kept, and most of its time comes behind them."""
    write(tmp_path, CG * 100 + random_calls(20), made=10**6, seconds=100.0)
    with pytest.raises(NoPatternError, match=r"stand for 0.12 % of the 100 s .* were not kept .* --force"):
        capture(read_traces(tmp_path), WISHES)
    forced = capture(read_traces(tmp_path), Wishes("forced", force=True))
    assert "the experiment stands for 0.12 % of the 100 s that the program took" in forced.warnings


def test_share_of_program_missing_from_experiment_is_reported(tmp_path: Path) -> None:
    write(tmp_path, CG * 100, seconds=sum(call.computed + call.in_call for call in CG) * 130)
    found = capture(read_traces(tmp_path), WISHES)
    assert any(line.startswith("the experiment stands for 76.9 % of the 149 ms") for line in found.warnings)


def test_emulation_time_is_reported_with_bounds_for_shared_cores(tmp_path: Path) -> None:
    calls = [Call("Allreduce", 1e-3, 10e-6, idle=1e-3)] * 50
    found = captured([calls, calls])
    assert found.emulation_seconds == pytest.approx((0.0505, 0.1005), rel=0.01)
    told = found.document()["emulation_seconds"]
    assert (told["least"], told["most"]) == found.emulation_seconds
    assert any(line.startswith("for 50.0 ms of 101 ms ranks waited for a core") for line in found.warnings)


def test_tracing_overhead_of_short_iterations_is_not_reported_as_missing(tmp_path: Path) -> None:
    """Noting takes more than half of the time."""
    write(tmp_path, [Call("Allreduce", 1e-6, 1e-6)] * 1000, look_nanoseconds=600)
    assert capture(read_traces(tmp_path), WISHES).warnings == []


def test_file_of_an_experiment_can_be_read_whatever_the_command_was(tmp_path: Path) -> None:
    found = captured([CG * 200] * 2)
    file = tmp_path / "e.toml"
    file.write_text(text_of(found, ["mpiexec", "cg\nranks = 3", "a b"]))
    first, *_ = file.read_text().splitlines()
    assert first == "# Captured from: mpiexec 'cg\\nranks = 3' 'a b'"
    assert "Which data it keeps is not known" in file.read_text()
    assert load(file).experiment.groups == found.experiment.groups
