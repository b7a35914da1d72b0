# SPDX-License-Identifier: BSD-3-Clause
"""Reads Paraver's format as its description has it, for tests: every number is checked against the header."""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Paraver:
    """What a .prv has; processes and threads count from 0."""

    last: int = 0
    nodes: list[int] = field(default_factory=list)  # node of each task
    cores: list[int] = field(default_factory=list)  # of each task, from 1; 0: it has no record
    threads: list[int] = field(default_factory=list)  # of each task
    states: list[tuple[int, int, int, int, int]] = field(
        default_factory=list
    )  # task, thread, begin, end, state
    events: list[tuple[int, int, int, int, int]] = field(
        default_factory=list
    )  # task, thread, time, type, value
    messages: list[tuple[int, int, int, int, int, int]] = field(
        default_factory=list
    )  # tasks, times, size, tag
    values: dict[int, dict[int, str]] = field(default_factory=dict)  # names by type and value
    types: dict[int, str] = field(default_factory=dict)  # their names
    rows: dict[str, list[str]] = field(default_factory=dict)  # names by level


def read_paraver(path: Path) -> Paraver:
    found = Paraver()
    lines = path.read_text().splitlines()
    head = re.fullmatch(
        r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\((.+)\)", lines[0]
    )
    assert head is not None, lines[0]
    found.last = int(head[1])
    cores = [int(each) for each in head[3].split(",")]
    assert len(cores) == int(head[2])
    for task in head[5].split(","):
        threads, node = map(int, task.split(":"))
        assert 1 <= node <= len(cores)
        found.threads.append(threads)
        found.nodes.append(node - 1)
    assert len(found.threads) == int(head[4])
    before = 0
    for line in lines[1:]:
        before = _read(found, [int(each) for each in line.split(":")], sum(cores), before)
    _read_names(found, path)
    return found


def _read(found: Paraver, fields: list[int], cores: int, before: int) -> int:
    kind, core, application, task, thread = fields[:5]
    _check(found, (core, application, task, thread), cores)
    begin = fields[5]
    assert before <= begin <= found.last, "records are in order"
    task, thread = task - 1, thread - 1
    if kind == 1:
        assert begin <= fields[6] <= found.last
        found.states.append((task, thread, begin, fields[6], fields[7]))
    elif kind == 2:
        pairs = fields[6:]
        assert len(pairs) % 2 == 0
        found.events += [(task, thread, begin, *pairs[at : at + 2]) for at in range(0, len(pairs), 2)]  # type: ignore[misc]
    else:
        assert kind == 3 and len(fields) == 15
        _check(found, tuple(fields[7:11]), cores)
        found.messages.append((task, fields[9] - 1, begin, fields[11], fields[13], fields[14]))
    return begin


def _check(found: Paraver, who: tuple[int, ...], cores: int) -> None:
    core, application, task, thread = who
    found.cores = found.cores or [0] * len(found.threads)
    assert found.cores[task - 1] in (0, core)
    found.cores[task - 1] = core
    assert 1 <= core <= cores
    assert application == 1
    assert 1 <= task <= len(found.threads)
    assert 1 <= thread <= found.threads[task - 1]


def _read_names(found: Paraver, path: Path) -> None:
    for block in path.with_suffix(".pcf").read_text().split("\n\n"):
        lines = block.strip().splitlines()
        if lines and lines[0] == "EVENT_TYPE":
            values = lines[lines.index("VALUES") + 1 :] if "VALUES" in lines else []
            found.types[int(lines[1].split()[1])] = lines[1].split(" ", 2)[2]
            found.values[int(lines[1].split()[1])] = {
                int(value): name for value, name in (line.split(" ", 1) for line in values)
            }
    for block in path.with_suffix(".row").read_text().split("\n\n"):
        lines = block.strip().splitlines()
        level, size = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", lines[0]).groups()  # type: ignore[union-attr]
        assert len(lines) == int(size) + 1
        found.rows[level] = lines[1:]
