# SPDX-License-Identifier: BSD-3-Clause
"""A simulated cluster: equal hosts around one switch that is never full, and which rank is on which host."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nereus.config.quantities import bytes_of, seconds_of
from nereus.simulation.network.error import SmpiError

PACKED, SPREAD = "packed", "spread"
PLACEMENTS = (PACKED, SPREAD)
MOST_RANKS = 100_000
_BITS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_RATE = re.compile(r"\s*(\d{1,12}(?:\.\d{1,12})?)\s*([kMGT]?)bit/s\s*", re.ASCII)
_LONGEST_LATENCY = 1.0


@dataclass(frozen=True)
class Cluster:
    """`bandwidth` and `memory_bandwidth`: bytes/s; `latency`: seconds of a host's link.

    `acknowledgements`: whether a twentieth of what a host receives goes back, as in SimGrid's usual model.
    """

    hosts: int
    cores: int
    bandwidth: float
    latency: float
    memory_bandwidth: float
    acknowledgements: bool = True

    @property
    def slots(self) -> int:
        return self.hosts * self.cores

    def host_of_ranks(self, ranks: int, placement: str) -> list[int]:
        """packed: hosts are filled one after the other; spread: ranks go round all hosts."""
        if ranks > self.slots:
            raise SmpiError(
                f"{ranks} ranks: {self.hosts} hosts of {self.cores} cores have {self.slots} slots; "
                "--nodes and --cores make more"
            )
        return [rank // self.cores if placement == PACKED else rank % self.hosts for rank in range(ranks)]

    def question(self, host_of_rank: Sequence[int]) -> dict[str, Any]:
        """What the program is told of it."""
        return {
            "hosts": self.hosts,
            "bandwidth": self.bandwidth,
            "latency": self.latency,
            "memory_bandwidth": self.memory_bandwidth,
            "acknowledgements": self.acknowledgements,
            "host_of_rank": list(host_of_rank),
        }


def read_rate(option: str, text: str) -> float:
    """Bytes/s of a text such as "100 Gbit/s"."""
    match = _RATE.fullmatch(text)
    rate = float(match[1]) * _BITS[match[2]] / 8 if match else 0.0
    if not 125 <= rate <= 1.25e14:
        raise SmpiError(f"{option} {text}: allowed is a rate from 1 kbit/s to 1000 Tbit/s, as 100 Gbit/s")
    return rate


def rate_text(bytes_per_second: float) -> str:
    """1.25e10 -> "100 Gbit/s"."""
    bits = bytes_per_second * 8
    unit = max((unit for unit, least in _BITS.items() if bits >= least), key=lambda unit: _BITS[unit])
    return f"{bits / _BITS[unit]:g} {unit}bit/s"


def read_latency(text: str) -> float:
    """Seconds of a text such as "1 us"."""
    return _quantity("--latency", text, 0.0, _LONGEST_LATENCY)


def read_seconds(option: str, text: str) -> float:
    """Seconds of a text such as "5 ms", up to a day."""
    return _quantity(option, text, 0.0, 86400.0)


def read_bytes(option: str, text: str, most: int = 2**50) -> int:
    """Bytes of a text such as "1 GiB" or 1000000."""
    try:
        count = int(text) if text.isascii() and text.isdigit() else bytes_of(text)
    except ValueError as problem:
        raise SmpiError(f"{option} {text}: {problem}; allowed is a size as 1000000 or 64 MiB") from None
    if not isinstance(count, int) or not 1 <= count <= most:
        raise SmpiError(f"{option} {text}: allowed is a size from 1 to {most} bytes, as 1000000 or 64 MiB")
    return count


def _quantity(option: str, text: str, least: float, most: float) -> float:
    try:
        seconds = seconds_of(text)
    except ValueError as problem:
        raise SmpiError(f"{option} {text}: {problem}; allowed is a time as 1 us") from None
    if not isinstance(seconds, float) or not least <= seconds <= most:
        raise SmpiError(f"{option} {text}: allowed are {least:g} s to {most:g} s")
    return seconds
