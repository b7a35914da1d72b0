# SPDX-License-Identifier: BSD-3-Clause
"""The control socket of a job: its user may ask there, nobody else; the dead are not taken for the living."""

import os
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zmq

from nereus.launch import LaunchError
from nereus.supervisor import Job, NoAnswer, ask, check_control_socket, control_sockets, find
from nereus.supervisor.control_socket import ControlSocket, control_socket_folder
from nereus.supervisor.messages import OPTIONS
from nereus.supervisor.sockets import Sockets

LIMIT = 60.0


class Client:
    """Asks from another thread, as another program would."""

    def __init__(self, path: Path, question: dict[str, Any]) -> None:
        self.answer: dict[str, Any] | None = None
        self.problem: str = ""

        def run() -> None:
            try:
                self.answer = ask(path, question, LIMIT)
            except NoAnswer as problem:
                self.problem = str(problem)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def is_back(self) -> bool:
        return not self._thread.is_alive()


def answer_to(stage: Any, job: Job, question: dict[str, Any]) -> dict[str, Any]:
    """The answer, while the job is attended to."""
    (path,) = stage.control_sockets()
    client = Client(path, question)
    stage.attend(job, client.is_back)
    assert client.answer is not None, client.problem
    return client.answer


def state_is(stage: Any, job: Job, wanted: str) -> Callable[[], bool]:
    return lambda: answer_to(stage, job, {"kind": "status"})["state"] == wanted


