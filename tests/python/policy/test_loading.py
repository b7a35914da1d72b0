# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: policies by their name or from a file, and a line that says why there is none."""

from pathlib import Path

import pytest

from nereus.policy.foreign import PolicyError
from nereus.policy.loading import load
from nereus.policy.policies import BY_NAME

OWN = "from nereus.policy.decisions import Policy\nclass A(Policy):\n    pass\n"


def test_every_named_policy_is_a_new_one_each_time() -> None:
    for name, policy in BY_NAME.items():
        assert type(load(name)) is policy
        assert load(name) is not load(name)


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
