# SPDX-License-Identifier: BSD-3-Clause
"""Jobs with allocations of their own: their supervisors are told of hosts, within the daemon's budget."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from a_daemon import SocketlessDaemon, allocation, hello, message

from nereus.coordinator.known_jobs import Command
from nereus.daemon.executor import Out
from nereus.daemon.recovery import recovered_state
from nereus.daemon.state import HostLimits
from nereus.daemon.status import daemon_document, job_documents

A, B = "a" * 16, "b" * 16
GONE_BACK = -8


@pytest.fixture
def daemon() -> Iterator[SocketlessDaemon]:
    """Its policy gives all free cores to jobs; one host more there can be."""
    made = SocketlessDaemon("fair", HostLimits(1))
    yield made
    made.close()


def told(outs: Sequence[Out], to: str) -> list[dict[str, Any]]:
    """Commands for a job's root, `a`, or its supervisor, `sa`."""
    messages = [out.message for out in outs if out.to[1] == to.encode()]
    return [each for each in messages if each["kind"] in ("resize", "cancel")]


def comes(daemon: SocketlessDaemon, job: str = A, **keys: Any) -> list[Out]:
    """On one host with two slots."""
    return daemon.sent(hello(job, hosts=["h", "h"], **keys), job[:1].encode())


def says(daemon: SocketlessDaemon, job: str = A, **keys: Any) -> list[Out]:
    """Its supervisor."""
    return daemon.sent(allocation(job, **keys), b"s" + job[:1].encode())


def grows(daemon: SocketlessDaemon, job: str = A) -> int:
    """The command by which it is to have a host more, which its supervisor has heard."""
    comes(daemon, job)
    [command] = told(says(daemon, job), f"s{job[0]}")
    number: int = command["command"]
    says(daemon, job, heard=number)
    return number


def is_on(daemon: SocketlessDaemon, hosts: str, generation: int, job: str = A, **keys: Any) -> list[Out]:
    words = {"id": generation, "command": 0, "iteration": generation, "seconds": 0.5, "message": ""}
    frame = message("done", job, hosts=list(hosts), generation=generation, **{**words, **keys})
    return daemon.sent(frame, job[:1].encode())


def events(daemon: SocketlessDaemon, *kinds: str) -> list[dict[str, Any]]:
    return [each.document() for each in daemon.state.events.since(0, 1000) if each.kind in kinds]


def test_growth_is_a_command_to_the_supervisor(daemon: SocketlessDaemon) -> None:
    outs = [*comes(daemon), *says(daemon)]
    [command] = told(outs, "sa")
    assert (command["kind"], command["ranks"], command["more_hosts"]) == ("resize", 4, 1)
    assert command["why"]
    assert told(outs, "a") == []


def test_command_is_repeated_until_the_supervisor_has_heard_it(daemon: SocketlessDaemon) -> None:
    comes(daemon)
    [command] = told(says(daemon), "sa")
    assert told(daemon.look(0.5), "sa") == []
    assert told(daemon.look(0.6), "sa") == [command]
    says(daemon, heard=command["command"])
    assert told(daemon.look(2), "sa") == []


@pytest.mark.parametrize("root_first", [True, False])
def test_growth_is_done_when_the_root_says_on_which_hosts(daemon: SocketlessDaemon, root_first: bool) -> None:
    number = grows(daemon)
    outcome = {"command": number, "code": 1, "message": "", "ranks": 4}

    def supervisor_says() -> None:
        says(daemon, more_hosts=1, heard=number, outcomes=[outcome])

    if not root_first:
        supervisor_says()
        assert daemon.state.sessions[A].telling
    is_on(daemon, "hhii", 1)
    assert not daemon.state.sessions[A].telling
    supervisor_says()
    [resized] = events(daemon, "resized")
    assert (resized["ranks"], resized["by"], resized["command"]) == (4, "fair", number)
    assert [each["more_hosts"] for each in events(daemon, "hosts")] == [1]


def test_growth_to_fewer_ranks_is_done_too(daemon: SocketlessDaemon) -> None:
    number = grows(daemon)
    is_on(daemon, "hhi", 1)
    outcome = {"command": number, "code": 1, "message": "", "ranks": 3}
    says(daemon, more_hosts=1, heard=number, outcomes=[outcome])
    assert number not in daemon.state.sessions[A].telling
    assert daemon.state.coordinator.free == 0  # the fourth is on its way, by a command of its own


def test_growth_that_changed_nothing_is_done(daemon: SocketlessDaemon) -> None:
    number = grows(daemon)
    says(daemon, heard=number, outcomes=[{"command": number, "code": 4, "message": "", "ranks": 0}])
    assert number not in daemon.state.sessions[A].telling


def test_hosts_that_were_not_granted_go_to_another_job(daemon: SocketlessDaemon) -> None:
    number = grows(daemon)
    comes(daemon, B)
    assert told(says(daemon, B), "sb") == []
    text = "Slurm granted no hosts within 60 s (Resources)"
    outs = says(daemon, heard=number, outcomes=[{"command": number, "code": GONE_BACK, "message": text}])
    assert [command["ranks"] for command in told(outs, "sb")] == [4]
    [refused] = events(daemon, "refused")
    assert (refused["text"], refused["code"]) == (text, GONE_BACK)


