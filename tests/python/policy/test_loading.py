# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: policies by their name or from a file, and a line that says why there is none."""

from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from nereus.policy.decisions import Resize, State
from nereus.policy.foreign import GuardedStrategy, PolicyError
from nereus.policy.jobs import Job
from nereus.policy.loading import load, load_strategy
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve
from nereus.policy.policies import BY_NAME
from nereus.policy.strategies import STRATEGIES, Strategy
from nereus.policy.strategies.malleable_job import MalleableJob

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "policies" / "proportional.py"
OWN = "from nereus.policy.decisions import Policy\nclass A(Policy):\n    pass\n"


def test_every_named_policy_is_a_new_one_each_time() -> None:
    for name, policy in BY_NAME.items():
        assert type(load(name)) is type(policy())
        assert load(name) is not load(name)


def test_strategy_of_a_file_is_one_for_a_queue_and_a_policy_for_real_jobs() -> None:
    job = MalleableJob("a", 2, 4, 8, lambda ranks: 1.0)
    assert load_strategy("fair") is STRATEGIES["fair"]
    found = load_strategy(f"{EXAMPLE}:Proportional")
    assert (found.kept(job), found.worth(job, 8, 1), found.falls(job)) == (2, 0.5, True)
    made = load(f"{EXAMPLE}:Proportional")
    jobs = [
        Job(name, ranks, 20, 1, None, Curve(0.0, 1.0, 0.0), lambda more: 0.0, came_with=ranks, ever=20)
        for name, ranks in (("a", 2), ("b", 4))
    ]
    decided = made.decide(State(0.0, jobs, 6), Parameters())
    assert [(each.job, each.ranks) for each in decided if isinstance(each, Resize)] == [("a", 4), ("b", 8)]
    assert load(f"{EXAMPLE}:Proportional") is not made


class Wrong(Strategy):
    def __init__(self, kept: Any = 1, worth: Any = 0.0) -> None:
        self.says = {"kept": kept, "worth": worth}

    def kept(self, job: MalleableJob) -> int:
        said: int = self._said("kept")
        return said

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        said: float = self._said("worth")
        return said

    def _said(self, what: str) -> Any:
        if isinstance(self.says[what], BaseException):
            raise self.says[what]
        return self.says[what]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Wrong(kept=ValueError("no")), "strategy Wrong: kept: ValueError: no"),
        (Wrong(kept=1), "strategy Wrong: kept: 1: allowed are whole numbers from 2 to 8, of a"),
        (Wrong(kept=2.5), "strategy Wrong: kept: 2.5: allowed are"),
        (Wrong(kept=2, worth=nan), "strategy Wrong: worth: nan: allowed are numbers, and minus infinity"),
        (Wrong(kept=2, worth=inf), "strategy Wrong: worth: inf: allowed are"),
        (Wrong(kept=2, worth="x"), "strategy Wrong: worth: ValueError"),
        (Wrong(kept=2, worth=SystemExit()), "strategy Wrong: worth: SystemExit"),
    ],
)
def test_mistake_of_a_strategy_of_ones_own_is_an_error_with_its_name(made: Strategy, said: str) -> None:
    job = MalleableJob("a", 2, 4, 8, lambda ranks: 1.0)
    with pytest.raises(PolicyError) as caught:
        found = GuardedStrategy(made)
        found.kept(job)
        found.worth(job, 4, 1)
    assert said in str(caught.value)


def test_class_of_a_file_is_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(OWN)
    assert type(load(f"{file}:A")).__name__ == "A"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("fairr", "", "policy fairr: there is none of this name; did you mean fair?"),
        ("zzz", "", "policy zzz: there is none of this name; none, blocking"),
        ("no.py:A", None, "no.py: there is no such file"),
        ("p.py:A", "A = 3\n", "p.py: A: no class of this name that derives from"),
        ("p.py:A", "def (\n", "p.py: SyntaxError:"),
        ("p.py:A", "raise ValueError('no')\n", "p.py: ValueError: no"),
        (
            "p.py:A",
            "from nereus.policy.decisions import Policy\nclass A(Policy):\n    def __init__(self, x): pass\n",
            "p.py: TypeError:",
        ),
    ],
)
def test_unusable_policy_is_refused_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | None, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "p.py").write_text(content)
    with pytest.raises(PolicyError) as caught:
        load(name)
    assert said in str(caught.value)
