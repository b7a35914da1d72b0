# SPDX-License-Identifier: BSD-3-Clause
"""The summary that people read in a terminal; it fits into 80 columns."""

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from nereus.analysis.report.events import Committed, Protection
from nereus.analysis.report.model import Generation, Resize, Results
from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import amount_text, bytes_text, percent_text, seconds_text

MOST_LETTERS = 14  # of a line in the column of methods: as many as baseline-intra has


def table(results: Results) -> RenderableType:
    """Generations, resizes, and resizes that were rolled back with the reason."""
    parts: list[RenderableType] = [_title(results), "", _generations(results)]
    if results.resizes:
        parts += ["", _resizes(results)]
    if results.recoveries:
        parts += ["", _failures(results)]
    parts += [
        Text(f"{u.from_} → {u.to} ranks rolled back while {u.state}: {u.reason}", style="red")
        for u in results.undone
    ]
    return Group(*parts)


def _title(results: Results) -> Text:
    text = Text(results.header.run.name, style="bold")
    # MPICH aligns its version with many blanks.
    mpi = " ".join(results.header.mpi.split())
    text.append(f" · {mpi} · {results.header.host}", style="not bold")
    if results.end is None or results.total_seconds is None:
        return text.append("\nThe run did not finish; this is what it recorded.", style="red")
    text.append(f"\n{seconds_text(results.total_seconds)} in all", style="not bold")
    if results.end.data_intact is not None:
        intact = results.end.data_intact
        text.append(
            ", data intact" if intact else ", DATA NOT INTACT", style="green" if intact else "bold red"
        )
    if results.header.run.protection is not None:
        text.append(f"\n{_protection(results, results.header.run.protection)}", style="not bold")
    if results.energy is not None:
        used = results.energy
        text.append(
            f"\n{amount_text(used.package_joules, 'J')}, {amount_text(used.watts, 'W')} in the mean, "
            "of all that this host did",
            style="not bold",
        )
    return text


def _protection(results: Results, protection: Protection) -> str:
    where = "in memory" if protection.level == "memory" else "on disk"
    costs = results.epoch_costs
    if costs is None:
        return f"epochs {where}: no file tells what they took"
    failed = f", {costs.failed} could not be made" if costs.failed else ""
    share = percent_text(results.epoch_share)
    return (
        f"epochs {where}: {len(costs.epochs)} in {seconds_text(costs.seconds)}, {share} of the time{failed}"
    )


def _table(title: str, *columns: Column | str) -> Table:
    made = new_table(*columns, title=title)
    for column in made.columns:
        column.no_wrap = True
    return made


def _generations(results: Results) -> Table:
    figures = ["ranks", "iterations", "in back-\nground", "median", "least", "greatest"]
    title = "Generations"
    if results.recoveries:
        title += ": an iteration that was done again after a failure is in two of them"
        figures.insert(2, "of them\nagain")
    made = _table(title, *map(number, figures), "stages")
    for generation in results.generations:
        made.add_row(*_generation_row(results, generation))
    return made


def _generation_row(results: Results, generation: Generation) -> list[str | Text]:
    times = generation.document()["iteration_seconds"]
    sampled = any(i.sampled for i in generation.iterations)
    return [
        str(generation.ranks),
        str(generation.done) + (" (died)" if sampled else ""),
        *([str(generation.repeated or "-")] if results.recoveries else []),
        str(generation.background or "-"),
        seconds_text(times["median"]),
        seconds_text(times["min"]),
        seconds_text(times["max"]),
        _stages(results, generation),
    ]


def _stages(results: Results, generation: Generation) -> Text:
    """Medians of the stages of the phase that had most of the iterations, by name."""
    spreads = generation.document()["stage_seconds"]
    phases = results.header.run.phases
    phase = generation.main_phase
    names = [s.type for s in phases[phase].stages] if phase is not None and phase < len(phases) else []
    pairs = zip(names, spreads, strict=False)
    return Text("\n".join(f"{name} {seconds_text(spread['median'])}" for name, spread in pairs))


def _failures(results: Results) -> Table:
    figures = ("before\niteration", "went on\nfrom", "ranks", "done\nagain", "until the\nnext iteration")
    made = _table("Failures", "what", *map(number, figures))
    for each in results.recoveries:
        failure, resumed = each.failure, each.resumed
        made.add_row(
            each.text,
            str(failure.iteration) if failure else "-",
            str(resumed.iteration) if resumed else "-",
            str(resumed.ranks) if resumed else "-",
            "-" if each.repeated is None else str(each.repeated),
            seconds_text(each.seconds),
        )
    return made


def _resizes(results: Results) -> Table:
    figures = ("pause", "making", "constant\nvariable\nmeanwhile", "moved\nleast")
    made = _table("Resizes", number("ranks"), "method", *map(number, figures), "checked")
    for resize in results.resizes:
        made.add_row(*_resize_row(resize))
    return made


def _resize_row(resize: Resize) -> list[str | Text]:
    event = resize.event
    return [
        f"{event.from_} → {event.to}",
        Text("\n".join([event.process_method, *event.process_strategies, *_transfer(event)])),
        seconds_text(event.pause_seconds),
        seconds_text(resize.process_seconds),
        f"{seconds_text(resize.constant_seconds)}\n{seconds_text(event.variable_seconds)}{_meanwhile(resize)}",
        f"{bytes_text(event.bytes_moved)}\n{bytes_text(event.bytes_minimum)}",
        {True: Text("✓", style="green"), False: Text("✗", style="bold red"), None: Text("-")}[event.verified],
    ]


def _transfer(event: Committed) -> list[str]:
    """On one line where that keeps the table narrow."""
    words = [event.transfer_method, event.transfer_strategy]
    return [" ".join(words)] if len(" ".join(words)) <= MOST_LETTERS else words


def _meanwhile(resize: Resize) -> str:
    """Iterations that the application made while constant data moved."""
    return f"\n{resize.background_iterations} it." if resize.background_seconds else ""
