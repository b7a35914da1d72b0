# SPDX-License-Identifier: BSD-3-Clause
"""nereus run -- PROGRAM ARGS - run a program that can be resized from outside."""

import os
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.messages import Refused, complain, note, warn
from nereus.cli.run_adapted import AdapterOption, adapted_start, check_adapter_options, run_adapted
from nereus.cli.run_end import exit_code_of
from nereus.cli.run_saving import (
    USUAL_SAVE_PATIENCE,
    HeartbeatTimeoutOption,
    ProtectEveryOption,
    ProtectOption,
    RecoveriesOption,
    RecoveryWindowOption,
    ResumeOption,
    SaveEveryOption,
    SaveOption,
    SavePatienceOption,
    SaveSignalOption,
    heartbeat_timeout_asked_for,
    recoveries_asked_for,
    recovery_limit_asked_for,
    saving_asked_for,
)
from nereus.cli.run_start import MOST_WITH_MORE_HOSTS, rank_limit, where_it_starts
from nereus.cli.where import HostsOption, OversubscribeOption, RshOption
from nereus.epochs import chosen_epoch
from nereus.launch import (
    PROCESS_METHOD,
    PROTECT_FOLDER,
    RANKS_PER_CORE,
    RESTART_FOLDER,
    Build,
    PassedOn,
    SaveSignals,
    Stopping,
    choose,
    fostering,
    found_program,
)
from nereus.methods import RESTART, Placement, ReleaseUnit
from nereus.runs import (
    TO_BE_CONTINUED,
    Ending,
    ProcessMeans,
    Recoveries,
    Saving,
    Where,
    founding,
)
from nereus.runs.recovering import (
    Attempt,
    Recovering,
    can_have_buddies,
    memory_epochs_for,
    protects_here_alone,
)
from nereus.supervisor import (
    Job,
    MemoryEpochs,
    NameClaim,
    Supervision,
    check_control_socket,
    check_job_name,
)

_ATTEND_SECONDS = 0.1


