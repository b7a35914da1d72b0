# SPDX-License-Identifier: BSD-3-Clause
"""Rates, sizes and spawn costs mean what was written; ranks stand where the placement has them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.simulation.network import (
    PACKED,
    Cluster,
    SmpiError,
    paper_pairs,
    rate_text,
    read_rate,
    spawn_seconds_in,
)

CLUSTER = Cluster(8, 20, 1.25e10, 1e-6, 5e10)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("100 Gbit/s", 1.25e10), ("10Gbit/s", 1.25e9), ("2.5 Mbit/s", 312500.0), ("8000 bit/s", 1000.0)],
)
def test_rates_are_in_bits(text: str, rate: float) -> None:
    assert read_rate("--bandwidth", text) == rate
    assert read_rate("--bandwidth", rate_text(rate)) == rate


@settings(deadline=None)
@given(st.integers(1, 160), st.sampled_from([PACKED, "spread"]))
def test_no_host_has_more_ranks_than_cores(ranks: int, placement: str) -> None:
    on_hosts = Counter(CLUSTER.host_of_ranks(ranks, placement))
    assert sum(on_hosts.values()) == ranks
    assert max(on_hosts.values()) <= 20
    assert len(on_hosts) == (-(-ranks // 20) if placement == PACKED else min(ranks, 8))


def test_pairs_of_the_paper_are_all_ordered_pairs() -> None:
    pairs = paper_pairs()
    assert len(pairs) == len(set(pairs)) == 42
    assert {(160, 80), (80, 160), (2, 160)} <= set(pairs)


def test_spawn_cost_is_read_from_the_benchmark(tmp_path: Path) -> None:
    row = {"works": True, "method": "merge", "strategies": [], "seconds_per_process": 0.03}
    others = [{**row, "method": "baseline-intra", "seconds_per_process": 0.01}, {**row, "works": False}]
    others.append({**row, "strategies": ["parallel"], "seconds_per_process": 0.02})
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"rows": [*others, row]}))
    assert spawn_seconds_in(file) == 0.03
    file.write_text(json.dumps({"rows": others}))
    with pytest.raises(SmpiError, match="no row of merge"):
        spawn_seconds_in(file)
    file.write_text("[]")
    with pytest.raises(SmpiError, match="bench processes --json"):
        spawn_seconds_in(file)
