# SPDX-License-Identifier: BSD-3-Clause
"""A user tells real jobs from one another by names, and resizes them by these."""

from typing import Any

from faulty_application import HungError, repeated_where_open_mpi_hangs, running


def must_be_resized(site: Any, name: str, ranks: int, told: str) -> None:
    """As by somebody who knows the job's name alone."""
    resized = site.nereus("resize", name, str(ranks))
    if "NEREUS_ERR_TIMEOUT" in resized.err:
        raise HungError(resized.err)
    assert resized.code == 0, resized.err
    assert resized.out.startswith(told)


@repeated_where_open_mpi_hangs
def test_job_is_listed_and_resized_by_its_given_name(site: Any, mpi: str) -> None:
    with running(site, mpi, "--name", "mine") as application:
        key = application.control_socket.stem
        (job,) = site.nereus("jobs", "--json").document["jobs"]
        assert (job["job"], job["name"], job["ranks"]) == (key, "mine", 2)
        table = site.nereus("jobs").out
        assert "\nmine " in table and key not in table
        must_be_resized(site, "mine", 3, "resized 2 → 3 ranks: ")
        application.wait(lambda: application.state()["ranks"] == 3)
        application.must_end_well()


def test_job_is_named_after_its_program_and_the_name_is_unique(site: Any, mpich: str) -> None:
    with running(site, mpich) as application:
        must_be_resized(site, "resizable-1", 1, "resized 2 → 1 ranks: ")
        program = site.program(mpich, "resizable")
        refused = site.nereus("run", "--mpi", mpich, "--name", "resizable-1", "--", program, site.folder)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.splitlines() == [
            "nereus: --name = resizable-1: a job of yours that runs on this host has this name"
        ]
        application.must_end_well()
    assert not (site.folder / "events").exists(), "it was started"
    assert site.nereus("resize", "resizable-1", "2").code == 2
