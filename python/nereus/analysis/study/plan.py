# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a study has, and in which order they are made. Pure: the same file has the same order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from nereus.analysis.study.model import Study

#: What stands in the place of a variant in the names of runs without a resize.
FIXED, MODEL = "fixed", "model"


@dataclass(frozen=True)
class Planned:
    """One run of the matrix; without a variant it is one without a resize, at the size `before`."""

    application: str
    before: int
    after: int
    variant: str | None
    repetition: int
    model: int = 0  # which one of this size and repetition, from 1; 0 of those that figures are made of

    @property
    def sizes(self) -> str:
        """As the report calls them: "2-4", or "4" without a resize."""
        return str(self.before) if self.variant is None else f"{self.before}-{self.after}"

    @property
    def name(self) -> str:
        """Of its record and its folder."""
        kind = self.variant or (f"{MODEL}-{self.model}" if self.model else FIXED)
        return f"{self.application}_{self.sizes}_{kind}_{self.repetition}"

    @property
    def text(self) -> str:
        """For people who wait for it."""
        sizes = str(self.before) if self.variant is None else f"{self.before} → {self.after} {self.variant}"
        return f"{self.application} {sizes}"


def planned_runs(study: Study) -> list[Planned]:
    """Repetition by repetition in random order, each emulation right after the run that it is made from.

    What a machine has to give changes from minute to minute, and what is compared should have seen the same
    of it. Where emulations are made from model runs instead, they come behind all of these.
    """
    ordered: list[Planned] = []
    behind: list[Planned] = []
    for repetition in range(1, study.repetitions + 1):
        own, made = _by_making(study, _repetition(study, repetition))
        own = _shuffled([*own, *_models(study, repetition)], f"{study.seed} {repetition}")
        if study.model_runs:
            behind += _shuffled(made, f"{study.seed} {repetition} emulations")
        else:
            own = _each_followed(study, own, made)
        ordered += own
    return ordered + behind


def model_runs(study: Study) -> list[Planned]:
    """The runs without a resize from which emulations at all sizes are made."""
    return [run for run in planned_runs(study) if run.model]


def original(study: Study, planned: Planned) -> Planned:
    """The run of the program that stands where this one of its emulation stands."""
    emulated = study.application(planned.application).emulates
    assert emulated is not None  # the caller asks about emulations of programs only
    return replace(planned, application=emulated)


def _shuffled(runs: Iterable[Planned], seed: str) -> list[Planned]:
    those = list(runs)
    Random(seed).shuffle(those)
    return those


def _each_followed(study: Study, runs: Iterable[Planned], made: Iterable[Planned]) -> list[Planned]:
    followers: dict[Planned, list[Planned]] = {}
    for emulation in made:
        followers.setdefault(original(study, emulation), []).append(emulation)
    return [each for run in runs for each in (run, *followers.get(run, []))]


def _by_making(study: Study, runs: Iterable[Planned]) -> tuple[list[Planned], list[Planned]]:
    """Those that can run at once, and those of emulations that are made from runs."""
    made = {a.name for a in study.applications if a.made}
    those = list(runs)
    return [r for r in those if r.application not in made], [r for r in those if r.application in made]


def _models(study: Study, repetition: int) -> Iterator[Planned]:
    emulated = {a.emulates for a in study.applications if a.made}
    for application in study.applications:
        for size in study.model_sizes if application.name in emulated else ():
            for number in range(1, study.model_runs + 1):
                yield Planned(application.name, size, size, None, repetition, number)


def _repetition(study: Study, repetition: int) -> Iterator[Planned]:
    for application in study.applications:
        for size in study.all_sizes:
            yield Planned(application.name, size, size, None, repetition)
        for before, after in study.pairs:
            for variant in study.variants:
                yield Planned(application.name, before, after, variant, repetition)


def median_run(runs: Sequence[tuple[Planned, float]]) -> Planned | None:
    """Of runs with their total times the one with the lower median; None of none."""
    ordered = sorted(runs, key=lambda run: (run[1], run[0].model))
    return ordered[(len(ordered) - 1) // 2][0] if ordered else None
