# SPDX-License-Identifier: BSD-3-Clause
"""The table of stages says what the emulator's files register."""

import re
import tomllib
from pathlib import Path

from nereus import stages

EMULATOR = Path(__file__).parents[3] / "tools" / "emulator"
REGISTERED = r'const RegisteredStage \w+\(\{"(\w+)", StageKind::(\w+),'


def test_table_has_the_types_and_kinds_that_the_emulator_registers() -> None:
    sources = "".join(path.read_text("utf-8") for path in sorted(EMULATOR.glob("*.cpp")))
    rows = tomllib.loads((EMULATOR / "stages.toml").read_text("utf-8"))["stages"]
    found = re.findall(REGISTERED, sources)
    assert dict(found) == {row["word"]: row["kind"] for row in rows}
    assert len(found) == len(rows) == len(stages.STAGES)


def test_every_type_has_one_kind() -> None:
    kinds = [stages.COMPUTE, stages.FILES, stages.MESSAGES, stages.BY_ID]
    assert sorted(word for kind in kinds for word in kind) == sorted(stages.STAGES)


def test_codes_of_proteo_are_unique() -> None:
    for name in ("proteo", "proteo_old", "proteo_paper"):
        codes = list(stages.column(name).values())
        assert sorted(codes) == list(range(len(codes)))
