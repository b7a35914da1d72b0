# SPDX-License-Identifier: BSD-3-Clause
"""Stages of the emulator from the calls of an iteration. Pure.

Computing before a call is a stage where it lasts long enough. Calls that send to single peers, one behind the
other, are one exchange. Where the program computes while messages are under way, they begin before and end
behind. A collective or a call for a file that does not block has the time of the wait for it too. What no
stage shows of the time of the iteration is shared out to its communication and files.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nereus.analysis.capture.iterations import Part, Repeated

# Shorter computing is part of the call behind it: in s, and as a share of the iteration.
_SHORT = 1e-6
_SMALL = 0.005
_MOST_MESSAGE = 2**31 - 1

_COLLECTIVES = {"Bcast": "bcast", "Reduce": "reduce", "Allreduce": "allreduce"}
_COLLECTIVES |= {"Allgather": "allgather", "Allgatherv": "allgather"}
# Emulated by the nearest there is.
_NEAREST = {"Barrier": "allreduce", "Gather": "reduce", "Gatherv": "reduce", "Scatter": "bcast"}
_NEAREST |= {"Scatterv": "bcast", "Alltoall": "allgather", "Alltoallv": "allgather", "Alltoallw": "allgather"}
_NEAREST |= {"Reduce_scatter": "allreduce", "Reduce_scatter_block": "allreduce", "Scan": "allreduce"}
_NEAREST |= {
    "Exscan": "allreduce",
    "Comm_dup": "allreduce",
    "Comm_split": "allreduce",
    "Comm_create": "allreduce",
}
_SENDS = {"Send", "Bsend", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace"}
_STARTS = {"Isend", "Ibsend", "Issend", "Irsend", "Isendrecv", "Isendrecv_replace", "Start", "Startall"}
_ONE_SIDED = {"Put", "Rput", "Get", "Rget", "Accumulate", "Raccumulate"}
_ONE_SIDED |= {"Get_accumulate", "Rget_accumulate", "Fetch_and_op", "Compare_and_swap"}
_TO_NEIGHBOURS = {
    f"Neighbor_{what}" for what in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
}
_SENDING = _SENDS | _STARTS | _ONE_SIDED | _TO_NEIGHBOURS
_RECEIVING = ("Recv", "Mrecv")
_ENDING = ("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")


@dataclass
class Step:
    """A stage while it is made: what the iteration does, and for how long."""

    type: str
    seconds: float = 0.0
    bytes: float = 0.0
    id: int | None = None
    calls: list[str] = field(default_factory=list)

    @property
    def is_computing(self) -> bool:
        """Whether ranks do it each for itself, with a core."""
        return self.type == "compute"

    @property
    def is_timed(self) -> bool:
        """Whether what is left of its time can be waited out."""
        return self.type not in ("compute", "ip2p")


def steps_of(repeated: Repeated) -> list[Step]:
    """The stages of an iteration, with the times that they have in the end."""
    made = _Making(max(_SHORT, _SMALL * repeated.seconds))
    parts = repeated.parts if repeated.is_pattern else _gathered(repeated.parts)
    for part in parts:
        made.add(part)
    made.compute(repeated.tail)
    return _fitted(made.ended(), repeated.seconds - repeated.lost)


def unlike(parts: Sequence[Part]) -> set[str]:
    """Calls that the emulator has none of, so that the nearest one stands for them."""
    return {part.shape.call for part in parts if _plain(part.shape.call) in _NEAREST}


def table_of(step: Step, weight: float, computing: str) -> dict[str, Any]:
    """As an experiment has it; work of a rank is multiplied by its weight."""
    if step.is_computing:
        return {"type": computing, "time": _written(step.seconds / weight), "capped": True}
    if step.type == "ip2p":
        return {"type": "ip2p", "bytes": _message(step.bytes), "id": step.id}
    if step.type == "wait":
        return {"type": "wait", "time": _written(step.seconds), "padded": True, "id": step.id}
    most = step.bytes if step.type in ("write", "read") else _message(step.bytes)
    return {"type": step.type, "time": _written(step.seconds), "bytes": max(1, round(most)), "padded": True}


def _written(seconds: float) -> float:
    """With as many digits as are worth reading."""
    return float(f"{seconds:.4g}")


def _message(size: float) -> int:
    return max(1, min(round(size), _MOST_MESSAGE))


class _Making:
    """Stages one behind the other."""

    def __init__(self, shortest: float) -> None:
        self._shortest = shortest
        self._steps: list[Step] = []
        self._exchange: Step | None = None  # that may go on
        self._is_begun = False  # whether messages of it are under way
        self._open: list[int] = []  # ids of exchanges that have no end yet
        self._ids = 0
        self._unended: list[Step] = []  # collectives and files that are not waited for yet
        self._little = 0.0  # computing too short for a stage

    def add(self, part: Part) -> None:
        """One more call with the computing before it."""
        self.compute(part.computed)
        call, seconds = _plain(part.shape.call), part.in_call + self._little
        self._little = 0.0
        if kind := _COLLECTIVES.get(call) or _NEAREST.get(call):
            self._whole(kind, part, seconds, ends=call == part.shape.call)
        elif call.startswith("File_") and part.bytes > 0:
            self._whole(_kind_of_file(call), part, seconds, ends=not call.startswith("File_i"))
        elif call in _ENDING and self._open and self._exchange is None:
            self._append(Step("wait", seconds, id=self._open.pop(0), calls=[part.shape.call]))
        elif call in _ENDING and self._unended and not self._is_begun:
            self._more_of(self._unended.pop(0), part, seconds)
        elif call in _SENDING or call in _RECEIVING:
            self._exchanged(part, call, seconds)
        elif self._steps and self._steps[-1].is_timed:
            self._more_of(self._steps[-1], part, seconds)
            self._is_begun = self._is_begun and call not in _ENDING
        else:
            self._exchanged(part, call, seconds)

    def compute(self, seconds: float) -> None:
        """Computing, where it is long enough; messages that are under way are a stage of their own then."""
        if seconds < self._shortest:
            self._little += seconds
            return
        self._close_exchange()
        if self._steps and self._steps[-1].is_computing:
            self._steps[-1].seconds += seconds
        else:
            self._steps.append(Step("compute", seconds))

    def ended(self) -> list[Step]:
        """All stages; messages that are under way end with the iteration."""
        self._close_exchange()
        self._steps += [Step("wait", id=number) for number in self._open]
        if any(step.type in ("p2p", "ip2p") and step.bytes for step in self._steps):
            # Where messages are only expected, nothing is exchanged yet.
            self._steps = [step for step in self._steps if step.type != "p2p" or step.bytes]
        if self._little and self._steps:
            self._steps[-1].seconds += self._little
        return self._steps

    def _whole(self, kind: str, part: Part, seconds: float, *, ends: bool) -> None:
        """A call that is a stage by itself; where it does not end there, the wait for it is part of that."""
        self._append(Step(kind, seconds, part.bytes, calls=[part.shape.call]))
        if not ends:
            self._unended.append(self._steps[-1])

    def _more_of(self, step: Step, part: Part, seconds: float) -> None:
        step.seconds += seconds
        step.calls.append(part.shape.call)

    def _append(self, step: Step) -> None:
        self._close_exchange()
        self._steps.append(step)

    def _exchanged(self, part: Part, call: str, seconds: float) -> None:
        if self._exchange is None:
            self._exchange = Step("p2p")
            self._steps.append(self._exchange)
        self._exchange.seconds += seconds
        self._exchange.bytes += part.bytes if call in _SENDING else 0.0
        self._exchange.calls.append(part.shape.call)
        self._is_begun = (self._is_begun or call in _STARTS) and call not in _ENDING

    def _close_exchange(self) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is not None and self._is_begun and exchange.bytes > 0:
            exchange.type, exchange.id = "ip2p", self._ids
            self._open.append(self._ids)
            self._ids += 1
        self._is_begun = False


def _plain(call: str) -> str:
    """The blocking form of a collective or of a call that writes or reads."""
    if call.startswith("I") and call[1:2].islower():
        blocking = call[1:].capitalize()
        if blocking in _COLLECTIVES or blocking in _NEAREST or blocking.startswith("Neighbor"):
            return blocking
    return call


def _kind_of_file(call: str) -> str:
    return "read" if "read" in call else "write"


def _gathered(parts: Sequence[Part]) -> list[Part]:
    """Of a part that is no pattern: its files, and all else as computing before one call."""
    files = [part for part in parts if part.shape.call.startswith("File_") and part.bytes > 0]
    others = [part for part in parts if part not in files]
    if not others:
        return files
    longest = max(others, key=lambda part: part.in_call)
    shape = longest.shape.model_copy(update={"call": "Allreduce"})
    computed = sum(part.computed for part in others)
    in_calls = sum(part.in_call for part in others)
    return [Part(shape, computed, in_calls, 8.0), *files]


def _fitted(steps: list[Step], seconds: float) -> list[Step]:
    """The same, so that they last as long as the iteration did."""
    computing = [step for step in steps if step.is_computing]
    timed = [step for step in steps if step.is_timed]
    busy = sum(step.seconds for step in computing)
    if timed:
        _scale(timed, max(0.0, seconds - busy))
    else:
        _scale(computing, max(seconds, busy))
    return steps


def _scale(steps: list[Step], seconds: float) -> None:
    total = sum(step.seconds for step in steps)
    for step in steps:
        step.seconds = step.seconds * seconds / total if total else seconds / len(steps)
