# SPDX-License-Identifier: BSD-3-Clause
"""Which job is asked for beside the first, and what becomes of one that Slurm does not grant."""

import pytest
from a_slurm import until
from a_stand import FIRST, SlurmStand

from nereus.allocation import GrowthState, Wish

LIMITED = {
    "time": "12:34",
    "partition": "main",
    "account": "physics",
    "qos": "high",
    "reservation": "friday",
    "constraint": "fast",
    "gres": "gpu:2",
}


def options_of_salloc(stand: SlurmStand) -> list[str]:
    """Of the only call, without the command that holds the job."""
    [words] = stand.slurm.calls("salloc")
    return words[: words.index("sh")]


def failed(stand: SlurmStand, wish: Wish) -> tuple[str, bool]:
    """Why a growth failed that left nothing behind, and whether it can never be granted."""
    growth = stand.allocation.grow(wish)
    stand.turn_until(GrowthState.FAILED, growth)
    stand.turn_until_nothing_is_left()
    assert stand.names == FIRST
    return growth.reason, growth.never


def is_queued(stand: SlurmStand) -> bool:
    stand.turn()
    return bool(stand.slurm.jobs("PENDING"))


@pytest.mark.parametrize("field", LIMITED)
def test_growth_has_the_limits_of_the_first_job(in_slurm: SlurmStand, field: str) -> None:
    in_slurm.allocation.close()
    allocation = in_slurm.open(in_slurm.slurm.first_job(*FIRST, **{field: LIMITED[field]}))
    in_slurm.allocation = allocation
    try:
        in_slurm.turn_until(GrowthState.USABLE, allocation.grow(Wish(1)))
    finally:
        allocation.close()
    assert f"--{field}={LIMITED[field]}" in options_of_salloc(in_slurm)


def test_growth_is_not_told_of_limits_that_the_first_job_has_not(in_slurm: SlurmStand) -> None:
    in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(Wish(1)))
    options = {word.partition("=")[0] for word in options_of_salloc(in_slurm)}
    usual = {"--time", "--partition", "--qos", "--job-name", "--nodes", "--ntasks-per-node", "--kill-command"}
    usual |= {"--comment"}
    assert options == usual | {"-Q"}


def test_growth_of_a_job_without_time_limit_has_none(in_slurm: SlurmStand) -> None:
    in_slurm.allocation.close()
    in_slurm.allocation = in_slurm.open(in_slurm.slurm.first_job(*FIRST, time="UNLIMITED"))
    try:
        in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(Wish(1)))
    finally:
        in_slurm.allocation.close()
    assert not [word for word in options_of_salloc(in_slurm) if word.startswith("--time")]


def test_processes_with_several_processors_get_as_many_on_new_hosts(in_slurm: SlurmStand) -> None:
    in_slurm.allocation.close()
    job = in_slurm.slurm.first_job(*FIRST) | {"SLURM_CPUS_PER_TASK": "2"}
    in_slurm.allocation = in_slurm.open(job)
    growth = in_slurm.allocation.grow(Wish(1))
    try:
        in_slurm.turn_until(GrowthState.USABLE, growth)
    finally:
        in_slurm.allocation.close()
    assert "--cpus-per-task=2" in options_of_salloc(in_slurm)
    assert [host.slots for host in growth.hosts] == [1]


def test_names_are_asked_for_as_nodes(in_slurm: SlurmStand) -> None:
    wish = Wish(names=("n4", "n3"), slots=2)
    in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(wish))
    assert {"--nodes=2", "--ntasks-per-node=2", "--nodelist=n4,n3"} <= set(options_of_salloc(in_slurm))


def test_jobs_of_growths_are_found_by_the_key_and_a_number(in_slurm: SlurmStand) -> None:
    for _ in range(2):
        in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(Wish(1)))
    names = [job["name"] for job in in_slurm.slurm.jobs("RUNNING")]
    assert names == ["nereus-0123456789abcdef-1", "nereus-0123456789abcdef-2"]


