# SPDX-License-Identifier: BSD-3-Clause
"""The command line of `nereus bench transfer`: words to sizes and ways; what is wrong is said at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.bench.transfer_trials import Amount, Pair
from nereus.bench.transfer_ways import METHODS, TransferWay, transfer_ways
from nereus.cli.bench_bytes import data_bytes
from nereus.cli.bench_network import check_network
from nereus.cli.messages import Refused
from nereus.cli.process_ways import read_ways
from nereus.launch import most_ranks
from nereus.methods import AUTO, CONNECTED_METHODS, TRANSFER_STRATEGIES


@dataclass(frozen=True)
class Asked:
    """What is to be tried."""

    pairs: list[Pair]
    ways: list[TransferWay]
    amount: Amount
    network: str


def read_asked(words: Mapping[str, str], arrays: int, constant_percent: float) -> Asked:
    """Read the options; Refused says what is wrong with which, and what is allowed."""
    if arrays < 2 and 0 < constant_percent < 100:
        raise Refused(
            f"--arrays = {arrays}: constant and variable data need an array each; allowed is 2 or more, "
            f"or --constant-percent 0 or 100"
        )
    check_network(words["network"])
    processes = _listed(words, "process-methods", CONNECTED_METHODS)
    methods = _listed(words, "methods", (*METHODS, AUTO))
    strategies = _listed(words, "strategies", (*TRANSFER_STRATEGIES, AUTO))
    made = read_ways(processes, "--process-strategies", words["process-strategies"])
    ways = transfer_ways(made, methods, strategies)
    if not ways:
        raise Refused(f"--strategies = {words['strategies']}: does not go with {words['methods']}")
    amount = Amount(data_bytes(words["bytes"]), arrays, constant_percent)
    return Asked(_pairs(words["from"], words["to"]), ways, amount, words["network"])


def check_outputs(csv: Path | None, plot: Path | None) -> None:
    """Refuse files that could not be written at the end."""
    if csv is not None and not csv.parent.is_dir():
        raise Refused(f"--csv = {csv}: there is no folder {csv.parent}")
    if plot is not None and plot.exists() and not plot.is_dir():
        raise Refused(f"--plot = {plot}: is no folder")


def _listed(words: Mapping[str, str], name: str, allowed: Sequence[str]) -> list[str]:
    named = words[name].split(",")
    for word in named:
        if word not in allowed:
            raise Refused(f"--{name} = {words[name]}: {word or '(empty)'}: allowed are {', '.join(allowed)}")
    return named


def _pairs(before: str, after: str) -> list[Pair]:
    first, second = _sizes("--from", before), _sizes("--to", after)
    if len(first) != len(second):
        raise Refused(
            f"--to = {after}: has {len(second)} sizes; allowed are as many as --from has, {len(first)}"
        )
    for one, other in zip(first, second, strict=True):
        if one == other:
            raise Refused(f"--to = {after}: {other}: must differ from the size before, {one}")
    pairs = [Pair(one, other) for one, other in zip(first, second, strict=True)]
    return list(dict.fromkeys(pairs))


def _sizes(name: str, text: str) -> list[int]:
    return [_size(name, text, word) for word in text.split(",")]


def _size(name: str, text: str, word: str) -> int:
    # Nine digits are more than any machine is asked for.
    size = int(word[:9]) if word.isascii() and word.isdigit() else 0
    if not 1 <= size <= most_ranks():
        raise Refused(
            f"{name} = {text}: {word or '(empty)'}: allowed are 1 .. {most_ranks()} processes on this machine"
        )
    return size
