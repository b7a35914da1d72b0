# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs are submitted beside the first, and what becomes of those that Flux does not grant."""

from typing import Any

import pytest
from a_slurm import until
from a_stand import FIRST, MORE, FluxStand

from nereus.allocation import AllocationError, Growth, GrowthState, Wish
from nereus.allocation.flux import flux as manager_in

CLOSED = "flux-job: job submission is disabled: maintenance"


def reopened(stand: FluxStand, **first: Any) -> None:
    """The allocation of another first job."""
    stand.allocation.close()
    stand.flux.end_first()
    stand.allocation = stand.open(stand.flux.first_job(*FIRST, **first))


def grown(stand: FluxStand, wish: Wish) -> Growth:
    growth = stand.allocation.grow(wish)
    stand.turn_until(GrowthState.USABLE, growth)
    return growth


def failed(stand: FluxStand, wish: Wish) -> tuple[str, bool]:
    """Why a growth failed that left nothing behind, and whether it can never be granted."""
    growth = stand.allocation.grow(wish)
    stand.turn_until(GrowthState.FAILED, growth)
    stand.turn_until_nothing_is_left()
    assert stand.names == FIRST
    return growth.reason, growth.never


def test_each_host_is_a_job_of_its_own_with_the_limits_of_the_first(in_flux: FluxStand) -> None:
    reopened(in_flux, queue="main", bank="physics", project="p", left=754)
    try:
        grown(in_flux, Wish(2, slots=2))
    finally:
        in_flux.allocation.close()
    specs = in_flux.flux.jobspecs()
    systems = [spec["attributes"]["system"] for spec in specs]
    names = {system["job"]["name"] for system in systems}
    assert names == {f"nereus-0123456789abcdef-{number}" for number in (1, 2)}
    for spec, system in zip(specs, systems, strict=True):
        assert (system["queue"], system["bank"], system["project"]) == ("main", "physics", "p")
        assert system["duration"] == 754
        [node] = spec["resources"]
        assert (node["count"], node["exclusive"], node["with"][0]["count"]) == (1, True, 2)


def test_growth_of_a_job_without_time_limit_has_none(in_flux: FluxStand) -> None:
    reopened(in_flux, left=2**32 - 1)
    try:
        grown(in_flux, Wish(1))
    finally:
        in_flux.allocation.close()
    [spec] = in_flux.flux.jobspecs()
    assert spec["attributes"]["system"]["duration"] == 0


def test_processes_of_several_cores_get_as_many_on_new_hosts(in_flux: FluxStand) -> None:
    reopened(in_flux, cores_each=2)
    try:
        growth = grown(in_flux, Wish(1))
    finally:
        in_flux.allocation.close()
    assert [host.slots for host in growth.hosts] == [1]


def test_job_without_time_left_does_not_grow(in_flux: FluxStand) -> None:
    reopened(in_flux, left=0)
    try:
        reason, never = failed(in_flux, Wish(1))
    finally:
        in_flux.allocation.close()
    assert ("no time is left" in reason, never, in_flux.flux.jobspecs()) == (True, True, [])


def test_growth_waits_for_a_later_time_where_flux_does_not_tell_of_the_first_job(in_flux: FluxStand) -> None:
    in_flux.flux.refuse("job timeleft", "flux-job: Operation not permitted")
    reason, never = failed(in_flux, Wish(1))
    assert ("Operation not permitted" in reason, never, in_flux.flux.jobspecs()) == (True, False, [])


@pytest.mark.parametrize(("wish", "said"), [(Wish(4), "5 hosts, 2 of them"), (Wish(names=("n9",)), "n9")])
def test_hosts_that_there_are_not_are_never_asked_for(in_flux: FluxStand, wish: Wish, said: str) -> None:
    reason, never = failed(in_flux, wish)
    assert (said in reason, never, in_flux.flux.jobspecs()) == (True, True, [])


def test_hosts_of_the_queue_are_counted(in_flux: FluxStand) -> None:
    reopened(in_flux, queue="main")
    in_flux.flux.refuse("resource", "flux-resource: ERROR: No such queue: main")
    try:
        reason, never = failed(in_flux, Wish(2))
    finally:
        in_flux.allocation.close()
    assert ("does not tell of its queue main" in reason, never) == (True, False)