@pytest.mark.parametrize("left", ["0:00", "INVALID"])
def test_job_without_time_left_does_not_grow(in_slurm: SlurmStand, left: str) -> None:
    in_slurm.allocation.close()
    in_slurm.allocation = in_slurm.open(in_slurm.slurm.first_job(*FIRST, time=left))
    try:
        reason, never = failed(in_slurm, Wish(1))
    finally:
        in_slurm.allocation.close()
    assert ("no time is left" in reason, never) == (True, True)
    assert in_slurm.slurm.calls("salloc") == []


def test_growth_waits_for_a_later_time_where_slurm_does_not_tell_of_the_first_job(
    in_slurm: SlurmStand,
) -> None:
    in_slurm.slurm.refuse("squeue", "slurm_load_jobs error: Invalid job id specified")
    reason, never = failed(in_slurm, Wish(1))
    assert ("Invalid job id specified" in reason, never) == (True, False)
    assert in_slurm.slurm.calls("salloc") == []


def test_growth_goes_on_when_the_controller_is_back(in_slurm: SlurmStand) -> None:
    text = "squeue: error: Unable to contact slurm controller (connect failure)"
    in_slurm.slurm.refuse("squeue", f"slurm_load_jobs error: ...\n{text}", times=2)
    in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(Wish(1)))


@pytest.mark.parametrize(
    ("error", "never"),
    [
        ("Job submit/allocate failed: Invalid partition name specified", True),
        ("Job submit/allocate failed: Invalid node name specified", True),
        ("Unable to allocate resources: Requested nodes are busy", False),
    ],
)
def test_refusal_of_salloc_is_told_with_its_words(in_slurm: SlurmStand, error: str, never: bool) -> None:
    in_slurm.slurm.refuse("salloc", f"salloc: error: {error}")
    assert failed(in_slurm, Wish(1)) == (f"Slurm grants no more hosts: {error}", never)


@pytest.mark.parametrize("reason", ["PartitionNodeLimit", "PartitionConfig", "AssocMaxNodePerJobLimit"])
def test_growth_that_would_wait_for_ever_fails(in_slurm: SlurmStand, reason: str) -> None:
    in_slurm.slurm.wait_for(reason)
    assert failed(in_slurm, Wish(1)) == (f"Slurm will never grant these hosts: {reason}", True)


@pytest.mark.parametrize("reason", ["Resources", "Priority"])
def test_growth_waits_in_the_queue_and_says_for_what(in_slurm: SlurmStand, reason: str) -> None:
    in_slurm.slurm.wait_for(reason)
    growth = in_slurm.allocation.grow(Wish(1, patience=1000.0))

    def is_known() -> bool:
        in_slurm.clock.ahead += 0.1
        in_slurm.turn()
        return growth.reason == reason or growth.state.is_final

    until(lambda: is_queued(in_slurm))
    until(is_known)
    assert growth.state is GrowthState.REQUESTED
    in_slurm.clock.ahead += 1000.0
    in_slurm.turn_until(GrowthState.FAILED, growth)
    assert growth.reason == f"Slurm granted no hosts within 1000 s ({reason})"
    in_slurm.turn_until_nothing_is_left()


def test_growth_cancelled_by_somebody_in_the_queue_fails_for_now(in_slurm: SlurmStand) -> None:
    in_slurm.slurm.occupy()
    growth = in_slurm.allocation.grow(Wish(1))
    until(lambda: is_queued(in_slurm))
    in_slurm.slurm.cancel()
    in_slurm.turn_until(GrowthState.FAILED, growth)
    assert ("grants no more hosts" in growth.reason, growth.never) == (True, False)
    in_slurm.turn_until_nothing_is_left()


def test_missing_salloc_is_told(in_slurm: SlurmStand, monkeypatch: pytest.MonkeyPatch) -> None:
    (in_slurm.slurm.programs / "salloc").unlink()
    monkeypatch.setenv("PATH", str(in_slurm.slurm.programs))
    reason, never = failed(in_slurm, Wish(1))
    assert ("salloc" in reason and "No such file" in reason, never) == (True, True)


def test_answer_that_cannot_be_read_is_no_host(in_slurm: SlurmStand) -> None:
    salloc = in_slurm.slurm.programs / "salloc"
    salloc.write_text("#!/bin/sh\necho 'salloc: what?'; exec cat\n")
    reason, never = failed(in_slurm, Wish(1))
    assert ("its answer cannot be read" in reason, never) == (True, True)
