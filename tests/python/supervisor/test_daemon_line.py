# SPDX-License-Identifier: BSD-3-Clause
"""A supervisor tells the daemon of the job's hosts, and has the job get and leave some as the daemon says."""

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from an_allocation import FakeAllocation

from nereus.allocation import GrowthState
from nereus.launch import Build, Host, Launch, LaunchError
from nereus.launch.groups import Group, Groups
from nereus.supervisor.commanded_hosts import PATIENCE, CommandedHosts, to_leave
from nereus.supervisor.daemon_line import AGAIN_SECONDS, DaemonLine
from nereus.supervisor.frames import RESIZED, UNCHANGED
from nereus.supervisor.host_changes import HostChanges
from nereus.supervisor.identity import Identity
from nereus.supervisor.messages import Answer, Root, Settled
from nereus.supervisor.request_server import RequestServer
from nereus.supervisor.sockets import Sockets

KEY = "0123456789abcdef"
LIMIT_MILLISECONDS = 60_000


class Stand:
    """A supervisor of which the test plays the job's root, the daemon and the resource manager."""

    def __init__(self, folder: Path, sockets: Sockets) -> None:
        self.now = 0.0
        self.sockets = sockets
        self.questions: list[tuple[int, int, dict[str, str]]] = []
        self.said: list[str] = []
        self.requests = self.generation = 0
        self.allocation = FakeAllocation(1)
        self.groups = Groups(KEY, folder, None)
        self.start("n0")
        self.changes = HostChanges(self.allocation, self.groups, lambda: self.server, self.said.append)
        launch = Launch(Build("mpich", folder, folder / "mpiexec", "MPICH Version: 9.9"), Path("/bin/true"))
        self.server = RequestServer(
            *(sockets, Identity(KEY, "true-1"), launch, 2, self.note),
            *(lambda *asked: self.changes.begin(*asked), lambda *asked: None),
        )
        self.daemon = sockets.router()
        self.address = f"ipc://{folder}/line"
        self.daemon.bind(self.address)
        self.line = self.new_line(self.address)
        self.sender = b""

    def new_line(self, address: str, keys: Path | None = None) -> DaemonLine:
        hosts = CommandedHosts(self.changes, lambda: self.server)
        return DaemonLine(self.sockets, KEY, address, keys, hosts, lambda: self.now)

    def note(self, ticket: int, ranks: int, options: dict[str, str]) -> None:
        self.questions.append((ticket, ranks, options))

    def start(self, *hosts: str) -> None:
        launcher = cast("subprocess.Popen[bytes]", None)
        number = len(self.groups.running)
        group = Group(number, launcher, int(signal.SIGTERM), None, hosts=dict.fromkeys(hosts, 2))
        self.groups.running.append(group)

    def is_on(self, *hosts: str) -> None:
        """The job's ranks, from now on."""
        self.generation += 1
        root = Root(kind="root", generation=self.generation, ranks=len(hosts), hosts=list(hosts))
        self.server.root_is_there(root)
        self.changes.follow(hosts)

    def resized(self, *hosts: str, code: int = RESIZED) -> None:
        """The job does what it was asked last, and is on these hosts afterwards."""
        self.begins()
        self.settled(*hosts, code=code)

    def begins(self) -> None:
        """The job takes what it was asked last."""
        self.requests += 1
        answer = Answer(
            kind="answer", ticket=self.questions[-1][0], code=0, message="", request=self.requests
        )
        self.changes.answered(answer)
        self.server.answered(answer)

    def settled(self, *hosts: str, code: int = RESIZED) -> None:
        """What it took last is over."""
        if code == RESIZED:
            self.is_on(*hosts)
        report = {"to": len(hosts)}
        settled = Settled(kind="settled", request=self.requests, code=code, message="", report=report)
        self.changes.settled(settled)
        self.server.settled(settled)

    def turn(self) -> None:
        self.changes.turn()
        self.line.turn()

    def heard(self) -> dict[str, Any]:
        """The latest that the daemon is told, by the next turn."""
        self.turn()
        message: dict[str, Any] = {}
        while message != {"version": 1, **self.line._said}:
            assert self.daemon.poll(LIMIT_MILLISECONDS), "nothing is said"
            self.sender, frame = self.daemon.recv_multipart()
            message = json.loads(frame)
        return message

    def command(self, kind: str, command: int, **keys: Any) -> None:
        """The supervisor has it when this is over."""
        self.send({"version": 1, "job": KEY, "kind": kind, "command": command, **keys})

    def send(self, message: dict[str, Any]) -> None:
        self.daemon.send_multipart([self.sender, json.dumps(message).encode()])
        assert self.line.socket.poll(LIMIT_MILLISECONDS)
        self.turn()

    def grown(self) -> None:
        """To a second host, by command 1."""
        self.command("resize", 1, ranks=4, more_hosts=1)
        self.allocation.grant(self.allocation.growing[0])
        self.turn()
        self.start("n1")
        self.resized("n0", "n0", "n1", "n1")

    def outcome(self, command: int) -> dict[str, Any]:
        found: dict[str, Any] = next(each for each in self.heard()["outcomes"] if each["command"] == command)
        return found


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    with ExitStack() as opened:
        # Names of sockets are short.
        runtime = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="nst-")))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        stand = Stand(runtime, opened.enter_context(Sockets()))
        opened.callback(stand.server.close)
        assert stand.line.due is None
        stand.is_on("n0", "n0")
        # Until it is connected, nothing is said.
        deadline = 0
        while not stand.daemon.poll(20):
            stand.now += AGAIN_SECONDS
            stand.turn()
            deadline += 1
            assert deadline < 3000, "it does not connect"
        stand.sender, _ = stand.daemon.recv_multipart()
        yield stand


