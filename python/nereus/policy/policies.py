# SPDX-License-Identifier: BSD-3-Clause
"""The policies that have a name: those of the paper (sections 4.2 and 4.3), its baselines, IO-Sets, and the
strategies of whole machines.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from math import ceil

from nereus.policy.decisions import Decision, Leave, Policy, Resize, State
from nereus.policy.interference import Conflict, meet, next_conflicts
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.period_coupling import Coupling, couple
from nereus.policy.phase_shifting import NotPossible, Shift, shift
from nereus.policy.sharing import Sharer, by_io, by_low_io, by_speedup, fair
from nereus.policy.strategies import STRATEGIES
from nereus.policy.throughput import by_throughput
from nereus.policy.turns import AllAtOnce, OneOfEachSet
from nereus.policy.under_strategy import PREFIX, UnderStrategy


class Uncoordinated(Policy):
    """Everybody writes when it comes to that, and nobody is resized: the paper's baseline."""

    order = AllAtOnce()


class Blocking(Policy):
    """One job after the other writes, first come first served: CLARISSE's parallel I/O scheduling."""


class IoSets(Policy):
    """One job of each set of about the same period writes (Boito, Pallez, Teylo and Vidal, 2023)."""

    order = OneOfEachSet()


@dataclass(frozen=True)
class _Coupled:
    """A job that was given `ranks` in the place of those of `before` for the sake of another."""

    partner: str
    before: int
    ranks: int


class PhaseShifting(Policy):
    """Blocking, and conflicts that are foreseen are avoided (Algorithm 3)."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        return [*_first_shift(state, parameters)]


class PeriodCoupling(PhaseShifting):
    """Phase shifting, and before it periods of jobs that will meet are brought together (Algorithm 4).

    A job whose partner has ended gets its ranks of before, which the paper leaves open.
    """

    def __init__(self) -> None:
        self._coupled: dict[str, _Coupled] = {}

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        if alone := self._alone(state):
            return alone
        for one, other in _pairs(state, parameters):
            found = couple(one, other, parameters)
            if isinstance(found, Coupling) and _meet(one, other, parameters):
                job, partner = (one, other) if one.name == found.job else (other, one)
                before = self._coupled[job.name].before if job.name in self._coupled else job.ranks
                self._coupled[job.name] = _Coupled(partner.name, before, job.ranks + found.ranks)
                return [_brought_together(found, job)]
        return super().decide(state, parameters)

    def _alone(self, state: State) -> list[Decision]:
        """Those that have other ranks for the sake of a job that is not there any more."""
        names = {job.name for job in state.jobs}
        self._coupled = {name: each for name, each in self._coupled.items() if name in names}
        found: list[Decision] = []
        for job in state.settled:
            coupled = self._coupled.get(job.name)
            if coupled is None or coupled.partner in names:
                continue
            if job.ranks == coupled.before or job.ranks != coupled.ranks:  # or somebody else resized it
                del self._coupled[job.name]
            elif coupled.before <= job.most:
                why = f"{coupled.partner}, to which its period was coupled, has ended"
                found.append(Resize(job.name, coupled.before, why))
        return found


class Fair(Policy):
    """Free cores go to all jobs alike."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        more = fair(_sharers(state, parameters), state.free)
        return _shared(state, more, "free cores are shared out evenly")


class BySpeedup(Policy):
    """Free cores go where they speed up most (Algorithm 5)."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        more = by_speedup(_sharers(state, parameters), state.free)
        return _shared(state, more, "free cores speed it up most")


class ByIo(Policy):
    """Free cores go where they speed up much and little is written (Algorithm 6)."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        more = by_io(_sharers(state, parameters), state.free, parameters)
        return _shared(state, more, "free cores speed it up, and it writes little")


