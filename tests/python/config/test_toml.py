# SPDX-License-Identifier: BSD-3-Clause
"""What a user of our experiment files relies on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import Data, Experiment, Loaded, describe, write_toml
from nereus.config.toml_keys import line_of_longest_key
from nereus.methods import TRANSFER_METHODS_ALLOWED

Load = Callable[..., Loaded]


def test_run_file_holds_the_content_of_the_experiment(loaded: Load, small: str) -> None:
    run = loaded(small, "small.toml").experiment.to_run(scratch="/scratch")
    assert run["format"] == "nereus-run"
    assert run["version"] == 1
    assert run["name"] == "small"
    assert run["scratch"] == "/scratch"
    data = {"constant_bytes": 0, "variable_bytes": 1000, "element_bytes": 8, "memory": "private"}
    assert run["data"] == data
    stage = {"type": "pi", "seconds": 0.01, "bytes": 0, "granularity": 100_000}
    stage |= {"capped": False, "padded": False, "id": None, "ranks": 0}
    assert run["phases"] == [{"iterations": 30, "stages": [stage]}]
    assert [(group["ranks"], group["iterations"]) for group in run["groups"]] == [(1, 10), (2, 0)]
    assert run["groups"][1] == {
        "ranks": 2,
        "iterations": 0,
        "factor": 1.0,
        "placement": "compact",
        "process_method": "merge",
        "process_strategies": ["auto"],
        "release_unit": "job",
        "transfer_method": "p2p",
        "transfer_strategy": "blocking",
        "survivors": "auto",
    }


def test_strategies_are_those_of_the_group_or_of_all(loaded: Load, small: str) -> None:
    common = '[resize]\nprocess_strategies = ["single", "asynchronous"]\nrelease_unit = "host"\n'
    groups = loaded(common + small + "iterations = 1\n[[groups]]\nranks = 3\nprocess_strategies = []\n")
    run = groups.experiment.to_run()["groups"]
    assert run[1]["process_strategies"] == ["asynchronous", "single"]
    assert [group["process_strategies"] for group in run[2:]] == [[]]
    assert [group["release_unit"] for group in run[1:]] == ["host", "host"]


def test_order_of_strategies_does_not_matter(loaded: Load, small: str) -> None:
    one, other = (
        loaded(f"{small}process_strategies = {words}\n").experiment
        for words in ('["join", "asynchronous"]', '["asynchronous", "join"]')
    )
    assert one == other


def test_every_key_of_the_run_file_is_in_its_reference_page(loaded: Load, small: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats" / "run.md").read_text(encoding="utf-8")
    run = loaded(small).experiment.to_run()
    tables = [run, run["data"], run["phases"][0], run["phases"][0]["stages"][0], run["groups"][0]]
    assert [key for table in tables for key in table if f'"{key}"' not in page] == []


@pytest.mark.parametrize(
    ("text", "size"),
    [('"64 MiB"', 67_108_864), ('"1.5 KiB"', 1536), ('"33 MB"', 33_000_000), ('"8B"', 8), ("123", 123)],
)
def test_sizes_have_units(loaded: Load, small: str, text: str, size: int) -> None:
    experiment = loaded(small.replace("1000", text)).experiment
    assert experiment.data.variable_bytes == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [('"50 ms"', 0.05), ('"1.5 s"', 1.5), ('"20 us"', 2e-5), ('"2 min"', 120.0), ("3", 3.0)],
)
def test_times_have_units(loaded: Load, small: str, text: str, seconds: float) -> None:
    experiment = loaded(small.replace("0.01", text)).experiment
    assert experiment.phases[0].stages[0].time == seconds


@pytest.mark.parametrize(
    ("whole", "percent", "constant"),
    [
        ('"1 GB"', "96.6", 966_000_000),
        ("1000", "0", 0),
        ("1000", "100", 1000),
        ("3", "50", 2),  # a half is rounded up
        ("7", "33.3", 2),
        ("1_152_921_504_606_846_976", "96.6", 1_113_722_173_450_214_179),
    ],
)
def test_percentage_is_rounded_to_the_nearest_byte(
    loaded: Load, small: str, whole: str, percent: str, constant: int
) -> None:
    said = small.replace("variable_bytes = 1000", f"bytes = {whole}\nconstant_percent = {percent}")
    result = loaded(said)
    data = result.experiment.to_run()["data"]
    assert data["constant_bytes"] == constant
    assert data["constant_bytes"] + data["variable_bytes"] == int(whole.replace('"1 GB"', "1000000000"))
    assert "bytes" not in data
    for key in ("constant_bytes", "variable_bytes"):
        assert result.origins[f"data.{key}"].endswith("e.toml:3")


def test_percentage_and_bytes_give_the_same_experiment(loaded: Load, small: str) -> None:
    said = (
        loaded(small.replace("variable_bytes = 1000", text)).experiment
        for text in ("bytes = 2000\nconstant_percent = 25", "constant_bytes = 500\nvariable_bytes = 1500")
    )
    first, second = said
    assert first == second
    assert write_toml(first) == write_toml(second)
    assert Data(bytes=2000, constant_percent=25) == second.data


def test_every_transfer_method_and_strategy_reaches_the_run_file(loaded: Load, small: str) -> None:
    for method in TRANSFER_METHODS_ALLOWED:
        for strategy in ("auto", "blocking", "wait-drains", "thread"):
            more = f'transfer_method = "{method}"\ntransfer_strategy = "{strategy}"\n'
            group = loaded(small + more + 'survivors = "first"\n').experiment.to_run()["groups"][1]
            ways = (group["transfer_method"], group["transfer_strategy"], group["survivors"])
            assert ways == (method, strategy, "first")


def test_memory_is_set_by_environment_or_file(loaded: Load, small: str) -> None:
    text = small.replace("[data]", '[data]\nmemory = "auto"')
    assert loaded(text).experiment.data.memory == "auto"
    result = loaded(text, environment={"NEREUS_MEMORY": "shared"})
    assert result.experiment.data.memory == "shared"
    assert result.origins["data.memory"] == "environment NEREUS_MEMORY"


def test_groups_take_defaults_from_the_resize_table(loaded: Load, small: str) -> None:
    text = small + 'transfer_method = "p2p"\n[[groups]]\nranks = 3\n[resize]\ntransfer_method = "col"\n'
    text = text.replace("ranks = 2\n", "ranks = 2\niterations = 5\n")
    result = loaded(text)
    assert [group.transfer_method for group in result.experiment.groups[1:]] == ["p2p", "col"]
    assert result.origins["groups[2].transfer_method"].endswith("e.toml:18")


def test_methods_of_the_first_group_cause_a_warning(loaded: Load, small: str) -> None:
    result = loaded(small.replace("ranks = 1\n", 'ranks = 1\nprocess_method = "baseline-inter"\n'))
    assert result.experiment.groups[0].process_method == "merge"
    assert [w for w in result.warnings if "groups[0].process_method: of no effect" in w]


def test_single_group_is_not_malleable(loaded: Load, small: str) -> None:
    rigid = loaded(small[: small.rindex("[[groups]]")]).experiment
    assert not rigid.malleable
    assert rigid.max_ranks == 1
    both = loaded(small).experiment
    assert both.malleable
    assert both.max_ranks == 2


def test_unreachable_resize_causes_a_warning(loaded: Load, small: str) -> None:
    result = loaded(small.replace("iterations = 30", "iterations = 10"))
    assert len(result.warnings) == 1
    assert "e.toml:10: groups[0].iterations: the run ends after 10 iterations" in result.warnings[0]


def test_stage_without_work_causes_a_warning(loaded: Load, small: str) -> None:
    result = loaded(small.replace("0.01", "0"))
    assert len(result.warnings) == 1
    assert "e.toml:7: phases[0].stages[0].time" in result.warnings[0]


def test_origins_name_line_default_environment_and_flag(loaded: Load, small: str) -> None:
    result = loaded(
        "seed = 1\nbarrier = true\n" + small,
        overrides={"seed": "3", "groups[1].ranks": "4", "name": "given"},
        environment={
            "NEREUS_SEED": "2",
            "NEREUS_BARRIER": "off",
            "NEREUS_CAPTURE": "",
            "NEREUS_OTHER": "x",
        },
    )
    rows = {key: (value, origin.rsplit("/", 1)[-1]) for key, value, origin in describe(result)}
    assert rows["seed"] == (3, "flag")
    assert rows["name"] == ("given", "flag")
    assert rows["barrier"] == (False, "environment NEREUS_BARRIER")
    assert rows["capture"] == ("max", "default")
    assert rows["groups[1].ranks"] == (4, "flag")
    assert rows["groups[0].ranks"] == (1, "e.toml:11")
    assert rows["data.constant_bytes"] == (0, "default")
    assert rows["data.variable_bytes"] == (1000, "e.toml:4")
    assert "groups[0].process_method" not in rows
    assert rows["groups[1].process_method"] == ("merge", "default")


def test_flag_for_all_resizes_overrides_each_group(loaded: Load, small: str) -> None:
    result = loaded(small + 'transfer_method = "p2p"\n', overrides={"resize.transfer_method": "col"})
    assert result.experiment.groups[1].transfer_method == "col"
    assert result.origins["groups[1].transfer_method"] == "flag"


def test_every_key_is_explained_in_the_reference_page(small: str, loaded: Load) -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats" / "experiment.md").read_text(encoding="utf-8")
    experiment = loaded(small).experiment
    tables = [experiment, experiment.data, experiment.phases[0], experiment.phases[0].stages[0]]
    keys = [key for table in [*tables, experiment.groups[0]] for key in type(table).model_fields]
    assert [key for key in keys if f"`{key}`" not in page and f"[{key}]" not in page] == []


def test_run_file_does_not_name_the_mpi(loaded: Load, small: str) -> None:
    experiment = loaded('mpi = "openmpi"\n' + small).experiment
    assert 'mpi = "openmpi"\n' in write_toml(experiment)
    assert "mpi" not in experiment.to_run()


def test_written_experiment_omits_defaults(loaded: Load, small: str) -> None:
    text = write_toml(loaded(small).experiment)
    assert "seed" not in text
    assert "granularity" not in text
    assert "variable_bytes = 1000\n" in text


def test_experiment_can_be_made_without_a_file() -> None:
    experiment = Experiment.model_validate(
        {
            "name": "made",
            "phases": [{"iterations": 1, "stages": [{"type": "bcast", "bytes": "1 KiB"}]}],
            "groups": [{"ranks": 1}],
        }
    )
    assert experiment.phases[0].stages[0].bytes == 1024


DOTS = "." * 40


@pytest.mark.parametrize(
    "line",
    [
        f"# phases, {DOTS} see below",
        f"name = 'a'  # {DOTS}",
        f'name = """\\\n  {DOTS}\\\n  """ # {DOTS}\n',
        f"name = '''{DOTS}'''",
        f'name = """{DOTS}"{DOTS}""{DOTS}"""""',
        f'name = "\\"{DOTS}#{DOTS}"',
        f'name = "{DOTS}"',
    ],
)
def test_dots_in_comments_and_texts_are_not_parts_of_keys(line: str) -> None:
    assert line_of_longest_key(f"{line}\n{line}") is None


def test_experiment_with_a_dotted_comment_is_read(loaded: Load, small: str) -> None:
    commented = f"# phases, {DOTS} 38 dots\n{small}"
    assert loaded(commented).experiment == loaded(small).experiment


@pytest.mark.parametrize(
    "key", ["a." * 40 + "a = 1", "[" + "a." * 40 + "a]", 'b = {"x" = 1, ' + "'a'." * 40 + "a = 1}"]
)
def test_key_with_too_many_parts_is_refused_in_its_own_line(error: Callable[..., str], key: str) -> None:
    before = f"# {DOTS}\nname = '''\n{DOTS}\n'''\n"
    assert error(before + key + "\n") == "e.toml:5: TOML syntax: keys of up to 32 parts are allowed"


def test_unterminated_strings_are_scanned_in_linear_time() -> None:
    """The square of their length would take hours."""
    for text in ('"' + '\\"' * 500_000, '"""' + '\\"""' * 300_000, "'''" + "'" * 900_000, '"\n' * 500_000):
        assert line_of_longest_key(text) is None