def test_daemon_is_told_of_hosts_again_and_again(stand: Stand) -> None:
    stand.now += AGAIN_SECONDS
    told = stand.heard()
    assert {key: told[key] for key in ("kind", "job", "first_slots", "host_slots", "more_hosts")} == {
        **{"kind": "allocation", "job": KEY, "first_slots": 2, "host_slots": 2, "more_hosts": 0},
    }
    assert (told["heard"], told["outcomes"]) == (0, [])
    due = stand.line.due
    assert due == stand.now + AGAIN_SECONDS
    stand.now += AGAIN_SECONDS / 2
    stand.turn()
    assert stand.line.due == due  # nothing was said
    stand.now += AGAIN_SECONDS / 2
    assert stand.heard() == told


def test_hosts_come_and_ranks_on_them(stand: Stand) -> None:
    stand.command("resize", 7, ranks=3, more_hosts=1)
    [growing] = stand.allocation.growing
    assert (growing.wish.count, growing.wish.patience) == (1, PATIENCE)
    assert stand.heard()["heard"] == 7
    stand.allocation.grant(growing)
    stand.turn()
    assert stand.questions[-1][1:] == (3, {"hosts": "n1:2"})
    assert stand.heard()["more_hosts"] == 1
    stand.resized("n0", "n0", "n1")
    assert stand.outcome(7) == {"command": 7, "code": RESIZED, "message": "", "ranks": 3}


def test_command_that_is_repeated_changes_nothing(stand: Stand) -> None:
    for _ in range(3):
        stand.command("resize", 7, ranks=3, more_hosts=1)
    stand.command("resize", 6, ranks=5, more_hosts=2)
    assert len(stand.allocation.growing) == 1


def test_hosts_beyond_those_that_are_commanded_are_left(stand: Stand) -> None:
    stand.grown()
    stand.command("resize", 2, ranks=2, more_hosts=0)
    stand.turn()
    assert stand.questions[-1][1:] == (2, {"release-hosts": "n1"})
    stand.resized("n0", "n0")
    stand.turn()
    assert (stand.allocation.released, stand.heard()["more_hosts"]) == ([], 1)  # its processes still run
    stand.groups.running.pop()
    stand.turn()
    assert (stand.allocation.released, stand.heard()["more_hosts"]) == (["n1"], 0)


def test_command_that_overtakes_the_end_of_a_growth_asks_for_no_more_hosts(stand: Stand) -> None:
    stand.command("resize", 1, ranks=3, more_hosts=1)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.start("n1")
    stand.begins()
    stand.command("resize", 2, ranks=4, more_hosts=1)
    stand.turn()
    assert (stand.heard()["heard"], len(stand.questions)) == (2, 1)
    stand.settled("n0", "n0", "n1")
    stand.turn()
    assert stand.questions[-1][1:] == (4, {})
    stand.resized("n0", "n0", "n1", "n1")
    assert (stand.outcome(2)["ranks"], stand.allocation.growing) == (4, [])


