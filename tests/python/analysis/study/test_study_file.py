# SPDX-License-Identifier: BSD-3-Clause
"""Study files: what is wrong with one is said with file, line and key."""

from pathlib import Path

import pytest

from nereus.analysis.study import PAPERS, load_study
from nereus.analysis.study.variants import variant
from nereus.config import ConfigError

GOOD = """\
name = "s"
pairs = [[1, 2]]

[[applications]]
name = "cg"
command = ["cg", "{iterations}"]
iterations = 10
resize = ["{iteration}:{to}"]

[[applications]]
name = "like-cg"
emulates = "cg"
"""


def complaint(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_study(path)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(str(path))
    return line


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "s"', 'name = "a b"', ":1: name = \"a b\": 1 to 64 letters"),
        ('name = "s"', 'name = "s"\nrepetition = 3', ":2: repetition = 3: unknown key; did you mean"),
        ('name = "s"\n', "", ":1: name: is missing: 1 to 64"),
        ("[[1, 2]]", "[[1, 2], [2, 2]]", ":2: pairs = [[1, 2], [2, 2]]: 2 and 2 are no resize"),
        ("[[1, 2]]", "[[1, 0]]", ":2: pairs[0][1] = 0: a list of [from, to]"),
        ("[[1, 2]]", "[[1, 2], [1, 2]]", "is there twice"),
        ("[[1, 2]]", "[]", ":2: pairs = []: is missing: there is nothing to run"),
        ("[[1, 2]]", '[[1, 2]]\nvariants = ["Merge-X"]', ":3: variants[0] = \"Merge-X\": PROCESSES"),
        ("[[1, 2]]", '[[1, 2]]\nvariants = ["Merge-RMALockA"]', "rma-lock does not go with nonblocking"),
        ("[[1, 2]]", '[[1, 2]]\nvariants = ["BaselineInter-RMALockS"]', "does not go with baseline-inter"),
        ("[[1, 2]]", '[[1, 2]]\nvariants = ["Merge-COLS", "Merge-COLS"]', "Merge-COLS is there twice"),
        ("[[1, 2]]", '[[1, 2]]\nreference = "best"', ":3: reference = \"best\""),
        ("[[1, 2]]", '[[1, 2]]\ntimeout = 0', ":3: timeout = 0: seconds from 0.1"),
        ("[[1, 2]]", '[[1, 2]]\nsizes = [2, 2]', ":3: sizes = [2, 2]: each size once"),
        ("[[1, 2]]", '[[1, 2]]\nprocess_strategies = ["auto", "join"]', ":3: process_strategies"),
        ("[[1, 2]]", '[[1, 2]]\nenvironment = {A = 1}', ":3: environment.A = 1: a table of texts"),
        ("iterations = 10\n", "", ":4: applications[0].iterations: is missing"),
        ('resize = ["{iteration}:{to}"]', "", ":4: applications[0].resize: is missing"),
        ('["{iteration}:{to}"]', '["4"]', ":8: applications[0].resize = [\"4\"]: a list of texts with {to}"),
        ('emulates = "cg"', 'emulates = "gc"', ":12: applications[1].emulates = \"gc\": the name"),
        ('emulates = "cg"', "", ":10: applications[1].command: is missing: one of command, experiment"),
        ('emulates = "cg"', 'experiment = "gone.toml"', ":12: applications[1].experiment = \"gone.toml\":"),
        ('emulates = "cg"', 'emulates = "cg"\niterations = 3', ":13: applications[1].iterations = 3: only"),
        ('name = "like-cg"', 'name = "cg"', ":11: applications[1].name = \"cg\": another name"),
        ("[[applications]]", "[[applications]", "TOML syntax"),
    ],
)  # fmt: skip
def test_errors_are_reported_with_their_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    assert said in complaint(tmp_path / "s.toml", GOOD.replace(old, new, 1))


def test_valid_file_gets_defaults(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GOOD)
    study = load_study(tmp_path / "s.toml")
    assert study.variants == list(PAPERS)
    assert study.all_sizes == [1, 2]
    assert study.load_of(study.application("like-cg")) == "balanced"


def test_emulation_has_the_load_of_its_original(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GOOD.replace('name = "cg"', 'name = "cg"\nload = "unbalanced"'))
    study = load_study(tmp_path / "s.toml")
    assert study.load_of(study.application("like-cg")) == "unbalanced"


def test_examples_can_be_read(repository: Path) -> None:
    names = ("blocking", "cg", "emulated", "papers", "rma", "short")
    assert [load_study(repository / "examples/study" / f"{name}.toml").name for name in names] == list(names)


def test_papers_have_twelve_variants() -> None:
    assert len(PAPERS) == 12
    assert "Baseline-COLS" in PAPERS and "Merge-P2PA" in PAPERS


def test_variant_is_passed_to_programs_by_settings() -> None:
    assert variant("Baseline-COLA").settings() == {
        "NEREUS_PROCESS_METHOD": "baseline-intra",
        "NEREUS_TRANSFER_METHOD": "col",
        "NEREUS_TRANSFER_STRATEGY": "nonblocking",
        "NEREUS_MEMORY": "private",
    }
    lockall = variant("Merge-RMALockallWD")
    assert (lockall.way.method, lockall.way.strategy) == ("rma-lockall", "wait-drains")
    assert lockall.blocking_name == "Merge-RMALockallS"
    assert variant("Merge-SHMS").settings()["NEREUS_MEMORY"] == "shared"


def test_folder_or_binary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_study(tmp_path)
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_study(tmp_path / "s.toml")