def test_outcome_that_is_repeated_changes_nothing(daemon: SocketlessDaemon) -> None:
    number = grows(daemon)
    outcomes = [{"command": number, "code": GONE_BACK, "message": "no"}]
    for _ in range(3):
        says(daemon, heard=number, outcomes=outcomes)
    assert len(events(daemon, "refused")) == 1


def test_jobs_without_a_supervisor_are_told_of_no_growth(daemon: SocketlessDaemon) -> None:
    outs = comes(daemon)
    assert (told(outs, "a"), told(daemon.look(5), "a")) == ([], [])


def test_supervisor_of_a_job_that_is_not_there_changes_nothing(daemon: SocketlessDaemon) -> None:
    assert told(says(daemon), "sa") == []
    assert daemon.state.sessions == {}


def test_all_hosts_come_back_when_node_hours_are_used_up() -> None:
    daemon = SocketlessDaemon("fair", HostLimits(1, 600.0))
    try:
        number = grows(daemon)
        is_on(daemon, "hhii", 1)
        says(daemon, more_hosts=1, heard=number)
        for _ in range(56):
            assert told(daemon.look(10), "sa") == []
            daemon.sent(message("heartbeat", A, iteration=1, epoch=0), b"a")
        [back] = told(daemon.look(10), "sa")
        assert (back["ranks"], back["more_hosts"]) == (2, 0)
        is_on(daemon, "hh", 2)
        says(daemon, more_hosts=0, heard=back["command"])
        assert told(daemon.look(10), "sa") == []
        assert daemon_document(daemon.state)["budget"] == {
            **{"max_nodes": 1, "max_node_hours": pytest.approx(600 / 3600), "nodes": 0, "is_spent": True},
            "node_hours": pytest.approx(570 / 3600),
        }
    finally:
        daemon.close()


def test_cancelled_growth_is_told_until_the_supervisor_says_what_became_of_it() -> None:
    daemon = SocketlessDaemon("fair", HostLimits(1, 600.0))
    try:
        number = grows(daemon)
        daemon.look(0)
        comes(daemon, B)
        says(daemon, B, more_hosts=1)  # by the user, who uses all of the time
        for _ in range(57):
            outs = daemon.look(10)
            for job in (A, B):
                daemon.sent(message("heartbeat", job, iteration=1, epoch=0), job[:1].encode())
        [cancel] = told(outs, "sa")
        assert (cancel["kind"], cancel["command"]) == ("cancel", number)
        assert told(daemon.look(2), "sa") == [cancel]
        outcome = {"command": number, "code": GONE_BACK, "message": "it was cancelled"}
        [back] = told(says(daemon, heard=number, outcomes=[outcome]), "sa")
        assert (back["kind"], back["ranks"]) == ("resize", 2)
        assert back["command"] > number
    finally:
        daemon.close()


def test_growth_outlives_a_restart(daemon: SocketlessDaemon) -> None:
    number = grows(daemon)
    daemon.store.close()
    after = SocketlessDaemon("fair", HostLimits(1), daemon.folder)
    assert told(after.executor.resume(recovered_state(after.store), after.now), "a") == []
    assert told(comes(after), "a") == []
    [command] = told(says(after), "sa")
    assert (command["command"], command["ranks"], command["more_hosts"]) == (number, 4, 1)
    outcome = {"command": number, "code": 1, "message": "", "ranks": 4}
    is_on(after, "hhii", 1)
    says(after, more_hosts=1, heard=number, outcomes=[outcome])
    assert not after.state.sessions[A].telling
    after.store.close()


def test_command_for_an_iteration_waits_for_it(daemon: SocketlessDaemon) -> None:
    comes(daemon)
    session = daemon.state.sessions[A]
    session.tell(Command(99, A, 1, 5, "", None, "policy"), for_root=False)
    assert told(says(daemon, host_slots=0), "sa") == []
    daemon.sent(message("heartbeat", A, iteration=3, epoch=0), b"a")
    assert told(daemon.look(2), "sa") == []
    outs = daemon.sent(message("heartbeat", A, iteration=4, epoch=0), b"a")
    assert [each["command"] for each in told(outs, "sa")] == [99]


def test_daemon_of_one_host_takes_no_notice_of_hosts() -> None:
    daemon = SocketlessDaemon("fair")
    try:
        comes(daemon)
        assert says(daemon, more_hosts=3) == []
        assert (daemon.state.sessions[A].supervisor, events(daemon, "hosts")) == (None, [])
        assert daemon_document(daemon.state)["budget"] is None
    finally:
        daemon.close()


def test_status_tells_of_hosts(daemon: SocketlessDaemon) -> None:
    comes(daemon)
    says(daemon, more_hosts=1)
    comes(daemon, B)
    documents, _ = job_documents(daemon.state, 0, daemon.now)
    assert [each["more_hosts"] for each in documents] == [1, None]
    budget = daemon_document(daemon.state)["budget"]
    assert (budget["nodes"], budget["max_nodes"], budget["max_node_hours"]) == (1, 1, None)
