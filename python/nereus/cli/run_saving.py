# SPDX-License-Identifier: BSD-3-Clause
"""Options of `nereus run` about epochs: where they are saved, when, and what continues from them."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.messages import Refused
from nereus.reading.durations import seconds_in
from nereus.runs import Recoveries, Saving

_SIGNALS = {each.name.removeprefix("SIG"): each for each in signal.Signals}
_AUTO = "auto"
_NOT_CAUGHT = {signal.SIGKILL, signal.SIGSTOP, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}

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
SavePatienceOption = Annotated[
    float, typer.Option(min=0.1, max=1e6, metavar="SECONDS", help="How long that may take after a signal.")
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Continue from the newest epoch there, or from the one whose folder it is."
    ),
]
RecoveriesOption = Annotated[
    int,
    typer.Option(
        min=0, max=10**6, metavar="N", help="Start a job that failed again, from its latest epoch, N times."
    ),
]
RecoveryWindowOption = Annotated[
    str, typer.Option(metavar="TIME", help="In how long a time: older ones do not count.")
]


def saving_asked_for(
    save: Path | None, every: str | None, at_signal: str | None, patience: float, resume: Path | None
) -> Saving:
    """Checked; Refused where something does not go together."""
    if save is None and resume is None:
        for option, given in (("--save-every", every), ("--save-signal", at_signal)):
            if given is not None:
                raise Refused(f"{option} = {given}: needs --save")
    return Saving.of(save, _every(every), _signal(at_signal), patience, resume)


def recoveries_asked_for(most: int, window: str, saving: Saving) -> Recoveries:
    """Refused without a place for epochs."""
    if most > 0 and saving.folder is None:
        raise Refused(f"--recoveries = {most}: needs --save")
    return Recoveries(most, _seconds("--recovery-window", window))


def _every(text: str | None) -> str:
    """As the setting has it."""
    if text is None:
        return "0"
    return _AUTO if text == _AUTO else repr(_seconds("--save-every", text, f", or {_AUTO}"))


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
