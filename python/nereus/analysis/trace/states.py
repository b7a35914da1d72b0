# SPDX-License-Identifier: BSD-3-Clause
"""What a process did beside its calls: states of activities, phases, iterations, as its marks say."""

from collections import defaultdict
from collections.abc import Mapping

from nereus.analysis.trace.file import PAUSED, Numbers, ProcessTrace
from nereus.analysis.trace.model import StateSpan

PHASE, ITERATION, RESIZE = "phase", "iteration", "resize"
_SEPARATOR = ":"
#: Their marks are there too while recording pauses.
_ALWAYS = (PHASE, RESIZE)

_Mark = tuple[int, str]  # when, ns; the state, "": none


def is_state(name: str) -> bool:
    """Whether an event of this name is the mark of a state: no call of MPI has a colon."""
    return name in (PHASE, ITERATION) or _SEPARATOR in name


def states_of(
    track: int, trace: ProcessTrace, times: Numbers, last: int, phases: Mapping[int, str]
) -> list[StateSpan]:
    """Of one process, whose events are at `times`: each until the next one of its activity, or to `last`."""
    pauses = times[trace.is_name(PAUSED)].tolist()
    spans = []
    for activity, marks in _marks(trace, times, phases).items():
        if activity not in _ALWAYS:
            marks += [(time, "") for time in pauses]
        marks.sort(key=lambda mark: mark[0])  # several threads may have made them
        ends = [time for time, _ in marks[1:]] + [max(last, marks[-1][0])]
        spans += [
            StateSpan(activity, state, track, begin, end)
            for (begin, state), end in zip(marks, ends, strict=True)
            if state
        ]
    return spans


def _marks(trace: ProcessTrace, times: Numbers, phases: Mapping[int, str]) -> dict[str, list[_Mark]]:
    found: dict[str, list[_Mark]] = defaultdict(list)
    at = trace.is_name(*filter(is_state, trace.names))
    rows = zip(times[at].tolist(), trace.name[at].tolist(), trace.events["bytes"][at].tolist(), strict=True)
    for time, name, number in rows:
        text = trace.names[name]
        if text == PHASE:
            found[PHASE].append((time, phases.get(number, "")))
        elif text == ITERATION:
            found[ITERATION].append((time, str(number)))
        else:
            activity, state = text.split(_SEPARATOR, 1)
            found[activity].append((time, state))
    return found
