# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a line and an exit code that say what a policy of his own did wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

Nereus = Callable[..., tuple[int, str, str]]
SCENARIO = Path(__file__).parents[4] / "examples" / "simulate" / "use-case-a.toml"
BEGIN = "from nereus.policy.decisions import Leave, Policy, Resize\n"


class_of = "class A(Policy):\n    def decide(self, state, parameters):\n        {}\n".format


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (class_of("raise SystemExit"), "policy A: decide: SystemExit: "),
        (class_of("raise SystemExit(0)"), "policy A: decide: SystemExit: 0"),
        (class_of("raise ValueError('\\x1b[31m')"), "policy A: decide: ValueError: \\u001b[31m"),
        (class_of("raise BaseException"), "policy A: decide: BaseException: "),
        (class_of("raise BrokenPipeError('mine')"), "policy A: decide: BrokenPipeError: mine"),
        (class_of("return None"), "policy A: decide: TypeError: "),
        (class_of("return ['more']"), "policy A: decide: more: allowed are Resize"),
        (class_of("return [Resize(state.jobs[0].name, '4', '')]"), "policy A: decide: Resize("),
        (class_of("return [Leave(3, '')]"), "policy A: decide: Leave("),
        (
            "class E(Exception):\n    def __str__(self): raise SystemExit(0)\n" + class_of("raise E"),
            "policy A: decide: E: E",
        ),
        (
            "class O:\n    def admits(self, request, writing): raise SystemExit(0)\n"
            "class A(Policy):\n    order = O()\n",
            "policy A: order: SystemExit: 0",
        ),
        (
            "class A(Policy):\n    @property\n    def order(self): raise SystemExit(0)\n",
            "policy A: order: SystemExit: 0",
        ),
        ("raise BaseException('no')\n", "p.py: BaseException: no"),
        ("raise SystemExit(0)\n", "p.py: SystemExit: 0"),
    ],
)
def test_exception_of_a_policy_is_an_error(nereus: Nereus, tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "p.py"
    file.write_text(BEGIN + content)
    code, out, err = nereus("simulate", SCENARIO, "--policy", f"{file}:A", "--quiet", "--json")
    assert (code, out) == (2, "")
    assert said.strip() in err and err.startswith("nereus: ") and err.count("\n") == 1


def test_ctrl_c_in_a_policy_is_not_reported_as_its_error(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(BEGIN + class_of("raise KeyboardInterrupt"))
    code, out, err = nereus("simulate", SCENARIO, "--policy", f"{file}:A", "--quiet")
    assert (code, out) == (130, "") and "policy A" not in err
