# SPDX-License-Identifier: BSD-3-Clause
"""The columns of all frames: the one place where their types and units are defined.

A column is written as `name`, a whole number, or as `name:word`, with a word of `WORDS`. A question mark
behind it says that rows may lack it. `stage_N` stands for as many columns as there are stages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """`dtype`: of pandas. `unit`: empty for names, numbers of things, shares and quotients."""

    name: str
    dtype: str
    unit: str


#: Types, the same where rows may lack a value, and units.
WORDS = {
    "": ("int64", "Int64", ""),
    "text": ("string", "string", ""),
    "flag": ("bool", "boolean", ""),
    "number": ("float64", "float64", ""),
    "s": ("float64", "float64", "s"),
    "B": ("int64", "Int64", "B"),
    "J": ("float64", "float64", "J"),
    "core_h": ("float64", "float64", "core h"),
    "kWh": ("float64", "float64", "kWh"),
    "%": ("float64", "float64", "%"),
}

_RESIZE = "process_method:text? process_strategies:text? transfer_method:text? transfer_strategy:text?"
_CELL = "application:text sizes:text from to variant:text?"
_PLACE = "application:text sizes:text"
_VERDICT = "p:number? reason:text rejected:flag"
_MEASURES = (
    "total_seconds:s reconfiguration_seconds:s redistribution_seconds:s pause_seconds:s process_seconds:s "
    "constant_seconds:s variable_seconds:s background_iterations:number iteration_seconds:s "
    "next_iteration_seconds:s omega:number compute_seconds:s communication_seconds:s"
)
_VARIANT = "order:text strategy:text malleable_percent:%"
_FIGURES = (
    "makespan_seconds:s mean_turnaround_seconds:s mean_wait_seconds:s mean_bounded_slowdown:number "
    "utilisation:number killed resizes utilisation_by_ranks:number core_hours_lost_to_resizes:core_h "
    "energy_kwh:kWh? failures? failed? core_hours_lost_to_failures:core_h? core_hours_of_saves:core_h? "
    "core_hours_lost_to_io:core_h?"
)


def _columns(text: str) -> Sequence[Column]:
    return tuple(map(_column, text.split()))


def _column(text: str) -> Column:
    name, _, word = text.removesuffix("?").partition(":")
    dtype, dtype_with_gaps, unit = WORDS[word]
    return Column(name, dtype_with_gaps if text.endswith("?") else dtype, unit)


def _figures(columns: str, figures: Sequence[str], count: str = "") -> str:
    """A column for each figure of each column, and one for the `count` of values that they are of."""
    found = []
    for each in columns.split():
        name, _, word = each.removesuffix("?").partition(":")
        found += [f"{name}_{figure}:{word or 'number'}?" for figure in figures]
        found += [f"{name}_{count}?"] if count else []
    return " ".join(found)


def _intervals(word: str = "") -> str:
    """Of all that is told with an interval, which resizes are not; `word` in place of the columns' own."""
    told = [each for each in _FIGURES.split() if each != "resizes"]
    of_word = [f"{each.removesuffix('?').partition(':')[0]}:{word}" for each in told]
    return _figures(" ".join(of_word if word else told), ("mean", "low", "high"))


