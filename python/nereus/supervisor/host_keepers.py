# SPDX-License-Identifier: BSD-3-Clause
"""On each host of a job a folder in memory for its epochs, there as long as its keeper, a shell, runs.

A keeper ends with its standard input, so that the folder goes whatever happens to us. It is called as the
system calls the host, as the job looks for it by that name (src/job/saving/host_folders.hpp).
"""

import os
import secrets
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote

from nereus.launch.error import LaunchError
from nereus.launch.hosts import RemoteShell
from nereus.launch.remote_command import SSH

# A file tells which keeper the folder is of: another one may have taken it over since. Told to end, it
# removes the folder. Where the connection to us has ended, processes may still be about to write, or another
# keeper about to come: it waits before. The folder has another name while it is removed: a new one can be
# there at once.
_COMMAND = " ".join(  # one line: a csh would take no other
    (
        "umask 077; folder={folder}; host=$(uname -n); own=$folder/$host; mark=$own/.keeper;",
        'if mkdir -p "$folder" && [ ! -L "$folder" ] && [ -O "$folder" ] &&',
        'mkdir -p "$own" && [ ! -L "$own" ] && echo {token} >"$mark";',
        'then echo "ready $host"; read -r word || sleep {patience};',
        'if [ "$(cat "$mark" 2>/dev/null)" = {token} ];',
        'then mv "$own" "$folder/.{token}" && rm -rf "$folder/.{token}"; fi;',
        'rmdir "$folder" 2>/dev/null; :;',
        'else echo "$own: cannot be made, or belongs to another user" >&2; fi',
    )
)
_END, _READY = b"end\n", "ready "
# Processes of a job whose supervisor was killed have ended by then.
_PATIENCE = 10  # s
# Remote shells may be slow to log in.
_READY_WITHIN = 30.0  # s
# Epochs of some GiB are removed within that.
_ENDS_WITHIN = 5.0  # s
# Between two starts of one that has ended.
_AGAIN_AFTER = 1.0  # s
_LOOK_EVERY = 0.1  # s


class HostKeepers:
    """Of some hosts. Used by one thread; closed once."""

    def __init__(self, folder: Path, shell: RemoteShell | None, patience: float = _PATIENCE) -> None:
        """None yet. `folder`: in which each host gets its own; `shell`: how to get there, None: by ssh.

        `patience`: seconds for which a folder stays whose keeper has lost the connection to us.
        """
        self._folder, self._patience = quote(str(folder)), patience
        self._words = [shell.command] if shell is not None else list(SSH)
        self._environment = shell.complete_environment() if shell is not None else dict(os.environ)
        self._keepers: dict[str, _Keeper] = {}
        self._told: set[str] = set()
        #: What hosts call themselves, by the names that we have for them.
        self.own_names: dict[str, str] = {}

    def keep(self, hosts: Sequence[str], stopped: Callable[[], bool] = lambda: False) -> dict[str, str]:
        """Have folders on these hosts and on no others. Those on which there is none, and why.

        Hosts that are not needed any more are lost as a rule: nobody waits for their answer.
        """
        over = [name for name, keeper in self._keepers.items() if name not in hosts or keeper.has_ended]
        self._end(over, within=0.0)
        new = [name for name in hosts if name not in self._keepers]
        for name in new:
            self._keepers[name] = self._start(name)
        deadline = time.monotonic() + _READY_WITHIN
        problems = {}
        for name in new:
            answer = self._keepers[name].answer(deadline, stopped)
            if answer.startswith(_READY):
                self.own_names[name] = answer.removeprefix(_READY)
            else:
                problems[name] = answer
        self._end(list(problems), within=0.0)
        return problems

    def look(self) -> list[str]:
        """Start those again that have ended; hosts whose first one did. To be called a few times a second."""
        now = time.monotonic()
        ended = [name for name, each in self._keepers.items() if each.has_ended and now >= each.again_at]
        self._end(ended, within=0.0)
        for name in ended:
            with suppress(LaunchError):  # as keep() tells, when the job needs it next
                self._keepers[name] = self._start(name)
        new = [name for name in ended if name not in self._told]
        self._told.update(new)
        return new

    def close(self) -> None:
        """All folders go."""
        self._end(list(self._keepers), _ENDS_WITHIN)

    def _start(self, name: str) -> "_Keeper":
        command = _COMMAND.format(folder=self._folder, token=secrets.token_hex(8), patience=self._patience)
        return _Keeper([*self._words, name, f"sh -c {quote(command)}"], self._environment)

    def _end(self, names: Sequence[str], within: float) -> None:
        ended = [self._keepers.pop(name) for name in names]
        for keeper in ended:
            keeper.ask_to_end()
        deadline = time.monotonic() + within
        for keeper in ended:
            keeper.wait(deadline)


class _Keeper:
    """Of one host."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.again_at = time.monotonic() + _AGAIN_AFTER
        try:
            # It does not die with us, as it has to remove the folder then.
            self._process = subprocess.Popen(
                list(words),
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as problem:
            raise LaunchError(f"{words[0]}: cannot be started: {problem.strerror}") from None
        assert self._process.stdout is not None and self._process.stderr is not None
        self._outputs = (self._process.stdout, self._process.stderr)
        for output in self._outputs:
            os.set_blocking(output.fileno(), False)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def answer(self, deadline: float, stopped: Callable[[], bool]) -> str:
        """What it says when it is ready, or why it is not."""
        said, complaint, found = b"", b"", ""
        with selectors.DefaultSelector() as selector:
            for output in self._outputs:
                selector.register(output, selectors.EVENT_READ)
            while selector.get_map() and not (found := _ready(said)):
                if stopped() or time.monotonic() > deadline:
                    return "stopped" if stopped() else f"it did not answer within {_READY_WITHIN:g} s"
                for key, _ in selector.select(_LOOK_EVERY):
                    read = os.read(key.fd, 4096)
                    if not read:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._outputs[0]:
                        said += read
                    else:
                        complaint += read
        lines = (complaint or said).decode(errors="replace").split("\n")
        return found or next((line for line in lines if line), "the command could not be run there")

    def ask_to_end(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(_END)
        with suppress(OSError):
            self._process.stdin.close()

    def wait(self, deadline: float) -> None:
        """Its end, which is made where the host is gone."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for output in self._outputs:
            output.close()


def _ready(said: bytes) -> str:
    """The line that says so; shells may have said other things before."""
    lines = said.decode(errors="replace").split("\n")[:-1]
    return next((line for line in lines if line.startswith(_READY)), "")