def test_command_that_overtakes_the_end_of_a_release_asks_for_hosts(stand: Stand) -> None:
    stand.grown()
    stand.command("resize", 2, ranks=2, more_hosts=0)
    stand.turn()
    stand.begins()
    stand.command("resize", 3, ranks=4, more_hosts=1)
    assert stand.allocation.growing == []
    stand.settled("n0", "n0")
    stand.turn()
    assert [growing.wish.count for growing in stand.allocation.growing] == [1]


def test_growth_that_the_job_has_not_begun_is_taken_back_at_once(stand: Stand) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.command("cancel", 1)
    stand.command("resize", 2, ranks=2, more_hosts=0)
    assert stand.questions[-1][1:] == (2, {})


def test_growth_that_the_job_has_taken_is_taken_back_once_it_is_over(stand: Stand) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.start("n1")
    stand.begins()
    stand.command("cancel", 1)
    stand.command("resize", 2, ranks=2, more_hosts=0)
    stand.settled("n0", "n0", "n1", "n1")
    stand.turn()
    stand.turn()
    assert stand.questions[-1][1:] == (2, {"release-hosts": "n1"})
    stand.resized("n0", "n0")
    assert stand.outcome(2)["ranks"] == 2


def test_hosts_of_a_growth_that_was_taken_back_too_late_are_left(stand: Stand) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.start("n1")
    stand.command("cancel", 1)
    stand.command("resize", 2, ranks=2, more_hosts=0)
    taken_back = stand.questions.pop()
    stand.resized("n0", "n0", "n1", "n1")  # it was taken already
    stand.questions.append(taken_back)
    stand.resized("n0", "n0")
    stand.turn()
    stand.turn()
    assert stand.questions[-1][1:] == (2, {"release-hosts": "n1"})


def test_lower_growth_asks_for_no_more_hosts_while_a_higher_one_is_under_way(stand: Stand) -> None:
    stand.command("resize", 1, ranks=6, more_hosts=2)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.command("cancel", 1)
    stand.command("resize", 2, ranks=4, more_hosts=1)
    assert stand.allocation.growing == []
    stand.resized(code=UNCHANGED)
    stand.turn()
    stand.turn()
    assert stand.allocation.growing == []
    assert stand.questions[-1][1:] == (4, {"release-hosts": "n2"})


def test_command_that_is_cancelled_before_it_could_begin_is_not_carried_out(stand: Stand) -> None:
    stand.command("resize", 1, ranks=3, more_hosts=1)
    stand.allocation.grant(stand.allocation.growing[0])
    stand.turn()
    stand.begins()
    stand.command("resize", 2, ranks=4, more_hosts=1)
    stand.command("cancel", 2)
    stand.settled("n0", "n0", "n1")
    stand.turn()
    assert stand.outcome(2)["message"] == "cancelled before it began"
    assert (len(stand.questions), stand.allocation.growing) == (1, [])


def test_hosts_that_are_granted_and_not_usable_yet_are_told(stand: Stand) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    [growing] = stand.allocation.growing
    growing.hosts = (Host("n1", 2),)
    growing.to(GrowthState.ACCEPTED)
    assert stand.heard()["more_hosts"] == 1


@pytest.mark.parametrize("code", [RESIZED, UNCHANGED])
def test_size_alone_changes_no_hosts(stand: Stand, code: int) -> None:
    stand.command("resize", 1, ranks=1, more_hosts=0)
    assert stand.questions[-1][1:] == (1, {})
    stand.resized("n0", code=code)
    outcome = stand.outcome(1)
    assert (outcome["code"], outcome["ranks"]) == (code, 1 if code == RESIZED else 0)


@pytest.mark.parametrize("never", [True, False])
def test_hosts_that_are_not_granted_are_told_with_the_reason(stand: Stand, never: bool) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    stand.allocation.fail(stand.allocation.growing[0], "Slurm grants none", never)
    outcome = stand.outcome(1)
    assert (outcome["code"] < 0, outcome["message"]) == (True, "Slurm grants none")


