# SPDX-License-Identifier: BSD-3-Clause
"""Results in the text form of Proteo's synthetic application: one global file and one for each generation.

docs/formats/report.md has the table of what stands for what.
"""

from collections.abc import Mapping
from pathlib import Path

from nereus.analysis.report.events import Group, Run, Stage
from nereus.analysis.report.model import Generation, Iteration, ResultError, Results
from nereus.methods import of_words
from nereus.stages import column

CAPTURES = {"max": 0, "mean": 1, "median": 2}
PLACEMENTS = {"spread": 1, "compact": 2}
PROCESS_METHODS = {"baseline-inter": 0, "baseline-intra": 0, "merge": 1}
TRANSFER_METHODS = of_words("transfer_methods", "proteo")
CLEAR, INTERCOMM = 0, 3
STRATEGIES = of_words("transfer_strategies", "proteo")
# What `auto` stands for where no resize was made that could tell.
UNTOLD = {"transfer_method": "p2p", "transfer_strategy": "blocking"}
# Proteo does not know that a strategy is chosen for it: without one there is none.
PROCESS_STRATEGIES = {"auto": CLEAR, "asynchronous": 1, "single": 2, "multiple": 4, "parallel": 5}
STAGES = column("proteo")


def write_proteo(results: Results, folder: Path, run_number: int = 0) -> list[Path]:
    """Write Proteo's files; the paths of what was written.

    A run that did not come to its end gets no global file, as in Proteo. Files that are there are replaced.
    Raises ResultError when the run has a method that Proteo has no number for.
    """
    if results.recoveries:
        raise ResultError(f"{results.path}: the run had failures, for which Proteo's files have no form")
    texts = {
        f"R{run_number}_G{g.group}NP{g.ranks}ID0.out": _local(results, number)
        for number, g in enumerate(results.generations)
        if _recorded(g)
    }
    if results.total_seconds is not None:
        texts[f"R{run_number}_Global.out"] = _global(results, results.total_seconds)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _recorded(generation: Generation) -> list[Iteration]:
    return [i for i in generation.iterations if not i.sampled]


def _global(results: Results, total: float) -> str:
    run = results.header.run
    head = f"Config loaded: R={len(run.groups) - 1}, Phases={len(run.phases)}, {_settings(run)}"
    groups = [_group(number, _told(results, number)) for number in range(len(run.groups))]
    return _text([head, *_phases(run), *groups, *_times(results), f"T_total: {total:.6f}"])


def _local(results: Results, number: int) -> str:
    run, generation = results.header.run, results.generations[number]
    before = results.generations[number - 1].ranks if number else 0
    rest = results.generations[number + 1 :]
    if generation.group >= len(run.groups):
        raise ResultError(f"{results.path}: group {generation.group}: the run has {len(run.groups)} groups")
    group = _told(results, generation.group).model_copy(update={"ranks": generation.ranks})
    line = f"{_group(generation.group, group)}, parents={before}, children={rest[0].ranks if rest else 0}"
    measured = [
        t for n, phase in enumerate(run.phases) for t in _phase_times(generation, n, len(phase.stages))
    ]
    return _text([f"Config: {_settings(run)}", *_phases(run), line, *measured])


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _settings(run: Run) -> str:
    size = run.data.element_bytes
    variable, constant = -(-run.data.variable_bytes // size), -(-run.data.constant_bytes // size)
    return f"SDR={variable}, ADR={constant}, Rigid={run.barrier:d}, Capture_Method={CAPTURES[run.capture]}"


def _phases(run: Run) -> list[str]:
    lines = []
    for number, phase in enumerate(run.phases):
        lines.append(f"Phase {number}: Qty_Stages={len(phase.stages)}, Qty_Iters={phase.iterations}")
        lines += [f"\tStage {n}: {_stage(stage)}" for n, stage in enumerate(phase.stages)]
    return lines


def _stage(stage: Stage) -> str:
    return (
        f"PT={_code(STAGES, stage.type, 'type')}, T_stage={stage.seconds:.6f}, bytes={stage.bytes}, "
        f"Granularity={stage.granularity}, Involved_Procs={stage.ranks}, T_capped={stage.capped:d}"
    )


def _group(number: int, group: Group) -> str:
    placement = _code(PLACEMENTS, group.placement, "placement")
    transfer = _code(TRANSFER_METHODS, group.transfer_method, "transfer_method")
    process = _code(PROCESS_METHODS, group.process_method, "process_method")
    strategy = _code(STRATEGIES, group.transfer_strategy, "transfer_strategy")
    return (
        f"Group {number}: Iters={group.iterations}, Procs={group.ranks}, Factors={group.factor:.6f}, "
        f"Dist={placement}, RM={transfer}, SM={process}, RS={strategy}, "
        f"SS={_process_strategies(group)}"
    )


def _told(results: Results, number: int) -> Group:
    """A group as configured, with what `auto` turned out to be."""
    group = results.header.run.groups[number]
    event = next((r.event for r in results.resizes if r.group == number), None)
    chosen = event.model_dump(include=set(UNTOLD)) if event else UNTOLD
    return group.model_copy(update={k: v for k, v in chosen.items() if getattr(group, k) == "auto"})


def _process_strategies(group: Group) -> str:
    """Several numbers are joined by a slash."""
    numbers = [_code(PROCESS_STRATEGIES, word, "process_strategies") for word in group.process_strategies]
    numbers += [INTERCOMM] if group.process_method == "baseline-inter" else []
    asked_for = sorted(number for number in numbers if number != CLEAR)
    return "/".join(map(str, asked_for or [CLEAR]))


def _code(codes: Mapping[str, int], name: str, what: str) -> int:
    if name not in codes:
        raise ResultError(f"{what} = {name}: Proteo's form has numbers for {', '.join(codes)}")
    return codes[name]


def _times(results: Results) -> list[str]:
    """One value for each committed resize on each line."""
    resizes = results.resizes
    process = [r.process_seconds or 0.0 for r in resizes]
    variable = [r.event.variable_seconds for r in resizes]
    constant = [r.constant_seconds or 0.0 for r in resizes]
    sums = [sum(parts) for parts in zip(process, variable, constant, strict=True)]
    none = [0.0] * len(resizes)
    lines = {
        "T_RMS": none,
        "T_spawn": process,
        "T_SR": variable,
        "T_AR": constant,
        "T_US": none,
        "T_Malleability": [max(r.event.pause_seconds, s) for r, s in zip(resizes, sums, strict=True)],
    }
    return [f"{name}: {_values(values)}" for name, values in lines.items()]


def _phase_times(generation: Generation, phase: int, stage_count: int) -> list[str]:
    mine = [i for i in _recorded(generation) if i.phase == phase]
    stages = list(zip(*(i.stage_seconds for i in mine), strict=False)) or [()] * stage_count
    return [
        f"R_Phase {phase}",
        f"\tIters: {len(mine)}",
        f"\tAsync_Iters: {sum(i.background for i in mine)}",
        f"\tT_iter: {_values([i.seconds for i in mine])}",
        *(f"\tT_stage {n}: {_values(list(seconds))}" for n, seconds in enumerate(stages)),
    ]


def _values(values: list[float]) -> str:
    return "".join(f"{value:.6f} " for value in values)
