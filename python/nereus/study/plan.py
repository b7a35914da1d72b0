# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a study has, and in which order they are made. Pure: the same file has the same order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from nereus.study.model import Study

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
    model: bool = False

    @property
    def sizes(self) -> str:
        """As the report calls them: "2-4", or "4" without a resize."""
        return str(self.before) if self.variant is None else f"{self.before}-{self.after}"

    @property
    def name(self) -> str:
        """Of its record and its folder."""
        kind = self.variant or (MODEL if self.model else FIXED)
        return f"{self.application}_{self.sizes}_{kind}_{self.repetition}"

    @property
    def text(self) -> str:
        """For people who wait for it."""
        sizes = str(self.before) if self.variant is None else f"{self.before} → {self.after} {self.variant}"
        return f"{self.application} {sizes}"


def model_runs(study: Study) -> list[Planned]:
    """The runs that emulations are made from; they come first."""
    emulated = {a.emulates for a in study.applications if a.emulates is not None and a.made}
    runs = [
        Planned(application.name, size, size, None, number, model=True)
        for application in study.applications
        if application.name in emulated
        for size in study.model_sizes
        for number in range(1, study.model_runs + 1)
    ]
    Random(f"{study.seed} models").shuffle(runs)
    return runs


def matrix(study: Study) -> list[Planned]:
    """All other runs: repetition by repetition, each in a random order of its own."""
    runs: list[Planned] = []
    for repetition in range(1, study.repetitions + 1):
        those = list(_repetition(study, repetition))
        Random(f"{study.seed} {repetition}").shuffle(those)
        runs += those
    return runs


def _repetition(study: Study, repetition: int) -> Iterator[Planned]:
    for application in study.applications:
        for size in study.all_sizes:
            yield Planned(application.name, size, size, None, repetition)
        for before, after in study.pairs:
            for variant in study.variants:
                yield Planned(application.name, before, after, variant, repetition)


def median_run(runs: Sequence[tuple[Planned, float]]) -> Planned | None:
    """Of runs with their total times the one with the lower median; None of none."""
    ordered = sorted(runs, key=lambda run: (run[1], run[0].repetition))
    return ordered[(len(ordered) - 1) // 2][0] if ordered else None
