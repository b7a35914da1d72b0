# SPDX-License-Identifier: BSD-3-Clause
"""With NEREUS_SLURM_GROWTH=expand hosts that come become those of the first job."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from a_slurm import until
from a_stand import FIRST, MORE, SlurmStand, stand_of

from nereus.allocation import AllocationError, EventKind, GrowthState, Wish
from nereus.allocation.slurm import slurm_job

BUSY = "Job update not available right now, the DB index is being set, try again in a bit"


@pytest.fixture
def expanding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmStand]:
    with stand_of("slurm-expand", tmp_path, monkeypatch) as stand:
        assert isinstance(stand, SlurmStand)
        yield stand


def test_hosts_that_come_are_the_first_jobs(expanding: SlurmStand) -> None:
    growth = expanding.allocation.grow(Wish(2))
    expanding.turn_until(GrowthState.USABLE, growth)
    assert expanding.slurm.nodes_of_first() == [*FIRST, *(host.name for host in growth.hosts)]
    until(lambda: not expanding.slurm.salloc_processes())
    number = expanding.first["SLURM_JOB_ID"]
    file = Path(expanding.allocation.environment["NEREUS_SLURM_HOSTS"])
    assert {line.split()[1] for line in file.read_text().splitlines()} == {number}


def test_host_that_comes_back_too_soon_is_tried_again(expanding: SlurmStand) -> None:
    growth = expanding.allocation.grow(Wish(1))
    text = "Task launch for StepId=1.5 failed on node n3: Job credential revoked"
    expanding.slurm.refuse("srun", text, times=2)
    expanding.turn_until(GrowthState.USABLE, growth)
    assert len([call for call in expanding.slurm.calls("srun") if call]) >= 3


def test_expansion_is_repeated_while_slurm_is_not_ready_for_it(expanding: SlurmStand) -> None:
    growth = expanding.allocation.grow(Wish(1))
    expanding.slurm.refuse("scontrol update", BUSY, times=2)
    expanding.turn_until(GrowthState.USABLE, growth)
    assert len(expanding.slurm.nodes_of_first()) == len(FIRST) + 1


def test_slurm_that_allows_no_expansion_refuses_for_good(expanding: SlurmStand) -> None:
    expanding.slurm.allow_expansion(False)
    growth = expanding.allocation.grow(Wish(1))
    expanding.turn_until(GrowthState.FAILED, growth)
    assert growth.never
    assert "not supported on this system" in growth.reason


def test_expansion_that_slurm_loses_without_a_word_fails(expanding: SlurmStand) -> None:
    expanding.slurm.allow_expansion(True, loses=True)
    growth = expanding.allocation.grow(Wish(1))
    expanding.turn_until(GrowthState.FAILED, growth)
    assert "did not become a host of the job" in growth.reason
    assert (growth.never, expanding.names) == (False, FIRST)


def test_expansion_that_is_cancelled_in_its_last_moment_is_undone(expanding: SlurmStand) -> None:
    growth = expanding.allocation.grow(Wish(1))

    def has_given_its_hosts_away() -> bool:
        expanding.turn()
        return len(expanding.slurm.nodes_of_first()) > len(FIRST)

    expanding.slurm.hang(f"squeue --noheader --jobs {expanding.first['SLURM_JOB_ID']} --format=%N")
    until(has_given_its_hosts_away)
    expanding.allocation.cancel(growth)
    expanding.turn_until_nothing_is_left()
    expanding.turn_until_idle(*MORE)
    assert expanding.events == []


def test_node_that_is_down_is_told_and_dropped(expanding: SlurmStand) -> None:
    growth = expanding.allocation.grow(Wish(2))
    expanding.turn_until(GrowthState.USABLE, growth)
    lost, kept = (host.name for host in growth.hosts)
    expanding.slurm.mark_down(lost)
    expanding.clock.ahead += 60.0
    event = expanding.turn_until_told()
    assert (event.kind, event.hosts) == (EventKind.HOST_LOST, (lost,))
    assert "marked it down (Not responding)" in event.reason
    assert expanding.names == (*FIRST, kept)


def test_unknown_way_to_grow_is_refused_by_name() -> None:
    known = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_CPUS_PER_NODE": "2"}
    with pytest.raises(
        AllocationError, match="NEREUS_SLURM_GROWTH = widen: allowed are second-job and expand"
    ):
        slurm_job(known | {"NEREUS_SLURM_GROWTH": "widen"})
