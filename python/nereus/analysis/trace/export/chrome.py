# SPDX-License-Identifier: BSD-3-Clause
"""Trace Event Format of Chrome: JSON that chrome://tracing, Perfetto's page and Speedscope read."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nereus.analysis.trace.counters import counters
from nereus.analysis.trace.export.lanes import (
    DAEMON,
    GENERATIONS,
    Lane,
    activity_lane,
    arrows,
    lanes,
    process_label,
)
from nereus.analysis.trace.file import NO_PEER
from nereus.analysis.trace.model import Timeline, Track

_AT_ONCE = 10_000  # lines


def write_chrome(run: Timeline, path: Path) -> None:
    """OSError where it cannot be written."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","otherData":')
        file.write(json.dumps({"started_unix": run.started_unix, "notes": run.notes}))
        file.write(',"traceEvents":[\n')
        waiting: list[str] = []
        for line in _lines(run):
            waiting.append(line)
            if len(waiting) == _AT_ONCE:
                file.write(",\n".join(waiting) + ",\n")
                waiting.clear()
        file.write(",\n".join([*waiting, _named("process_name", 0, "run")]))
        file.write("\n]}\n")


def _lines(run: Timeline) -> Iterator[str]:
    for number, track in enumerate(run.tracks, 1):
        yield _named("process_name", number, process_label(track))
        yield _meta("process_sort_index", number, sort_index=number)
        for lane in lanes(run, number - 1):
            yield _named("thread_name", number, lane.name, lane.number)
            yield from _slices(track, number, lane)
    yield from _spans(run)
    yield from _decisions(run)
    yield from _arrows(run)
    for counter in counters(run):
        name = json.dumps(counter.name)
        for time, value in zip(counter.time.tolist(), counter.value.tolist(), strict=True):
            yield f'{{"ph":"C","pid":0,"name":{name},"ts":{_us(time)},"args":{{"value":{value}}}}}'


def _slices(track: Track, process: int, lane: Lane) -> Iterator[str]:
    names = [json.dumps(name) for name in track.names]
    groups = {number: json.dumps(name) for number, name in track.groups.items() if name}
    at = lane.calls
    columns = (track.name, track.begin, track.end, track.bytes, track.peer, track.tag, track.group)
    rows: Iterable[tuple[Any, ...]] = zip(
        *(column[at].tolist() for column in columns), track.tests_in_vain[at].tolist(), strict=True
    )
    head = f'{{"ph":"X","cat":"mpi","pid":{process},"tid":{lane.number},"name":'
    for name, begin, end, size, peer, tag, group, in_vain in rows:
        facts = [f'"bytes":{size}'] if size else []
        if peer != NO_PEER:
            facts.append(f'"peer":{peer},"tag":{tag}')
        if group in groups:
            facts.append(f'"communicator":{groups[group]}')
        if in_vain:
            facts.append(f'"tests":{in_vain}')
        yield (
            f'{head}{names[name]},"ts":{_us(begin)},"dur":{_us(end - begin)},"args":{{{",".join(facts)}}}}}'
        )


def _spans(run: Timeline) -> Iterator[str]:
    for span in run.generations:
        yield _span("generation", span.label, span.track + 1, GENERATIONS, span.begin, span.end)
    for state in run.states:
        lane = activity_lane(run, state.activity)
        yield _span(state.activity, state.state, state.track + 1, lane, state.begin, state.end)


def _decisions(run: Timeline) -> Iterator[str]:
    if run.decisions:
        yield _named("thread_name", 0, DAEMON, 1)
    for decision in run.decisions:
        facts = json.dumps({"job": decision.job, **decision.facts})
        yield (
            f'{{"ph":"i","s":"t","cat":"{DAEMON}","pid":0,"tid":1,"name":{json.dumps(decision.label)},'
            f'"ts":{_us(decision.time)},"args":{facts}}}'
        )


def _span(category: str, name: str, process: int, lane: int, begin: int, end: int) -> str:
    return (
        f'{{"ph":"X","cat":"{category}","pid":{process},"tid":{lane},"name":{json.dumps(name)},'
        f'"ts":{_us(begin)},"dur":{_us(end - begin)}}}'
    )


def _arrows(run: Timeline) -> Iterator[str]:
    """An arrow ends within the slice whose end it is."""
    for number, arrow in enumerate(arrows(run), 1):
        yield _arrow("s", "message", number, arrow.source + 1, arrow.sender, arrow.sent)
        yield _arrow("f", "message", number, arrow.destination + 1, arrow.receiver, arrow.within)
    for number, succession in enumerate(run.successions, len(run.messages) + 1):
        before, after = succession.before, succession.after
        last = max(before.begin, min(before.end - 1, after.begin))
        yield _arrow("s", "rank goes on", number, before.track + 1, GENERATIONS, last)
        yield _arrow("f", "rank goes on", number, after.track + 1, GENERATIONS, max(last, after.begin))


def _arrow(end: str, name: str, number: int, process: int, lane: int, time: int) -> str:
    bound = ',"bp":"e"' if end == "f" else ""
    return (
        f'{{"ph":"{end}"{bound},"cat":"{name}","name":"{name}","id":{number},'
        f'"pid":{process},"tid":{lane},"ts":{_us(time)}}}'
    )


def _named(what: str, process: int, name: str, thread: int = 0) -> str:
    return _meta(what, process, thread, name=name)


def _meta(what: str, process: int, thread: int = 0, **facts: object) -> str:
    return f'{{"ph":"M","name":"{what}","pid":{process},"tid":{thread},"args":{json.dumps(facts)}}}'


def _us(nanoseconds: int) -> str:
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"