def resize(ranks: int = 3, wait: bool = True, **options: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return {"kind": "resize", "ranks": ranks, "options": named, "wait": wait}


def test_state_of_a_job_is_reported_from_start_to_end(stage: Any) -> None:
    acts = (
        "until:1",
        "open:3",
        "until:2",
        "make:1:=1",
        "until:3",
        "settled:1:-7",
        "until:4",
        "closing",
        "sleep",
    )
    with stage.job(*acts) as job:
        first = answer_to(stage, job, {"kind": "status"})
        assert (first["state"], first["ranks"], first["hosts"]) == ("starting", 2, [])
        assert (first["job"], first["name"]) == (job.key, job.name)
        assert first["command"][-9:] == list(acts)
        assert (first["mpi"], first["pid"], first["resizes"]) == ("mpich", os.getpid(), 0)
        for number, state in enumerate(("running", "resizing", "running", "closing"), start=1):
            (stage.folder / str(number)).touch()
            stage.attend(job, state_is(stage, job, state))
        last = answer_to(stage, job, {"kind": "status"})
        assert (last["ranks"], last["hosts"], last["generation"]) == (3, ["h"] * 3, 0)
    assert stage.control_sockets() == []


def test_external_resize_is_requested_and_its_result_reported(stage: Any) -> None:
    with stage.job("open", "resize:0:7", "settled:7:1", "sleep") as job:
        stage.attend(job, state_is(stage, job, "running"))
        answer = answer_to(stage, job, resize(3, process_method="merge", hosts="n3:2"))
        assert (answer["kind"], answer["code"], answer["name"]) == ("resized", 1, "NEREUS_RESIZED")
        assert (answer["request"], answer["message"]) == (7, "said")
        assert answer["report"]["pause_seconds"] == 0.0123
        assert answer_to(stage, job, {"kind": "status"})["resizes"] == 1
    (asked,) = stage.received("resize")
    assert asked["ranks"] == 3
    assert asked["options"] == {"process-method": "merge", "hosts": "n3:2"}


def test_resize_without_waiting_is_answered_as_pending(stage: Any) -> None:
    with stage.job("open", "resize:5:7", "sleep") as job:
        stage.attend(job, state_is(stage, job, "running"))
        answer = answer_to(stage, job, resize(wait=False))
    assert (answer["name"], answer["request"], answer["report"]) == ("NEREUS_PENDING", 7, None)


def test_refused_resize_is_answered_at_once(stage: Any) -> None:
    with stage.job("open", "resize:-3:0", "sleep") as job:
        stage.attend(job, state_is(stage, job, "running"))
        answer = answer_to(stage, job, resize(4000))
    assert (answer["name"], answer["message"], answer["report"]) == ("NEREUS_ERR_RANGE", "heard", None)


def test_waiting_client_is_answered_when_the_job_ends(stage: Any) -> None:
    with stage.job("open", "resize:0:7") as job:
        (path,) = stage.control_sockets()
        stage.attend(job, state_is(stage, job, "running"))
        client = Client(path, resize())
        stage.attend(job, lambda: not job.running())
    stage.wait(client.is_back)
    assert client.answer is not None
    assert client.answer["message"] == "the job ended before it could be resized"


@pytest.mark.parametrize(
    ("acts", "question", "reason"),
    [
        (("sleep",), resize(), "the program has not opened a Nereus job"),
        (("open", "closing", "sleep"), resize(), "the job is being closed"),
        (("sleep",), {"kind": "dance"}, "allowed are status, resize"),
        (("sleep",), resize(0), "allowed are status, resize"),
        (("sleep",), resize(verify="on"), f"options: verify: allowed are {OPTIONS[0]}"),
    ],
)
def test_impossible_request_is_refused_with_reason(
    stage: Any, acts: tuple[str, ...], question: dict[str, Any], reason: str
) -> None:
    with stage.job(*acts) as job:
        if "closing" in acts:
            stage.attend(job, state_is(stage, job, "closing"))
        answer = answer_to(stage, job, question)
    assert answer["kind"] == "refused"
    assert reason in answer["message"]


def test_client_with_an_invalid_message_is_refused(stage: Any) -> None:
    with stage.job("sleep") as job:
        (path,) = stage.control_sockets()
        with zmq.Context() as context, context.socket(zmq.REQ) as socket_of_another_kind:
            socket_of_another_kind.setsockopt(zmq.LINGER, 0)
            socket_of_another_kind.connect(f"ipc://{path}")
            socket_of_another_kind.send(b"{")
            stage.attend(job, lambda: bool(socket_of_another_kind.poll(0)))
            assert b"refused" in socket_of_another_kind.recv()


def test_control_socket_is_private_to_its_user(stage: Any) -> None:
    with stage.job("sleep"):
        (path,) = stage.control_sockets()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_folder_accessible_to_others_is_refused(stage: Any) -> None:
    folder = control_socket_folder()
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(LaunchError, match="others may look into it"):
        check_control_socket()
    with pytest.raises(LaunchError, match="others may look into it"), stage.job("sleep"):
        pass
    assert control_sockets() == []
    folder.rmdir()


def test_symlink_instead_of_the_folder_is_refused(stage: Any, tmp_path: Path) -> None:
    control_socket_folder().symlink_to(tmp_path)
    with pytest.raises(LaunchError, match="is no folder"):
        check_control_socket()
    control_socket_folder().unlink()


def test_folder_of_another_user_is_refused(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = control_socket_folder()
    folder.mkdir(mode=0o700)
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    with pytest.raises(LaunchError, match="belongs to another user"):
        check_control_socket()
    monkeypatch.undo()
    folder.rmdir()


def test_without_runtime_folder_control_sockets_are_in_a_folder_of_the_user() -> None:
    assert control_socket_folder({}) == Path(f"/tmp/nereus-{os.geteuid()}")
    assert control_socket_folder({"XDG_RUNTIME_DIR": "/nowhere"}) == control_socket_folder({})


def test_control_sockets_of_dead_supervisors_are_removed(stage: Any) -> None:
    folder = control_socket_folder()
    folder.mkdir(mode=0o700)
    stale, fresh = folder / "dead.control", folder / "new.control"
    for path in (stale, fresh):
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
    os.utime(stale, (1, 1))
    with stage.job("sleep") as job:
        assert [path.stem for path in control_sockets()] == [job.key]
    assert not stale.exists()
    assert fresh.exists(), "one that is being made does not listen yet"
    fresh.unlink()
    folder.rmdir()


def test_job_is_found_by_a_prefix_of_its_key(stage: Any) -> None:
    sockets = Sockets()
    open_sockets = [ControlSocket(sockets, key) for key in ("aa11", "aa22", "b")]
    assert find("aa2").key == "aa22"
    assert find("b").key == "b"
    with pytest.raises(LaunchError, match=r"could be any of aa11, aa22$"):
        find("aa")
    for unknown in ("c", ""):
        with pytest.raises(LaunchError, match="running: aa11, aa22, b"):
            find(unknown)
    for control_socket in open_sockets:
        control_socket.close()
    sockets.close()


def test_ended_supervisor_is_not_waited_for(stage: Any, tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="its supervisor has ended"):
        ask(tmp_path / "none.control", {"kind": "status"}, LIMIT)


def test_silent_supervisor_times_out(stage: Any) -> None:
    sockets = Sockets()
    control_socket = ControlSocket(sockets, "silent")
    with pytest.raises(NoAnswer, match="did not answer in time"):
        ask(control_socket.path, {"kind": "status"}, 0.3)
    control_socket.close()
    sockets.close()