_TEXT: Mapping[str, Mapping[str, str]] = {
    "result": {
        "run": (
            "name:text host:text mpi:text nereus_version:text started:text finished:flag total_seconds:s? "
            "data_intact:flag? package_joules:J? epochs? epochs_not_made? epoch_seconds:s?"
        ),
        "generations": (
            "generation ranks started_seconds:s iterations repeated_iterations background_iterations "
            "iteration_median_seconds:s? iteration_min_seconds:s? iteration_max_seconds:s? "
            "stage_N_median_seconds:s? stage_N_min_seconds:s? stage_N_max_seconds:s?"
        ),
        "resizes": (
            f"from_ranks to_ranks outcome:text at_seconds:s {_RESIZE} process_seconds:s? constant_seconds:s? "
            "variable_seconds:s? background_seconds:s? background_iterations? predicted_seconds:s? "
            "pause_seconds:s? moved_bytes:B? minimum_bytes:B? shared_bytes:B? verified:flag? reason:text"
        ),
        "iterations": (
            "iteration generation ranks phase start_seconds:s iteration_seconds:s background:flag "
            "moving:flag sampled:flag repeated:flag stage_N_seconds:s?"
        ),
        "stages": (
            "iteration generation ranks phase stage type:text? stage_seconds:s background:flag moving:flag "
            "sampled:flag repeated:flag"
        ),
        "failures": (
            "iteration? what:text? rank? died? resumed_iteration? ranks? repeated_iterations? "
            "recovery_seconds:s?"
        ),
    },
    "measured": {
        "generations": "generation ranks cores iterations memory:text constant_bytes:B variable_bytes:B",
        "ranks": "generation ranks rank host:text iteration_seconds:s iteration_total_seconds:s",
        "stages": (
            "generation ranks rank stage name:text kind:text bytes:B iterations? stage_seconds:s? "
            "stage_total_seconds:s?"
        ),
        "resizes": (
            f"generation from_ranks? to_ranks? {_RESIZE} process_seconds:s? constant_seconds:s? "
            "variable_seconds:s? background_iterations pause_seconds:s? minimum_bytes:B? shared_bytes:B?"
        ),
    },
    "study": {
        "runs": f"{_CELL} {' '.join(f'{each}?' for each in _MEASURES.split())}",
        "cells": (
            f"{_CELL} load:text emulates:text? runs "
            f"{_figures(_MEASURES, ('median', 'mean', 'deviation', 'min', 'max'), 'runs')}"
        ),
        "normality": f"{_PLACE} variant:text? measure:text {_VERDICT}",
        "differences": f"{_PLACE} measure:text {_VERDICT} runs one:text? other:text? pair_p:number?",
        "preferred": (
            "application:text measure:text rule:text runs sizes:text? from? to? variant:text? equal:text? "
            "reason:text?"
        ),
        "growth": (
            f"{_CELL} emulates:text load:text compute:number? communication:number? reconfiguration:number? "
            "total:number? runs_compute runs_communication runs_reconfiguration runs_total"
        ),
        "speedup": f"{_CELL} load:text reference:text speedup:number? runs",
        "background": (
            f"{_CELL} alpha:number? omega:number? iterations:number? progress:s? runs_alpha runs_omega "
            "runs_iterations runs_progress"
        ),
        "failures": "run:text reason:text",
    },
    "record": {
        "worlds": "world:text ranks missing_ranks mpi:text? sensor:text? decomposed:text? started_unix:s?",
        "processes": "process world:text rank host:text end:text? lost_messages?",
        "pairs": "source destination generation phase:text kind:text messages bytes:B counted:flag",
        "sizes": "source destination generation phase:text kind:text bin messages counted:flag",
        "calls": "call:text calls",
        "over_time": "kind:text begin_seconds:s bytes:B",
        "files": (
            "world:text rank file:text opened_unix:s closed_unix:s? read_messages read_bytes:B "
            "write_messages write_bytes:B"
        ),
    },
    "trace": {
        "processes": (
            "process world:text rank host:text finished:flag overwritten_events clock_error_seconds:s"
        ),
        "calls": (
            "process thread call:text begin_seconds:s call_seconds:s bytes:B peer? tag? communicator:text? "
            "tests"
        ),
        "messages": "source destination sent_seconds:s received_seconds:s bytes:B tag",
        "generations": "job:text generation ranks rank process begin_seconds:s end_seconds:s",
        "phases": "phase:text process begin_seconds:s end_seconds:s",
        "states": "activity:text state:text process begin_seconds:s end_seconds:s",
    },
    "workload": {
        "simulations": f"{_VARIANT} seed {_FIGURES}",
        "summary": f"{_VARIANT} {_intervals()}",
        "changes_percent": f"{_VARIANT} {_intervals('%')}",
    },
}

#: By kind, and by the name of a frame.
COLUMNS: Mapping[str, Mapping[str, Sequence[Column]]] = {
    kind: {name: _columns(text) for name, text in frames.items()} for kind, frames in _TEXT.items()
}