def test_growth_that_is_refused_at_once_is_told(stand: Stand) -> None:
    stand.allocation.refuses = "no others can be had"
    stand.command("resize", 1, ranks=4, more_hosts=1)
    assert stand.outcome(1)["message"] == "no others can be had"


def test_cancelled_growth_gives_its_hosts_up(stand: Stand) -> None:
    stand.command("resize", 1, ranks=4, more_hosts=1)
    stand.command("cancel", 1)
    assert stand.allocation.growing == []
    assert stand.outcome(1)["message"] == "it was cancelled"


def test_resize_that_is_cancelled_too_late_is_done(stand: Stand) -> None:
    stand.command("resize", 1, ranks=1, more_hosts=0)
    stand.command("cancel", 1)
    stand.resized("n0")
    assert stand.outcome(1)["code"] == RESIZED


def test_command_that_is_cancelled_before_it_came_is_not_carried_out(stand: Stand) -> None:
    stand.command("cancel", 5)
    assert stand.outcome(5)["code"] < 0
    stand.command("resize", 5, ranks=4, more_hosts=1)
    stand.command("cancel", 3)
    assert (stand.allocation.growing, stand.outcome(3)["code"] < 0) == ([], True)


@pytest.mark.parametrize(
    "strange",
    [
        {"ranks": 0},
        {"ranks": "4"},
        {"more_hosts": -1},
        {"command": 0},
        {"kind": "nonsense"},
        {"job": "f" * 16},
        {"version": 2},
    ],
)
def test_message_that_makes_no_sense_changes_nothing(stand: Stand, strange: dict[str, Any]) -> None:
    good = {"version": 1, "job": KEY, "kind": "resize", "command": 1, "ranks": 4, "more_hosts": 1}
    stand.send({**good, **strange})
    assert (stand.questions, stand.allocation.growing) == ([], [])


def test_nothing_is_asked_of_a_job_that_is_being_closed(stand: Stand) -> None:
    stand.server.close_job()
    stand.command("resize", 1, ranks=4, more_hosts=1)
    assert (stand.allocation.growing, stand.line.due) == ([], None)


def test_outcomes_are_few(stand: Stand) -> None:
    for number in range(1, 101):
        stand.command("cancel", number)
    assert [each["command"] for each in stand.heard()["outcomes"]] == list(range(69, 101))


def test_daemon_that_is_not_there_holds_nobody_up(stand: Stand) -> None:
    stand.daemon.close(linger=0)
    for _ in range(3000):
        stand.now += AGAIN_SECONDS
        stand.turn()


def test_address_and_keys_that_make_no_sense_are_refused(stand: Stand, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="NEREUS_CONTROLLER = nowhere"):
        stand.new_line("nowhere")
    with pytest.raises(LaunchError, match="No such file"):
        stand.new_line(stand.address, tmp_path / "keys")
    (tmp_path / "keys").write_text("{}")
    (tmp_path / "keys").chmod(0o644)
    with pytest.raises(LaunchError, match="mode 600"):
        stand.new_line(stand.address, tmp_path / "keys")
    (tmp_path / "keys").chmod(0o600)
    with pytest.raises(LaunchError, match="no file of keys"):
        stand.new_line(stand.address, tmp_path / "keys")


@pytest.mark.parametrize(
    ("most", "ranks", "there", "left"),
    [
        (2, 2, "00112233", ["n2", "n3"]),
        (1, 6, "00112233", ["n3"]),
        (0, 8, "00112233", []),
        (3, 1, "00112233", ["n1", "n2", "n3"]),
        (3, 4, "00112233", ["n2", "n3"]),  # n0 and n1 have room for no more
        (1, 7, "00112233", []),  # one of n3 has to stay
        (3, 2, "00", ["n1", "n2", "n3"]),  # empty ones
        (3, 5, "00", ["n1", "n2", "n3"]),  # more ranks come where there are slots
    ],
)
def test_latest_hosts_are_left_as_far_as_ranks_have_a_place(
    most: int, ranks: int, there: str, left: list[str]
) -> None:
    assert to_leave(["n1", "n2", "n3"], most, ranks, [f"n{letter}" for letter in there]) == left
