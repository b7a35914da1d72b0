# SPDX-License-Identifier: BSD-3-Clause
"""The job of Flux that we run in: a job, an instance of its own, or an instance that no Flux started."""

import pytest
from a_flux import FakeFlux
from flux_programs import INNER, OUTER

from nereus.allocation import AllocationError, resource_manager
from nereus.allocation.flux import flux as manager_in
from nereus.allocation.flux import flux_job, reach_of
from nereus.launch.hosts import Host

HOSTS = (Host("n1", 2), Host("n2", 2))


def test_job_has_its_own_hosts(flux: FakeFlux) -> None:
    job = flux_job(flux.first_job("n1", "n2"))
    assert job is not None
    assert (job.hosts, job.uri, job.known) == (HOSTS, OUTER, ("n1", "n2", "n3", "n4"))
    assert reach_of(job).grows


def test_hosts_are_called_by_their_job_and_a_number(flux: FakeFlux) -> None:
    job = flux_job(flux.first_job("n1", "n2"))
    top = flux_job({"FLUX_URI": OUTER})
    assert job is not None and top is not None
    assert job.lines == f"n1 {job.id} 0\nn2 {job.id} 1\n"
    assert top.lines.splitlines()[2] == "n3 - 2"


def test_instance_grows_in_its_parent(flux: FakeFlux) -> None:
    outside = flux_job(flux.first_job("n1", "n2"))
    inside = flux_job(flux.first_instance("n1", "n2"))
    assert inside == outside


def test_processes_of_several_cores_get_as_many(flux: FakeFlux) -> None:
    job = flux_job(flux.first_job("n3", "n4", cores_each=2))
    assert job is not None
    assert job.hosts == (Host("n3", 1), Host("n4", 2))


def test_instance_that_no_flux_started_has_all_hosts_and_no_others(flux: FakeFlux) -> None:
    manager = manager_in({"FLUX_URI": OUTER})
    assert manager is not None
    assert [host.name for host in manager.reach.hosts] == ["n1", "n2", "n3", "n4"]
    assert not manager.reach.grows


def test_there_is_no_job_outside_of_flux(flux: FakeFlux) -> None:
    assert flux_job({}) is None
    assert manager_in({"FLUX_JOB_ID": "f1"}) is None
    assert flux.calls("") == []


def test_flux_without_its_command_is_none(flux: FakeFlux, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = flux.first_job("n1")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert manager_in(environment) is None


@pytest.mark.parametrize("command", ["job info", "getattr"])
def test_flux_that_refuses_to_tell_is_named(flux: FakeFlux, command: str) -> None:
    environment = flux.first_job("n1")
    flux.refuse(command, "flux-x: Operation not permitted")
    with pytest.raises(AllocationError, match=r"does not tell of the job.*Operation not permitted"):
        flux_job(environment)


def test_flux_that_has_gone_is_named(flux: FakeFlux) -> None:
    with pytest.raises(AllocationError, match="flux_open: No such file"):
        flux_job({"FLUX_URI": "local:///gone"})


def test_flux_that_does_not_answer_is_named(flux: FakeFlux, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nereus.allocation.flux.first_job._WITHIN", 0.2)
    environment = flux.first_job("n1")
    flux.hang()
    with pytest.raises(AllocationError, match="did not answer in time"):
        flux_job(environment)


def test_answer_that_cannot_be_read_is_named(flux: FakeFlux) -> None:
    environment = flux.first_job("n1")
    (flux.programs / "flux").write_text("#!/bin/sh\necho what\n")
    with pytest.raises(AllocationError, match=r"resources of the Flux job .* cannot be read"):
        flux_job(environment)


@pytest.mark.parametrize(("hosts", "rsh"), [("n9:1", None), ("", "ssh")])
def test_what_a_user_names_counts_more_than_flux(
    flux: FakeFlux, monkeypatch: pytest.MonkeyPatch, hosts: str, rsh: str | None
) -> None:
    for name, value in flux.first_job("n1").items():
        monkeypatch.setenv(name, value)
    assert resource_manager(hosts, rsh).kind == "static"
    assert resource_manager("", None).kind == "flux"


def test_flux_in_a_job_of_slurm_is_asked_first(flux: FakeFlux, monkeypatch: pytest.MonkeyPatch) -> None:
    flux.first_job("n1", "n2")
    monkeypatch.setenv("FLUX_URI", INNER)
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert resource_manager("", None).reach.hosts == HOSTS
