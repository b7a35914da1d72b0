# SPDX-License-Identifier: BSD-3-Clause
"""Answers supervisors of jobs that share out the hosts of one allocation: who has which, who gets more.

They say it again and again; what was said already changes nothing.
"""

from typing import Any

from nereus.coordinator.pool import HostPool, NeverGranted, Said
from nereus.daemon import questions
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.state import DaemonState

_NO_POOL = "this daemon shares out no hosts: it was not started with --allocation in a job of Slurm"


class SharedHosts:
    def __init__(self, state: DaemonState, executor: CommandExecutor) -> None:
        self._state, self._executor = state, executor

    def about(self) -> dict[str, Any]:
        """Of which job of the resource manager the hosts are."""
        pilot = self._state.chosen.pilot
        return {"kind": "pilot", "job": pilot.job if pilot is not None else ""}

    def answer(self, asked: questions.AskHosts, now: float) -> tuple[dict[str, Any], list[Out]]:
        pool = self._state.pool
        if pool is None:
            return {"kind": "refused", "message": _NO_POOL}, []
        before = pool.names_of(asked.job)
        said = Said(asked.names, asked.first, asked.more, asked.more_names, asked.unfit)
        try:
            names, never = pool.says(asked.job, said, now), ""
        except NeverGranted as problem:
            names, never = pool.names_of(asked.job), str(problem)
        outs = self._changed(asked.job, before, names, now)
        return {"kind": "hosts", "names": names, "never": never, "why": self._why(pool)}, outs

    def look(self, now: float) -> list[Out]:
        """Jobs whose supervisors have fallen silent have no hosts any more."""
        outs: list[Out] = []
        for job in self._state.pool.expire(now) if self._state.pool is not None else []:
            self._state.events.add(now, job, "note", text="its supervisor is silent: its hosts are free")
            outs += self._executor.carry_out(self._state.coordinator.hosts_changed(now), now)
        return outs

    def _changed(self, job: str, before: list[str], names: list[str], now: float) -> list[Out]:
        if sorted(before) == sorted(names):
            return []
        self._state.events.add(now, job, "hosts_held", names=names)
        return self._executor.carry_out(self._state.coordinator.hosts_changed(now), now)

    def _why(self, pool: HostPool) -> str:
        """What a wish waits for."""
        if not pool.is_open:
            return "the daemon has just started: it is to hear of all jobs first"
        return f"of {pool.size} hosts {len(pool.free)} are free"
