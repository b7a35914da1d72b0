# SPDX-License-Identifier: BSD-3-Clause
"""Result files, of the emulator and of jobs with the setting `results`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nereus.analysis.frames.tables import Row, Tables
from nereus.analysis.report import Results, read
from nereus.analysis.report.frames import rows_of
from nereus.config.measured import Committed, Ended, Measured, read_measured

_UNFINISHED = "{}: the run did not finish: read up to there"


def result_tables(path: Path) -> Tables:
    """Of a run that was emulated."""
    results = read(path)
    rows = {
        "run": [_run(results)],
        **rows_of(results),
        "stages": list(_stages(results)),
        "failures": [recovery.document() for recovery in results.recoveries],
    }
    unfinished = [] if results.finished else [_UNFINISHED.format(results.path)]
    return Tables("result", rows, unfinished)


def _run(results: Results) -> Row:
    header, costs = results.header, results.epoch_costs
    return {
        "name": header.run.name,
        "host": header.host,
        "mpi": header.mpi,
        "nereus_version": header.nereus_version,
        "started": header.started,
        "finished": results.finished,
        "total_seconds": results.total_seconds,
        "data_intact": results.end.data_intact if results.end else None,
        "package_joules": results.energy.package_joules if results.energy else None,
        "epochs": len(costs.epochs) if costs else None,
        "epochs_not_made": costs.failed if costs else None,
        "epoch_seconds": costs.seconds if costs else None,
    }


def _stages(results: Results) -> Iterator[Row]:
    phases = results.header.run.phases
    for number, generation in enumerate(results.generations):
        for iteration in generation.iterations:
            planned = phases[iteration.phase].stages if iteration.phase < len(phases) else []
            for stage, seconds in enumerate(iteration.stage_seconds):
                yield {
                    "iteration": iteration.index,
                    "generation": number,
                    "ranks": generation.ranks,
                    "phase": iteration.phase,
                    "stage": stage,
                    "type": planned[stage].type if stage < len(planned) else None,
                    "stage_seconds": seconds,
                    "background": iteration.background,
                    "moving": iteration.moving,
                    "sampled": iteration.sampled,
                    "repeated": iteration.repeated,
                }


def measured_tables(path: Path) -> Tables:
    """Of a job that measured itself."""
    measured = read_measured(path)
    rows = {
        "generations": [each.model_dump() for each in measured.ended],
        "ranks": list(_ranks(measured)),
        "stages": [row for each in measured.ended for row in _measured_stages(each)],
        "resizes": [_measured_resize(each) for each in measured.committed],
    }
    return Tables("measured", rows, [] if measured.finished else [_UNFINISHED.format(path)])


def _ranks(measured: Measured) -> Iterator[Row]:
    for generation in measured.ended:
        columns = (generation.hosts, generation.iteration_seconds, generation.iteration_total_seconds)
        for rank, (host, seconds, total) in enumerate(zip(*columns, strict=True)):
            times = {"iteration_seconds": seconds, "iteration_total_seconds": total}
            yield {**_place(generation, rank), "host": host, **times}


def _place(generation: Ended, rank: int) -> dict[str, Any]:
    return {"generation": generation.generation, "ranks": generation.ranks, "rank": rank}


def _measured_stages(generation: Ended) -> Iterator[Row]:
    for number, stage in enumerate(generation.stages):
        own = {"stage": number, "name": stage.name, "kind": stage.kind, "bytes": stage.bytes}
        columns = (stage.iterations, stage.seconds, stage.total_seconds)
        for rank, (iterations, seconds, total) in enumerate(zip(*columns, strict=True)):
            times = {"iterations": iterations, "stage_seconds": seconds, "stage_total_seconds": total}
            yield {**_place(generation, rank), **own, **times}


def _measured_resize(resize: Committed) -> dict[str, Any]:
    return {
        **resize.model_dump(),
        "from_ranks": resize.from_,
        "to_ranks": resize.to,
        "process_strategies": "+".join(resize.process_strategies),
        "minimum_bytes": resize.bytes_minimum,
    }