class ByLowIo(Policy):
    """Free cores go to those that write less than others, as long as these get faster by them."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        more = by_low_io(_sharers(state, parameters), state.free)
        return _shared(state, more, "free cores speed it up, and those that write less have theirs")


class ByThroughput(Policy):
    """Free cores go where all jobs together get most done, with the waits that come of it."""

    def __init__(self) -> None:
        self._shared: object = None

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        sharers = _sharers(state, parameters)
        # Playing takes a while: not again where nothing has changed, and some cores were better left.
        asked = state.free, [(job.name, job.ranks) for job in sharers]
        if not sharers or asked == self._shared:
            return []
        self._shared = asked
        more = by_throughput(sharers, state.free, parameters)
        return _shared(state, more, "with them all jobs together get most done")


class Combined(Policy):
    """Interference first, as `phase-shifting`; where nothing is resized for it, `io-based` shares cores out.

    The paper's two controllers (sections 4.2 and 4.3) do not say who has which of the free cores: a part of
    all cores is kept for shifts, which only lend them. Coupled periods would undo what was shared out.
    """

    def __init__(self) -> None:
        self._interference, self._performance = PhaseShifting(), ByIo()

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        first = self._interference.decide(state, parameters)
        if any(isinstance(each, Resize) for each in first):
            return first
        all_cores = state.free + sum(job.ranks for job in state.jobs)
        kept = ceil(parameters.kept_for_shifts * all_cores)
        shared = replace(state, free=max(0, state.free - kept))
        return [*first, *self._performance.decide(shared, parameters)]


_OWN: Mapping[str, type[Policy]] = {
    "none": Uncoordinated,
    "blocking": Blocking,
    "io-sets": IoSets,
    "phase-shifting": PhaseShifting,
    "coupling": PeriodCoupling,
    "fair": Fair,
    "speedup": BySpeedup,
    "io-based": ByIo,
    "low-io": ByLowIo,
    "throughput": ByThroughput,
    "combined": Combined,
}

BY_NAME: Mapping[str, Callable[[], Policy]] = {
    **_OWN,
    **{f"{PREFIX}{name}": partial(UnderStrategy, each, name) for name, each in STRATEGIES.items()},
}


def is_ours(policy: Policy) -> bool:
    """And none of a user's."""
    if isinstance(policy, UnderStrategy):
        return policy.strategy in STRATEGIES.values()
    return type(policy) in _OWN.values()


def _earliest(state: State, parameters: Parameters) -> Iterator[Conflict]:
    """Conflicts of which something can be said now."""
    settled = {job.name for job in state.settled}
    predicted = {job.name: job.prediction for job in state.jobs if job.prediction is not None}
    ahead = next_conflicts(predicted, parameters.uncertainty)
    ours = (each for each in ahead if each.first.job in settled and each.second.job in settled)
    return islice(ours, parameters.most_conflicts)


def _pairs(state: State, parameters: Parameters) -> Iterable[tuple[Job, Job]]:
    """Of few jobs all, of many those that meet first."""
    if len(state.settled) <= parameters.few_jobs:
        return combinations(state.settled, 2)
    jobs = {job.name: job for job in state.settled}
    return ((jobs[each.first.job], jobs[each.second.job]) for each in _earliest(state, parameters))


def _first_shift(state: State, parameters: Parameters) -> Iterator[Decision]:
    """Of the earliest conflict that can be avoided: others are looked at when that is done."""
    settled = {job.name: job for job in state.settled}
    for conflict in _earliest(state, parameters):
        found = shift(conflict, state.jobs, parameters)
        if isinstance(found, Shift):
            job = settled[found.job]
            yield Resize(
                job.name, job.ranks + found.ranks, _why(conflict, found), found.grow_at, found.restore_at
            )
            return
        yield Leave(conflict.first.job, _why_not(conflict, found))


def _meet(one: Job, other: Job, parameters: Parameters) -> bool:
    if one.prediction is None or other.prediction is None:
        return False
    return meet(one.prediction, other.prediction, parameters.coupled_ahead, parameters.uncertainty)


def _why(conflict: Conflict, found: Shift) -> str:
    other = conflict.second.job if found.job == conflict.first.job else conflict.first.job
    return (
        f"its next I/O phase would meet that of {other} by {conflict.overlap:.1f} s: "
        f"moved {found.seconds:.1f} s ahead"
    )


def _why_not(conflict: Conflict, found: NotPossible) -> str:
    return (
        f"its next I/O phase will meet that of {conflict.second.job} by {conflict.overlap:.1f} s, "
        f"which cannot be avoided: {found.reasons[0]}"
    )


def _brought_together(found: Coupling, job: Job) -> Resize:
    return Resize(job.name, job.ranks + found.ranks, f"its period becomes {found.period:.1f} s")


def _sharers(state: State, parameters: Parameters) -> list[Sharer]:
    if state.free <= 0 or state.now < state.last_came + parameters.settle:
        return []
    return [_sharer(job) for job in state.settled]


def _sharer(job: Job) -> Sharer:
    writes = job.prediction.duration if job.prediction is not None else 0.0
    return Sharer(job.name, job.ranks, job.most, job.between, writes)


def _shared(state: State, more: Mapping[str, int], why: str) -> list[Resize]:
    ranks = {job.name: job.ranks for job in state.jobs}
    return [Resize(name, ranks[name] + each, why) for name, each in more.items() if each > 0]
