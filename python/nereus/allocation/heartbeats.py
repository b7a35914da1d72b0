# SPDX-License-Identifier: BSD-3-Clause
"""Heartbeats of a job's hosts: a host from which none came for a while is lost.

A launcher may wait for hours for a host without power: the connection to it does not end by itself. So a
command of its own on each host writes a line a second, by the remote shell that starts the job's processes.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from nereus.launch.hosts import RemoteShell
from nereus.launch.processes import dying_with_us
from nereus.launch.remote_command import SSH

# Until nobody reads it any more. A host needs nothing of ours for it.
_COMMAND = "while echo && sleep 1; do :; done"
# From the start of the command to its first line; remote shells may be slow to log in.
_FIRST_WITHIN = 30.0
# Between two starts of a command that has ended.
_AGAIN_AFTER = 1.0
# More between two looks is our own absence, as of a computer that was suspended, and not that of the hosts.
_LONGEST_BETWEEN_LOOKS = 0.5
_AT_ONCE = 4096


@dataclass(frozen=True)
class Silence:
    """Of a host, for the first time."""

    host: str
    seconds: float
    #: Whether it had sent heartbeats; one that never did cannot be watched.
    was_heard: bool


class Heartbeats:
    """Of some hosts. Used by one thread; closed once."""

    def __init__(
        self,
        names: Sequence[str],
        shell: RemoteShell | None,
        timeout: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Have each host send them, by `shell` or by ssh. `timeout`: after so many seconds it is lost."""
        words = [shell.command] if shell is not None else SSH
        environment = shell.complete_environment() if shell is not None else os.environ
        self._timeout, self._now = timeout, now
        self._hosts = {name: _Heartbeat([*words, name, _COMMAND], environment, now()) for name in names}
        self._latest_look = now()

    def silences(self) -> list[Silence]:
        """Those that are new. To be called a few times a second."""
        now = self._now()
        absence = max(0.0, now - self._latest_look - _LONGEST_BETWEEN_LOOKS)
        self._latest_look = now
        found = []
        for name, heartbeat in list(self._hosts.items()):
            heartbeat.look(now, absence)
            limit = self._timeout if heartbeat.was_heard else max(self._timeout, _FIRST_WITHIN)
            if now - heartbeat.latest > limit:
                found.append(Silence(name, now - heartbeat.latest, heartbeat.was_heard))
                self.forget([name])
        return found

    def forget(self, names: Collection[str]) -> None:
        """They are not watched any more."""
        for name in names:
            if name in self._hosts:
                self._hosts.pop(name).end()

    def close(self) -> None:
        """End all commands."""
        self.forget(list(self._hosts))


class _Heartbeat:
    """Of one host. `latest`: when there was one, or when the host was asked for them."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], now: float) -> None:
        self._words, self._environment = list(words), dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self.latest, self.was_heard = now, False
        self._start(now)

    def look(self, now: float, absence: float) -> None:
        """Read what came meanwhile. `absence`: seconds that do not count."""
        self.latest = now if self._heard() else min(now, self.latest + absence)
        self.was_heard = self.was_heard or self.latest == now
        has_ended = self._process is None or self._process.poll() is not None
        if has_ended and now >= self._again_at:
            self.end()
            self._start(now)

    def end(self) -> None:
        """Nobody is left of it here; on the host it ends at its next line."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    def _start(self, now: float) -> None:
        self._again_at = now + _AGAIN_AFTER
        with suppress(OSError):  # as it fails for the launcher, which tells why
            self._process = subprocess.Popen(
                self._words,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=dying_with_us(signal.SIGKILL),
            )
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)

    def _heard(self) -> bool:
        if self._process is None:
            return False
        assert self._process.stdout is not None
        try:
            return os.read(self._process.stdout.fileno(), _AT_ONCE) != b""
        except BlockingIOError:
            return False
