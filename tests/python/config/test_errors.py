# SPDX-License-Identifier: BSD-3-Clause
"""Wrong experiments: what is said names file, line, key, what was found and what is allowed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import ConfigError, load

Error = Callable[..., str]

INT = "a whole number from 0 to 2^"
WRONG = [
    # (what to replace in `small`, with what, the line it says)
    ("ranks = 1", "ranks = 0", "9: groups[0].ranks = 0: a group needs at least 1 process"),
    ("ranks = 1", "ranks = -3", "9: groups[0].ranks = -3: a group needs at least 1 process"),
    ("ranks = 1", 'ranks = "1"', '9: groups[0].ranks = "1": a group needs at least 1 process'),
    ("ranks = 1", "ranks = true", "9: groups[0].ranks = true: a group needs at least 1 process"),
    ("ranks = 1", "ranks = 1.0", "9: groups[0].ranks = 1.0: a group needs at least 1 process"),
    ("ranks = 1", "rank = 1", "9: groups[0].rank = 1: unknown key; did you mean ranks?; e.toml:"),
    ("ranks = 1\n", "", "8: groups[0].ranks: is missing: a group needs at least 1 process"),
    (
        "ranks = 2",
        "ranks = 1",
        "12: groups[1].ranks = 1: another number than the 1",
    ),
    (
        "iterations = 10\n",
        "",
        "8: groups[0].iterations: is missing: iterations before",
    ),
    ("iterations = 10", "iterations = -1", f"10: groups[0].iterations = -1: {INT}"),
    (
        "iterations = 30",
        "iterations = 0",
        "4: phases[0].iterations = 0: a whole number from 1 to 2^",
    ),
    ("time = 0.01", "time = -0.01", "7: phases[0].stages[0].time = -0.01: seconds from 0 to 1e9"),
    ("time = 0.01", "time = inf", "7: phases[0].stages[0].time = Infinity: seconds from 0 to 1e9"),
    ("time = 0.01", "time = nan", "7: phases[0].stages[0].time = NaN: seconds from 0 to 1e9"),
    ("time = 0.01", 'time = "-5 ms"', '7: phases[0].stages[0].time = "-5 ms": seconds from 0 to 1e9'),
    ("time = 0.01", 'time = "5 parsec"', '7: phases[0].stages[0].time = "5 parsec": seconds from 0'),
    ("time = 0.01", "time = 2020-01-01 01:00:00", "7: phases[0].stages[0].time = "),
    ("1000", "-1", "2: data.variable_bytes = -1: bytes from 0 to 2^"),
    ("1000", str(2**62 + 1), "2: data.variable_bytes = 4611686018427387905: bytes from 0 to 2^"),
    ("1000", "9" * 500, "2: data.variable_bytes = 99999999"),
    ('"pi"', '"bcast"\nbytes = 2147483648', "7: phases[0].stages[0].bytes = 2147483648: at most 2147483647"),
    ("1000", '"0.3 KiB"', '2: data.variable_bytes = "0.3 KiB": bytes from 0 to 2^'),
    (
        '"pi"',
        '"pie"',
        '6: phases[0].stages[0].type = "pie": one of pi, matrix, p2p, ip2p',
    ),
    (
        '"pi"',
        '"wait"\nid = 3',
        "7: phases[0].stages[0].id = 3: the id of a stage of type ip2p",
    ),
    ('"pi"', '"wait"', "5: phases[0].stages[0].id: is missing: wait shares an id"),
    ('"pi"', '"ip2p"\nid = 3', "7: phases[0].stages[0].id = 3: needs a stage of type wait with id 3"),
    ('"pi"', '"pi"\nid = 3', "7: phases[0].stages[0].id = 3: only stages of type ip2p and wait"),
    ('"pi"', '"pi"\nbytes = 3', "7: phases[0].stages[0].bytes = 3: 0, because a stage of type pi"),
    (
        '"pi"',
        '"matrix"\ngranularity = 0',
        "7: phases[0].stages[0].granularity = 0: a whole number",
    ),
    ("[data]", "weights = []\n[data]", "1: weights = []: at least one number, each from 1e-9 to 1e9"),
    ("[data]", "weights = [1.0, 0]\n[data]", "1: weights[1] = 0: at least one number"),
    ("[data]", "weights = [\n 1.0,\n -1]\n[data]", "3: weights[1] = -1: at least one number"),
    (
        "ranks = 2",
        "ranks = 2\nweights = [1, 0]",
        "13: groups[1].weights[1] = 0: at least one number, each from 1e-9 to 1e9",
    ),
    (
        "ranks = 2",
        "ranks = 2\nweights = [1, 1, 1]",
        "13: groups[1].weights = [1, 1, 1]: at most 2 weights, one for each rank",
    ),
    ("[data]", "weights = [1, 2, 3]\n[data]", "1: weights = [1, 2, 3]: at most 2 weights"),
    ("[data]", "sede = 1\n[data]", "1: sede = 1: unknown key; did you mean seed?"),
    ("[data]", "[dat]", "1: dat = a table: unknown key; did you mean data?"),
    ("[data]", 'name = "a/b"\n[data]', '1: name = "a/b": 1 to 64 letters'),
    ("[data]", "seed = -1\n[data]", "1: seed = -1: a whole number from 0 to 2^63-1"),
    ("[data]", 'capture = "min"\n[data]', '1: capture = "min": one of max, mean, median'),
    ("[data]", 'barrier = "yes"\n[data]', '1: barrier = "yes": true or false'),
    (
        "[data]",
        'scratch = "/no/such/folder"\n[data]',
        '1: scratch = "/no/such/folder": the name',
    ),
    ("[data]", "resize = 3\n[data]", "1: resize = 3: a table with placement"),
    ("[data]", "[resize]\nmethod = 1\n[data]", "2: resize.method = 1: unknown key; "),
    (
        "[data]",
        '[resize]\nprocess_method = "x"\n[data]',
        '2: resize.process_method = "x": one of',
    ),
    (
        "ranks = 2",
        'ranks = 2\nprocess_strategies = ["join", "spawn"]',
        '13: groups[1].process_strategies[1] = "spawn": ["auto"], [] (one blocking call',
    ),
    (
        "ranks = 2",
        'ranks = 2\nprocess_strategies = "join"',
        '13: groups[1].process_strategies = "join": ["auto"], []',
    ),
    (
        "ranks = 2",
        'ranks = 2\nprocess_strategies = ["parallel", "single"]',
        '13: groups[1].process_strategies = ["parallel", "single"]: process strategies single+parallel '
        "exclude one another: with single rank 0 alone spawns, with parallel every process does",
    ),
    (
        "ranks = 1",
        'ranks = 1\nprocess_strategies = ["auto", "join"]',
        '10: groups[0].process_strategies = ["auto", "join"]: process strategies join+auto exclude',
    ),
    (
        "[data]",
        '[resize]\nprocess_strategies = ["join", "multiple"]\n[data]',
        '2: resize.process_strategies = ["join", "multiple"]: process strategies multiple+join exclude one '
        "another: with join the supervisor starts the processes and none is spawned",
    ),
    (
        "ranks = 2",
        'ranks = 2\nprocess_strategies = ["single", "single"]',
        '13: groups[1].process_strategies = ["single", "single"]: process strategy single is there twice',
    ),
    (
        "ranks = 2",
        'ranks = 2\nrelease_unit = "node"',
        '13: groups[1].release_unit = "node": one of job, host, rank',
    ),
    (
        "ranks = 2",
        'ranks = 2\ntransfer_method = "rma"',
        '13: groups[1].transfer_method = "rma": one of',
    ),
    (
        "ranks = 2",
        'ranks = 2\ntransfer_method = "rma-lock"\ntransfer_strategy = "nonblocking"',
        '13: groups[1].transfer_method = "rma-lock": rma-lock does not go with nonblocking: drains read from',
    ),
    (
        "[data]",
        '[resize]\nprocess_method = "baseline-inter"\ntransfer_method = "rma-lockall"\n[data]',
        '3: resize.transfer_method = "rma-lockall": rma-lockall does not go with baseline-inter: there is no',
    ),
    (
        "ranks = 2",
        'ranks = 2\ntransfer_strategy = "threads"',
        '13: groups[1].transfer_strategy = "threads": one of auto, blocking, nonblocking, wait-drains, ',
    ),
    ("ranks = 2", 'ranks = 2\nsurvivors = "last"', '13: groups[1].survivors = "last": one of auto, first,'),
    ("[data]", '[data]\nmemory = "public"', '2: data.memory = "public": one of auto, private, shared'),
    ("[data]", "[data]\nbytes = 5", "1: data.constant_percent: is missing: bytes has no meaning without it"),
    ("[data]", "[data]\nconstant_percent = 5", "1: data.bytes: is missing: constant_percent has no meaning"),
    (
        "[data]",
        "[data]\nbytes = 5\nconstant_percent = 5",
        "4: data.variable_bytes = 1000: either constant_bytes and variable_bytes, or bytes and ",
    ),
    (
        "variable_bytes = 1000",
        "bytes = 5\nconstant_percent = 100.1",
        "3: data.constant_percent = 100.1: a number from 0 to 100",
    ),
    ("variable_bytes", "bites", "2: data.bites = 1000: unknown key; did you mean bytes?"),
    ("ranks = 2", "ranks = 2\nfactor = 0.0", "13: groups[1].factor = 0.0: a number from 1e-9 to 1e9"),
    (
        "ranks = 2",
        'ranks = 2\nplacement = "far"',
        '13: groups[1].placement = "far": one of',
    ),
    ("ranks = 2", "ranks = ", "12: TOML syntax: "),
    ("[[groups]]\nranks = 2", "[[groups", "11: TOML syntax: "),
    ("ranks = 2", 'ranks = "', "12: TOML syntax: "),
    ("ranks = 2", f"ranks = 2\nfactor = {'1' * 5000}", "1: TOML syntax: "),
]


@pytest.mark.parametrize(("old", "new", "says"), WRONG)
def test_error_is_reported_at_its_line(error: Error, small: str, old: str, new: str, says: str) -> None:
    assert old in small
    assert error(small.replace(old, new, 1)).startswith(f"e.toml:{says}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "e.toml:1: phases: is missing: at least one [[phases]] table; e.toml:1: groups"),
        (
            "phases = []\ngroups = []",
            "e.toml:1: phases = []: at least one [[phases]] table; e.toml:2: groups",
        ),
        ("groups = 3", "e.toml:1: phases: is missing"),
        (
            "[[groups]]\n[[phases]]\niterations = 1\nstages = []",
            "e.toml:4: phases[0].stages = []: at least one",
        ),
        ("phases = [1]\ngroups = [{ranks = 1}]", "e.toml:1: phases[0] = 1: a table with iterations, stages"),
    ],
)
def test_experiment_without_work_or_processes_is_refused(error: Error, text: str, says: str) -> None:
    assert error(text).startswith(says)


def test_lines_are_right_after_multiline_texts_and_lists(error: Error) -> None:
    text = (
        'name = """\nab"""\n\nweights = [ # a comment with ] and "\n  1.0,\n  2.0, # two\n]\n\n'
        "phases = [{iterations = 1, stages = [{type = 'pi', time = 1.0}]},\n"
        "  {iterations = 1,   stages = [\n  {type = 'pi',\n time = -1}]}]\n"
        "[['groups']]\n  \"ra\\u006eks\" = 2\n factor . x = 3\n"
    ).replace("\n time", " time")
    message = error(text)
    assert message.startswith("e.toml:11: phases[1].stages[0].time = -1")
    assert "; e.toml:14: groups[0].factor = a table: a number" in message
    assert error(text.replace("-1", "1")).startswith("e.toml:14: groups[0].factor = a table: a number")


def test_windows_line_ends_do_not_move_lines(tmp_path: Path, small: str) -> None:
    path = tmp_path / "e.toml"
    path.write_bytes(small.replace("ranks = 2", "ranks = 0").replace("\n", "\r\n").encode())
    with pytest.raises(ConfigError, match=r"e\.toml:12: groups\[1\]\.ranks = 0"):
        load(path)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: there is no such file"):
        load(tmp_path / "none.toml")


def test_folder_is_not_an_experiment(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        load(tmp_path)


def test_unreadable_file_is_reported(tmp_path: Path, small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:  # root may read everything, so the system would not refuse
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / "e.toml"
    path.write_text(small, encoding="utf-8")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ConfigError, match=r"e\.toml: cannot be read: Permission denied"):
        load(path)


def test_path_through_a_file_is_reported(tmp_path: Path, small: str) -> None:
    (tmp_path / "e.toml").write_text(small, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"f\.toml: cannot be read: Not a directory"):
        load(tmp_path / "e.toml" / "f.toml")


@pytest.mark.parametrize("name", ["e.toml", "e.ini", "e.json"])
def test_non_utf8_file_is_reported_with_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"# fine\n\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=rf"{name}:3: is not UTF-8 text: byte 0xe9"):
        load(tmp_path / name)


def test_unknown_file_type_is_reported_with_known_ones(error: Error, small: str) -> None:
    assert "ends in .toml (ours), .json or .ini" in error(small, "e.yaml")


def test_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "e.toml").open("wb") as file:
        file.truncate(2**34)
    with pytest.raises(ConfigError, match="larger than 16 MiB"):
        load(tmp_path / "e.toml")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("groups[7].ranks", "1", "flag: groups[7].ranks = 1: there is no groups[7]"),
        ("groups[1].ranks", "0", "flag: groups[1].ranks = 0: a group needs at least 1 process"),
        ("groups..ranks", "1", 'flag: "groups..ranks" = "1": a key is written as groups[1].ranks'),
        ("seeed", "1", "flag: seeed = 1: unknown key; did you mean seed?"),
        ("resize.process_method", "x", 'flag: resize.process_method = "x": one of merge'),
        ("seed.x", "1", "flag: seed.x = a table: a whole number"),
    ],
)
def test_wrong_flag_is_reported(error: Error, small: str, key: str, value: str, says: str) -> None:
    assert error(small, overrides={key: value}).startswith(says)


def test_wrong_environment_variable_is_reported(error: Error, small: str) -> None:
    message = error(small, environment={"NEREUS_SEED": "many"})
    assert message.startswith('environment NEREUS_SEED: seed = "many": a whole number')


def test_wrong_value_with_line_ends_is_reported_on_one_line(error: Error, small: str) -> None:
    message = error('"a\\nb\\u2028c" = "d\\ne"\n' + small)
    assert message.startswith("e.toml:1: a\\nb\\u2028c = ")
