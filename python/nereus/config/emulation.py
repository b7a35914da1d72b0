# SPDX-License-Identifier: BSD-3-Clause
"""From what a real application measured of itself to an experiment that does the same.

Times are means over iterations: most of what disturbs an application is others' use of memory, of which the
emulation, which touches little of it, meets nothing. A stage that communicates is done as it was, once with
its bytes, and what is left of the time that it took at the rank that waited least for others is waited out:
ranks whose computing varies less than the model's wait less for each other. What an iteration takes outside
of all stages is computing. Computing is capped: it takes a core for as long as the model did, however fast
cores are when it is emulated.
"""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import ValidationError

from nereus.config.errors import fail, show
from nereus.config.measured import Committed, Ended, Measured, MeasuredStage, read_measured
from nereus.config.model import Experiment
from nereus.stages import MESSAGES

_COMPUTING = {"compute": "pi", "memory": "matrix"}
_LONGEST_NAME = 64
# Shorter computation ends within a turn on the core, s (tools/emulator/calibration.hpp).
_ONE_TURN = 0.001


def emulation_of(file: Path) -> Experiment:
    """The experiment that emulates the job which wrote `file`; ConfigError where it tells too little."""
    measured = read_measured(file)
    iterated = [generation for generation in measured.generations if generation.iterations]
    if not iterated:
        raise fail(f"{file}", "iterations: the application never reached a checkpoint")
    try:
        return Experiment.model_validate(_tree(measured, iterated[0]))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise fail(f"{file}", f"cannot be emulated: {first['msg']}", key, show(first["input"])) from None


def _tree(measured: Measured, model: Ended) -> dict[str, Any]:
    """`model`: the generation whose stages are told; the others have a factor and weights."""
    generations = measured.generations
    begins = [None, *measured.resizes]
    groups = [_group(*one, model) for one in zip(generations, begins, strict=True)]
    for group, generation, end in zip(groups[:-1], generations[:-1], measured.resizes, strict=True):
        in_background = end.background_iterations if end is not None else 0
        group["iterations"] = max(0, generation.iterations - in_background)
    return {
        "name": _name(measured.header.program),
        "verify": False,
        "data": model.model_dump(include={"constant_bytes", "variable_bytes", "memory"}),
        "phases": [{"iterations": sum(each.iterations for each in generations), "stages": _stages(model)}],
        "groups": groups,
    }


def _group(generation: Ended, begin: Committed | None, model: Ended) -> dict[str, Any]:
    """`begin`: the resize that led to it."""
    busy, usual = _busy(generation), fmean(_busy(model))
    mean = fmean(busy)
    group: dict[str, Any] = {"ranks": generation.ranks}
    stages, own = _stages(model), _stages(generation)
    if [stage["type"] for stage in stages] == [stage["type"] for stage in own]:
        group["times"] = [stage["time"] for stage in own]
    elif mean and usual:
        group["factor"] = mean / usual
    if mean:
        group["weights"] = [max(seconds / mean, 1e-9) for seconds in busy]
    return group | (begin.ways if begin is not None else {})


def _stages(generation: Ended) -> list[dict[str, Any]]:
    if not generation.iterations:
        return []
    stages = [_stage(stage, generation) for stage in generation.stages]
    if rest := fmean(_outside_stages(generation)):
        stages.append(_computing("pi", rest, generation))
    return stages


def _stage(stage: MeasuredStage, generation: Ended) -> dict[str, Any]:
    seconds = [each for each in generation.stage_seconds(stage) if each is not None]
    few = {"ranks": len(seconds)} if _only_first_ranks(stage) else {}
    if stage.kind in _COMPUTING:
        return {**_computing(_COMPUTING[stage.kind], fmean(seconds), generation), **few}
    # The one that waits least for others took the time of the operation itself.
    timed = {"type": stage.kind, "time": min(seconds), **few}
    if not stage.bytes:
        return timed
    return {**timed, "bytes": stage.bytes, "padded": stage.kind in MESSAGES}


def _computing(kind: str, seconds: float, generation: Ended) -> dict[str, Any]:
    has_turns_of_others = generation.shares_cores and seconds >= _ONE_TURN
    return {"type": kind, "time": seconds, "capped": not has_turns_of_others}


def _only_first_ranks(stage: MeasuredStage) -> bool:
    taking_part = [total is not None for total in stage.total_seconds]
    return not all(taking_part) and taking_part == sorted(taking_part, reverse=True)


def _busy(generation: Ended) -> list[float]:
    """For each rank: seconds of an iteration in which it computes."""
    busy = _outside_stages(generation)
    for stage in generation.stages:
        if stage.kind in _COMPUTING:
            busy = [a + (b or 0.0) for a, b in zip(busy, generation.stage_seconds(stage), strict=True)]
    return busy


def _outside_stages(generation: Ended) -> list[float]:
    """For each rank: seconds of an iteration in no stage."""
    in_stages = [0.0] * generation.ranks
    for stage in generation.stages:
        in_stages = [a + (b or 0.0) for a, b in zip(in_stages, generation.stage_seconds(stage), strict=True)]
    return [max(0.0, a - b) for a, b in zip(generation.whole_seconds(), in_stages, strict=True)]


def _name(program: str) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]", "-", Path(program).name).lstrip("._-")
    return (name or "application")[:_LONGEST_NAME]
