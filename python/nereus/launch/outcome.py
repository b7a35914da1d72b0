# SPDX-License-Identifier: BSD-3-Clause
"""How a job ended: what the launcher's exit code and words say about its ranks."""

import re
import signal
from dataclasses import dataclass

# Launchers turn a signal into exit codes of their own; their words are the same in all versions that we know.
_SIGNAL_WORDS = (re.compile(r"EXIT STRING: .*\(signal (\d+)\)"), re.compile(r"exited on signal (\d+)"))
_CODE_WORDS = (
    re.compile(r"^=\s+EXIT CODE: (\d+)", re.MULTILINE),
    re.compile(r"^\s+Exit code:\s+(\d+)", re.MULTILINE),
)
# What ends programs most often; a launcher hands such a number on as it is, or with 128 added.
_FATAL = (signal.SIGABRT, signal.SIGBUS, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)
# What may be done about it.
_REMEDY = "shared memory may be full (df /dev/shm); --nereus-memory=private does not need it"
# What may befall a rank because another has died.
_OF_OTHERS = (signal.SIGABRT, signal.SIGTERM)


@dataclass(frozen=True)
class Outcome:
    """The end of a job."""

    good: bool
    text: str
    #: For a shell: 0, the failing rank's exit code, or 128 + the signal that killed it.
    code: int = 0


def judge(exit_code: int, output: str | None) -> Outcome:
    """The outcome for the launcher's exit code (negative: the signal that killed it) and all it wrote.

    `output` is None where it passed through to the user: then the code alone must do.
    """
    if exit_code == 0:
        return Outcome(True, "the job ended normally")
    if output is None and exit_code > 0:
        return _judge_code(exit_code)
    output = output or ""
    killed = _killed(output)
    if killed is not None:
        return Outcome(False, f"a rank was killed by {_signal(killed)}{_doubt(killed)}", 128 + killed)
    if exit_code < 0:
        return Outcome(False, f"the launcher was killed by {_signal(-exit_code)}", 128 - exit_code)
    code = _first(_CODE_WORDS, output)
    code = exit_code if code is None else code
    # A rank that is asked to end may do so by itself, with the code that a shell would give it.
    return Outcome(False, f"a rank ended with exit code {code}{_doubt(code - 128)}", code or 1)


def _judge_code(exit_code: int) -> Outcome:
    text = f"a rank ended with exit code {exit_code}"
    number = exit_code - 128 if exit_code > 128 else exit_code
    if number in _FATAL:
        text += f", or was killed by {_name(number)}"
    if number == signal.SIGBUS:  # many a program ends with 7 by itself
        text += f"; if it was killed, {_REMEDY}"
    return Outcome(False, text, exit_code)


def _killed(output: str) -> int | None:
    """The signal that ended the job: ranks that abort or are ended may be so because another was killed."""
    signals = [int(found) for pattern in _SIGNAL_WORDS for found in pattern.findall(output)]
    causes = [number for number in signals if number not in _OF_OTHERS]
    return next(iter(causes or signals), None)


def _doubt(number: int) -> str:
    """The launcher tells of one rank of a world only, of that which it heard of first."""
    return ", perhaps because another one had died" if number in _OF_OTHERS else ""


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(text)
        if found:
            return int(found[1])
    return None


def _signal(number: int) -> str:
    return _name(number) + (f": {_REMEDY}" if number == signal.SIGBUS else "")


def _name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