def run(
    program: Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGS]...", help="What to run.")],
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--ranks",
            min=1,
            show_default=False,
            help="Processes at the start; if not given, 1, or with --resume as many as were saved.",
        ),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    hosts: HostsOption = "",
    rsh: RshOption = None,
    placement: Annotated[
        Placement,
        typer.Option(
            envvar="NEREUS_PLACEMENT",
            help="Fill hosts in order, or the emptiest first; measured: at a resize, ranks that sent each "
            "other the most go to one host.",
        ),
    ] = "compact",
    oversubscribe: OversubscribeOption = False,
    release_unit: Annotated[
        ReleaseUnit | None,
        typer.Option(
            envvar="NEREUS_RELEASE_UNIT",
            help="What can leave by itself; if not given: host in a job of Slurm or Flux (MPICH), else job.",
        ),
    ] = None,
    max_ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Most ranks, resizes included; if not given, {RANKS_PER_CORE} per core or slot, and "
            f"{MOST_WITH_MORE_HOSTS} in a job of Slurm or Flux.",
        ),
    ] = None,
    restart_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            help="Where a resize by restart keeps the data; if not given, memory of this host, and with "
            "other hosts the folder of --save.",
        ),
    ] = None,
    queue: Annotated[
        bool, typer.Option("--queue", help="Start when the daemon has enough cores for it.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call the job; if not given, the program and a number."),
    ] = None,
    save: SaveOption = None,
    save_every: SaveEveryOption = None,
    save_signal: SaveSignalOption = None,
    save_patience: SavePatienceOption = USUAL_SAVE_PATIENCE,
    resume: ResumeOption = None,
    protect: ProtectOption = None,
    protect_every: ProtectEveryOption = None,
    recoveries: RecoveriesOption = None,
    recovery_window: RecoveryWindowOption = "10min",
    heartbeat_timeout: HeartbeatTimeoutOption = None,
    adapter: AdapterOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the job's name.")] = False,
) -> None:
    """Run a program that uses Nereus, so that `nereus resize` can ask it for another size.

    Example: nereus run -n 2 -- ./application --steps 1000
    """
    if name is not None:
        check_job_name(name)
    if adapter is not None:
        of_epochs = {
            **{"--save": save, "--save-every": save_every, "--save-signal": save_signal, "--resume": resume},
            **{"--protect": protect, "--protect-every": protect_every},
            **{"--release-unit": None if "NEREUS_RELEASE_UNIT" in os.environ else release_unit},
            "--restart-folder": restart_folder,
            "--heartbeat-timeout": heartbeat_timeout,
            "--save-patience": save_patience if save_patience != USUAL_SAVE_PATIENCE else None,
        }
        check_adapter_options(of_epochs, placement)
        build = choose(mpi)
        path = found_program(program[0], build)
        where = Where.read(warn, hosts, rsh, [placement], oversubscribe)
        limit = rank_limit(ranks or 1, max_ranks, where)
        adapted = adapted_start(adapter, build, path, tuple(program[1:]), where, limit)
        limited = recovery_limit_asked_for(recoveries, recovery_window)
        raise typer.Exit(run_adapted(adapted, limited, name, ranks or 1, queue, quiet, program[0]))
    saving = saving_asked_for(save, save_every, save_signal, save_patience, resume, protect, protect_every)
    again = recoveries_asked_for(recoveries, recovery_window, saving)
    build = choose(mpi)
    path = found_program(program[0], build)
    where = Where.read(warn, hosts, rsh, [placement], oversubscribe, build)
    timeout = heartbeat_timeout_asked_for(heartbeat_timeout, again, where)
    where = replace(where, heartbeat_timeout=timeout)
    count = ranks or saving.saved_ranks or 1
    limit = rank_limit(count, max_ranks, where)
    unit = release_unit or ("host" if where.reach.grows else "job")
    settings = {
        "NEREUS_PLACEMENT": placement,
        "NEREUS_OVERSUBSCRIBE": "on" if oversubscribe else "off",
        "NEREUS_RELEASE_UNIT": unit,
        "NEREUS_MAX_RANKS": str(limit),
        RESTART_FOLDER: str(restart_folder.absolute()) if restart_folder is not None else "",
    }
    _check_unit(unit, saving, again)
    where.check_slots(count)
    _check_protection(saving, where)
    with Stopping() as stopping, fostering():
        check_control_socket()
        with saving.alone(), memory_epochs_for(saving, "--protect", where.reach.remote_shell) as in_memory:

            def stopped() -> bool:
                return stopping.signal is not None

            words, means = tuple(program[1:]), ProcessMeans(build, stopped)
            start = _Start(build, path, words, unit, settings, queue, quiet, in_memory, means, again.most > 0)
            recovering = Recovering(again, in_memory, stopped, complain, partial(note, quiet=quiet))
            ending = recovering.run(
                name,
                path.name,
                Attempt(where, count, saving),
                lambda attempt, claim: _run_once(start, attempt, claim, stopping),
            )
    raise typer.Exit(_exit_code(ending, saving, stopping, program))


@dataclass(frozen=True)
class _Start:
    """What each job of one call has in common, also those that continue a failed one."""

    build: Build
    path: Path
    arguments: tuple[str, ...]
    unit: ReleaseUnit
    settings: Mapping[str, str]
    queue: bool
    quiet: bool
    memory_epochs: MemoryEpochs | None
    means: ProcessMeans
    recovers: bool


def _check_unit(unit: ReleaseUnit, saving: Saving, again: Recoveries) -> None:
    """Founders that make one another have no data yet when they do."""
    if unit == "rank" and (saving.epoch is not None or again.most > 0):
        raise Refused("--release-unit = rank: does not go together with --resume, --recoveries or --protect")


def _check_protection(saving: Saving, where: Where) -> None:
    """What is kept in memory of one host is no help to another one."""
    if saving.has_buddies and not can_have_buddies(where):
        raise Refused(
            "--protect = buddy: needs two hosts at least, named by --hosts; memory is for jobs on this host, "
            "and --save for those in Slurm or Flux"
        )
    if saving.protect_every and not saving.has_buddies and not protects_here_alone(where):
        raise Refused(
            "--protect = memory: allowed for jobs on this host alone; buddy and --save protect others"
        )


