# SPDX-License-Identifier: BSD-3-Clause
"""Policies and strategies by their names, or a researcher's own from a file of Python."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from nereus.policy.decisions import Policy
from nereus.policy.foreign import GuardedStrategy, PolicyError
from nereus.policy.policies import BY_NAME
from nereus.policy.strategies import STRATEGIES, Strategy
from nereus.policy.under_strategy import UnderStrategy
from nereus.reading import MOST_WRITTEN


def load(name: str) -> Policy:
    """A new policy of that name, or of that class in that file; PolicyError where there is none."""
    if name in BY_NAME:
        return BY_NAME[name]()
    if not is_in_file(name):
        near = get_close_matches(name, BY_NAME, n=1)
        hint = f"did you mean {near[0]}?" if near else f"{', '.join(BY_NAME)} or FILE.py:CLASS is allowed"
        raise PolicyError(f"policy {name}: there is none of this name; {hint}")
    made = _made(name, (Policy, Strategy))
    if isinstance(made, Strategy):
        return UnderStrategy(GuardedStrategy(made), type(made).__name__)
    assert isinstance(made, Policy)
    return made


def load_strategy(name: str) -> Strategy:
    """That of one of STRATEGIES, or a new one of that class in that file; PolicyError where there is none."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    made = _made(name, (Strategy,))
    assert isinstance(made, Strategy)
    return GuardedStrategy(made)


def is_in_file(name: str) -> bool:
    """Whether it has the form FILE.py:CLASS."""
    return name.rpartition(":")[0].endswith(".py")


def _made(name: str, kinds: tuple[type, ...]) -> object:
    file, _, wanted = name.rpartition(":")
    found = getattr(_module(Path(file)), wanted, None)
    if not (isinstance(found, type) and issubclass(found, kinds)):
        bases = " or ".join(f"{each.__module__}.{each.__name__}" for each in kinds)
        raise PolicyError(f"{file}: {wanted}: no class of this name that derives from {bases}")
    with _its_mistakes(file):
        made: object = found()
    return made


def _module(file: Path) -> ModuleType:
    if not file.is_file():
        raise PolicyError(f"{file}: there is no such file")
    if file.stat().st_size > MOST_WRITTEN:
        raise PolicyError(f"{file}: has more than {MOST_WRITTEN} bytes, which are allowed")
    spec = spec_from_file_location(f"nereus_policy_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{file}: is no file of Python")
    made = module_from_spec(spec)
    sys.modules[spec.name] = made  # dataclasses look for the module of their class
    with _its_mistakes(str(file)):
        spec.loader.exec_module(made)
    return made


@contextmanager
def _its_mistakes(file: str) -> Iterator[None]:
    """Whatever goes wrong in a file of a user is the user's to mend."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # SystemExit too: it would end the command as if all were well
        raise PolicyError(f"{file}: {type(problem).__name__}: {problem}") from problem
