# SPDX-License-Identifier: BSD-3-Clause
"""The model of a study file; a field's description says what is allowed, and messages repeat it."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from nereus.analysis.study.variants import PAPERS, variant
from nereus.config.model import INT32, MOST_ITERATIONS
from nereus.methods import ProcessStrategy
from nereus.methods.strategies import STRATEGIES_ALLOWED, allowed_together

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z"
NAME_ALLOWED = "1 to 64 letters, digits, '.', '_' or '-', a letter or digit first"

Size = Annotated[int, Field(ge=1, le=INT32)]
Path = tuple[str | int, ...]
_VARIANTS = {"anyOf": [{"const": "papers"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}


def _conflict(text: str) -> PydanticCustomError:
    return PydanticCustomError("conflict", "{text}", {"text": text})


def _known(name: str) -> str:
    try:
        variant(name)
    except ValueError as error:
        raise _conflict(str(error)) from None
    return name


def _different(values: list[str]) -> list[str]:
    for value in values:
        if values.count(value) > 1:
            raise _conflict(f"{value} is there twice")
    return values


def _pairs(pairs: list[list[int]]) -> list[list[int]]:
    for pair in pairs:
        if pair[0] == pair[1]:
            raise _conflict(f"{pair[0]} and {pair[1]} are no resize: a pair has two different sizes")
        if pairs.count(pair) > 1:
            raise _conflict(f"{pair} is there twice")
    return pairs


def _papers(value: object) -> object:
    return list(PAPERS) if value == "papers" else value


class Part(BaseModel):
    """What the tables of a study have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Application(Part):
    """A real program, or an emulation."""

    name: str = Field(pattern=NAME_PATTERN, description=NAME_ALLOWED)
    load: Literal["balanced", "unbalanced"] = Field("balanced", description="balanced or unbalanced")
    command: list[str] | None = Field(
        None, min_length=1, description="a list of texts: a program and its arguments"
    )
    iterations: int | None = Field(
        None, ge=2, le=MOST_ITERATIONS, description="a whole number from 2 to 2^40"
    )
    resize: list[str] | None = Field(
        None, min_length=1, description='a list of texts, as ["--resize", "{iteration}:{to}"]'
    )
    experiment: str | None = Field(None, min_length=1, description="the name of an experiment file")
    emulates: str | None = Field(None, description="the name of an application with a command")

    @property
    def real(self) -> bool:
        """Whether it is a program and no emulation."""
        return self.command is not None

    @property
    def made(self) -> bool:
        """Whether it is an emulation whose experiment is made from runs."""
        return self.emulates is not None and self.experiment is None


class Study(Part):
    """A matrix of runs: applications, ways to resize, pairs of sizes, repetitions."""

    name: str = Field(pattern=NAME_PATTERN, description=NAME_ALLOWED)
    seed: int = Field(42, ge=0, le=2**63 - 1, description="a whole number from 0 to 2^63-1")
    repetitions: int = Field(5, ge=1, le=1000, description="a whole number from 1 to 1000")
    model_runs: int = Field(0, ge=0, le=100, description="a whole number from 0 to 100")
    pairs: Annotated[
        list[Annotated[list[Size], Field(min_length=2, max_length=2)]], AfterValidator(_pairs)
    ] = Field(default=[], description="a list of [from, to], two different sizes from 1 to 2147483647 each")
    sizes: list[Size] | None = Field(None, description="a list of different sizes from 1 to 2147483647")
    variants: Annotated[
        list[Annotated[str, AfterValidator(_known)]],
        BeforeValidator(_papers),
        AfterValidator(_different),
        WithJsonSchema(_VARIANTS),
    ] = Field(default=list(PAPERS), min_length=1, description='"papers", or a list of names of variants')
    reference: Annotated[str, AfterValidator(_known)] = Field(
        "Baseline-COLS", description="the name of a variant"
    )
    process_strategies: Annotated[list[ProcessStrategy], AfterValidator(allowed_together)] = Field(
        default=["auto"], description=STRATEGIES_ALLOWED
    )
    timeout: float = Field(120.0, ge=0.1, le=1e6, description="seconds from 0.1 to 1e6")
    environment: dict[str, str] = Field(default={}, description="a table of texts")
    applications: list[Application] = Field(min_length=1, description="at least one [[applications]] table")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        found = list(_findings(self))
        if found:
            raise PydanticCustomError("rules", "{text}", {"text": found[0][1], "findings": found})
        return self

    @property
    def all_sizes(self) -> list[int]:
        """Sizes without a resize: those of the file, else all that occur in pairs."""
        return sorted({n for pair in self.pairs for n in pair}) if self.sizes is None else self.sizes

    @property
    def model_sizes(self) -> list[int]:
        """Sizes at which an emulation must be known."""
        return sorted({n for pair in self.pairs for n in pair} | set(self.all_sizes))

    def application(self, name: str) -> Application:
        """The one of that name, which is known to be there."""
        return next(a for a in self.applications if a.name == name)

    def load_of(self, application: Application) -> str:
        """An emulation has the load of what it emulates."""
        real = application.emulates
        return application.load if real is None else self.application(real).load


def _findings(study: Study) -> Iterator[tuple[Path, str]]:
    names = [application.name for application in study.applications]
    if study.sizes is not None and len(set(study.sizes)) < len(study.sizes):
        yield ("sizes",), "each size once"
    if not study.pairs and not study.all_sizes:
        yield ("pairs",), "is missing: there is nothing to run without pairs and sizes"
    for index, application in enumerate(study.applications):
        place: Path = ("applications", index)
        if names.index(application.name) != index:
            yield (*place, "name"), "another name: there is one application of this name"
        yield from ((place + path, text) for path, text in _of_application(study, application))


def _of_application(study: Study, application: Application) -> Iterator[tuple[Path, str]]:
    if application.real:
        yield from _of_program(study, application)
    else:
        yield from _of_emulation(study, application)


def _of_program(study: Study, application: Application) -> Iterator[tuple[Path, str]]:
    for key in ("experiment", "emulates"):
        if getattr(application, key) is not None:
            yield (key,), "either this or command: an application is a program or an emulation"
    if application.iterations is None:
        yield ("iterations",), "is missing: a whole number from 2 to 2^40"
    if study.pairs and application.resize is None:
        yield ("resize",), 'is missing: a list of texts, as ["--resize", "{iteration}:{to}"]'
    if application.resize is not None and not any("{to}" in word for word in application.resize):
        yield ("resize",), "a list of texts with {to} in one of them: the size to resize to"


def _of_emulation(study: Study, application: Application) -> Iterator[tuple[Path, str]]:
    for key in ("iterations", "resize"):
        if getattr(application, key) is not None:
            yield (key,), "only with command: an emulation has it from its experiment"
    if application.experiment is None and application.emulates is None:
        yield ("command",), "is missing: one of command, experiment, emulates"
    real = [a.name for a in study.applications if a.real]
    if application.emulates is not None and application.emulates not in real:
        known = ", ".join(real) or "there is none"
        yield ("emulates",), f"the name of an application with a command: {known}"