def _run_once(start: _Start, attempt: Attempt, claim: NameClaim, stopping: Stopping) -> Ending:
    saving, ranks = attempt.saving, attempt.ranks
    founders, own = founding(ranks, start.unit)
    with where_it_starts(attempt.where, claim, ranks, start.queue, stopping, start.quiet) as there:
        if there is None:
            return Ending(None)
        join, method = start.means.found(there.reach)
        if method == RESTART:
            note(f"job {claim.name}: its MPI starts no processes in a job: resizes restart it", start.quiet)
        kept = start.memory_epochs
        settings = {
            PROCESS_METHOD: method,
            PROTECT_FOLDER: str(kept.folder) if kept is not None else "",
            **start.settings,
            **own,
            **saving.settings,
        }
        job = there.supervision(start.build, start.path, start.arguments, founders, join, settings)
        launch = replace(job.launch, recovers=start.recovers)
        if saving.has_buddies and len({share.host for share in job.founders}) == 1:
            warn([f"--protect = buddy: all processes are on {job.founders[0].host}: its loss ends the job"])
        return _supervise(
            replace(job, launch=launch, memory_epochs=kept), claim, saving, stopping, start.quiet
        )


def _supervise(
    start: Supervision, claim: NameClaim, saving: Saving, stopping: Stopping, quiet: bool
) -> Ending:
    """Run the job; how it ended."""
    # A signal may come as soon as the job begins.
    with PassedOn(but_for=saving.signals) as signals, SaveSignals(saving.signals) as to_save:
        with Job(start, None, claim) as job:
            note(f"job {job.name}: `nereus resize {job.name} N` asks it for N ranks", quiet)
            last_epoch = _LastEpoch(job, saving, quiet)
            while job.running() and stopping.signal is None:
                job.attend(_ATTEND_SECONDS)
                for number in signals.take():
                    note(f"job {job.name}: {number.name} is passed on to its processes", quiet)
                    job.pass_on(number)
                if last_epoch.is_over(to_save):
                    stopping.signal = to_save.first
            outcome = None if job.running() else job.outcome()
        return Ending(outcome, job.stopped, job.was_opened, job.ranks, job.lost_hosts, job.hosts)


class _LastEpoch:
    """What a signal has the job do before it ends."""

    def __init__(self, job: Job, saving: Saving, quiet: bool) -> None:
        self._job, self._patience, self._quiet = job, saving.patience, quiet
        self._until: float | None = None
        self._failed = False

    def is_over(self, signals: SaveSignals) -> bool:
        """Whether the job is to be ended as it is."""
        if signals.first is None:
            return False
        if self._until is None:
            note(f"job {self._job.name}: {signals.first.name}: it saves an epoch and ends", self._quiet)
            self._until = time.monotonic() + self._patience
            self._job.stop(self._has_failed)
        if time.monotonic() > self._until and not self._failed:
            self._has_failed(f"it took longer than {self._patience:g} s (--save-patience)")
        return self._failed or signals.second is not None

    def _has_failed(self, why: str) -> None:
        self._failed = True
        complain(f"job {self._job.name}: no epoch was saved: {why}")


def _exit_code(ending: Ending, saving: Saving, stopping: Stopping, program: list[str]) -> int:
    code = exit_code_of(ending, stopping)
    if code != 0 or not ending.stopped or saving.folder is None:
        return code
    from nereus.analysis.report.units import bytes_text  # jobs that are not stopped begin sooner without it

    epoch = chosen_epoch(saving.folder)
    words = shlex.join(
        ["nereus", "run", "--resume", str(saving.folder), "-n", str(ending.ranks), "--", *program]
    )
    complain(f"stopped after epoch {epoch.number} ({bytes_text(epoch.bytes)}); to continue: {words}")
    return TO_BE_CONTINUED