@pytest.mark.parametrize(
    ("error", "never"),
    [("flux-job: 'x' is not a valid queue", True), (CLOSED, False)],
)
def test_refusal_of_a_job_is_told_with_its_words(in_flux: FluxStand, error: str, never: bool) -> None:
    in_flux.flux.refuse("job submit", error)
    said = error.removeprefix("flux-job: ")
    assert failed(in_flux, Wish(1)) == (f"Flux grants no more hosts: {said}", never)


def test_growth_goes_on_when_flux_is_back(in_flux: FluxStand) -> None:
    in_flux.flux.refuse("job submit", "flux-job: flux_open: Connection refused", times=1)
    grown(in_flux, Wish(1))


def test_growth_that_was_granted_in_part_leaves_nothing_behind(in_flux: FluxStand) -> None:
    in_flux.flux.occupy(*MORE[:2])
    growth = in_flux.allocation.grow(Wish(2, patience=100.0))

    def is_half_granted() -> bool:
        in_flux.turn()
        return growth.reason == "1 of 2 hosts are granted"

    until(is_half_granted)
    assert (growth.state, growth.hosts) == (GrowthState.REQUESTED, ())
    in_flux.clock.ahead = 101.0
    in_flux.turn_until(GrowthState.FAILED, growth)
    assert (growth.reason, growth.never) == ("Flux granted 1 of 2 hosts within 100 s", False)
    in_flux.turn_until_nothing_is_left()
    assert in_flux.idle() == [MORE[2]]


def test_growth_cancelled_by_somebody_in_the_queue_fails_for_now(in_flux: FluxStand) -> None:
    in_flux.flux.occupy()
    growth = in_flux.allocation.grow(Wish(1))

    def is_queued() -> bool:
        in_flux.turn()
        return bool(in_flux.flux.jobs("PENDING"))

    until(is_queued)
    in_flux.flux.cancel("not today")
    in_flux.turn_until(GrowthState.FAILED, growth)
    assert (growth.reason, growth.never) == ("Flux grants no more hosts: cancel: not today", False)
    in_flux.turn_until_nothing_is_left()


def test_missing_flux_is_told(in_flux: FluxStand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    reason, never = failed(in_flux, Wish(1))
    assert ("flux: No such file" in reason, never) == (True, False)


def test_answer_that_cannot_be_read_is_no_host(in_flux: FluxStand) -> None:
    flux = in_flux.flux.programs / "flux"
    real = flux.read_text().splitlines()[1]
    flux.write_text(f'#!/bin/sh\nif [ "$2" = submit ]; then echo what?; exit; fi\n{real}\n')
    reason, never = failed(in_flux, Wish(1))
    assert ("flux job submit: 'what?'" in reason, never) == (True, True)


def test_host_with_fewer_slots_than_were_asked_for_is_given_back(in_flux: FluxStand) -> None:
    # As flux-core's own scheduler does it: it counts no cores where a node is asked for whole.
    flux = in_flux.flux.programs / "flux"
    real = flux.read_text().splitlines()[1]
    flux.write_text(f"""#!/bin/sh
if [ "$2" = submit ]; then sed 's/"count": 3, "label"/"count": 2, "label"/' | {real}; else {real}; fi
""")
    reason, never = failed(in_flux, Wish(1, slots=3))
    assert ("has 2 slots, and 3 are needed" in reason, never) == (True, True)


def test_hosts_that_the_job_left_but_flux_kept_come_back_first(in_flux: FluxStand) -> None:
    in_flux.allocation.release([FIRST[1]])
    in_flux.turn()
    assert in_flux.names == FIRST[:1]
    growth = grown(in_flux, Wish(2))
    assert growth.hosts[0].name == FIRST[1]
    assert len(in_flux.flux.jobspecs()) == 1


def test_host_that_the_job_left_comes_back_by_its_name(in_flux: FluxStand) -> None:
    in_flux.allocation.release([FIRST[1]])
    growth = grown(in_flux, Wish(names=(FIRST[1],)))
    assert (growth.hosts[0].name, in_flux.names, in_flux.flux.jobspecs()) == (FIRST[1], FIRST, [])


def test_instance_that_no_flux_started_cannot_grow(in_flux: FluxStand) -> None:
    manager = manager_in({"FLUX_URI": in_flux.flux.first_job("n1")["FLUX_URI"]})
    assert manager is not None
    folder = in_flux.folder / "top"
    folder.mkdir()
    allocation = manager.open("fedcba9876543210", folder)
    with pytest.raises(AllocationError, match="no others can be had"):
        allocation.grow(Wish(1))
    allocation.close()
