# SPDX-License-Identifier: BSD-3-Clause
"""Options of `nereus run` about epochs: where they are saved, when, and what continues from them."""

import signal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.messages import Refused
from nereus.reading.durations import seconds_in
from nereus.runs import Recoveries, RecoveryLimit, Saving, Where
from nereus.runs.where import USUAL_HEARTBEAT_TIMEOUT

_SIGNALS = {each.name.removeprefix("SIG"): each for each in signal.Signals}
_AUTO = "auto"
# Of a job that is protected.
_USUAL_RECOVERIES = 3
_NOT_CAUGHT = {signal.SIGKILL, signal.SIGSTOP, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}


class Protection(StrEnum):
    """What epochs in memory outlive."""

    #: Processes of a job on this host.
    MEMORY = "memory"
    #: A host, too.
    BUDDY = "buddy"


SaveOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Save epochs there, from which the job can be continued."),
]
SaveEveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How often, as 90 (seconds) or 10min; auto: as often as that takes 1 % of the time at most; if "
        "not given: on request only.",
    ),
]
SaveSignalOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A signal at which the job saves an epoch and ends, as at TERM: USR1, for example.",
    ),
]
USUAL_SAVE_PATIENCE = 60.0
SavePatienceOption = Annotated[
    float, typer.Option(min=0.1, max=1e6, metavar="SECONDS", help="How long that may take after a signal.")
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Continue from the newest epoch there, or from the one whose folder it is."
    ),
]
ProtectOption = Annotated[
    Protection | None,
    typer.Option(
        help="Keep epochs in memory that outlives the job's processes: of this host; buddy: of each host of "
        "--hosts, with a copy on another one."
    ),
]
ProtectEveryOption = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How often, as --save-every; if not given: auto."),
]
RecoveriesOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=10**6,
        metavar="N",
        help="Start a job that failed again, from its latest epoch, N times; if not given: "
        f"{_USUAL_RECOVERIES} with --protect, else 0.",
    ),
]
_SHORTEST_TIMEOUT, _LONGEST_TIMEOUT = 2.0, 86400.0
HeartbeatTimeoutOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="With --recoveries, a host of --hosts is lost when no heartbeat came from it for so long; they "
        f"come each second; if not given: {USUAL_HEARTBEAT_TIMEOUT:g}; 0: hosts send none.",
    ),
]
RecoveryWindowOption = Annotated[
    str, typer.Option(metavar="TIME", help="In how long a time: older ones do not count.")
]


def saving_asked_for(
    save: Path | None,
    every: str | None,
    at_signal: str | None,
    patience: float,
    resume: Path | None,
    protect: Protection | None,
    protect_every: str | None,
) -> Saving:
    """Checked; Refused where something does not go together."""
    if save is None and resume is None:
        for option, given in (("--save-every", every), ("--save-signal", at_signal)):
            if given is not None:
                raise Refused(f"{option} = {given}: needs --save")
    if protect is None and protect_every is not None:
        raise Refused(f"--protect-every = {protect_every}: needs --protect")
    how_often = _every("--protect-every", protect_every or _AUTO) if protect is not None else ""
    return Saving.of(
        save,
        _every("--save-every", every),
        _signal(at_signal),
        patience,
        resume,
        protect_every=how_often,
        has_buddies=protect == Protection.BUDDY,
    )


def recoveries_asked_for(wanted: int | None, window: str, saving: Saving) -> Recoveries:
    """Refused without a place for epochs."""
    most = wanted if wanted is not None else _USUAL_RECOVERIES if saving.protect_every else 0
    if most > 0 and saving.folder is None and not saving.protect_every:
        raise Refused(f"--recoveries = {most}: needs --save or --protect")
    if most == 0 and saving.protect_every:
        raise Refused("--recoveries = 0: epochs in memory (--protect) are for recoveries alone")
    return Recoveries(most, _seconds("--recovery-window", window))


def recovery_limit_asked_for(wanted: int | None, window: str) -> RecoveryLimit:
    """Of a program that saves its own state."""
    return RecoveryLimit(wanted or 0, _seconds("--recovery-window", window))


def heartbeat_timeout_asked_for(seconds: float | None, again: Recoveries, where: Where) -> float:
    """0 where nothing would come of a loss."""
    if seconds is None:
        return USUAL_HEARTBEAT_TIMEOUT if again.most > 0 else 0.0
    if seconds != 0 and not _SHORTEST_TIMEOUT <= seconds <= _LONGEST_TIMEOUT:
        raise Refused(
            f"--heartbeat-timeout = {seconds:g}: allowed are {_SHORTEST_TIMEOUT:g} to {_LONGEST_TIMEOUT:g} "
            "seconds, and 0 for no heartbeats"
        )
    if seconds != 0 and again.most == 0:
        raise Refused(f"--heartbeat-timeout = {seconds:g}: needs --recoveries")
    if seconds != 0 and not where.can_have_heartbeats:
        raise Refused(f"--heartbeat-timeout = {seconds:g}: needs other hosts, by --hosts")
    return seconds


def _every(option: str, text: str | None) -> str:
    """As the setting has it."""
    if text is None:
        return "0"
    return _AUTO if text == _AUTO else repr(_seconds(option, text, f", or {_AUTO}"))


def _signal(name: str | None) -> signal.Signals | None:
    if name is None:
        return None
    found = _SIGNALS.get(name.removeprefix("SIG"))
    if found is None or found in _NOT_CAUGHT:
        raise Refused(f"--save-signal = {name}: allowed are names of signals that can be caught, as USR1")
    return found


def _seconds(option: str, text: str, also_allowed: str = "") -> float:
    try:
        return seconds_in(text)
    except ValueError as problem:
        raise Refused(f"{option} = {text}: {problem}{also_allowed}") from None
