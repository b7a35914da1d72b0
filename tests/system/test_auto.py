# SPDX-License-Identifier: BSD-3-Clause
"""`auto` with real MPIs: what is chosen follows the costs, also when rank 0 is another process."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from faulty_application import running

from nereus.bench.costs import Cost, new_costs
from nereus.launch import choose

WAY = ("--methods", "auto", "--process-strategies", "none")
BENCH = ("bench", "transfer", "--bytes", "400000", "--repeat", "1", "--json", *WAY)
LIMIT = 300.0
CHEAP, DEAR = 1e-9, 1.0


def costs_file(site: Any, mpi: str, **fixed_seconds: float) -> str:
    """Costs that differ by what is named here alone."""
    rows = [
        Cost(
            method=method,
            strategy="blocking",
            fixed_seconds=fixed,
            seconds_per_array=0,
            seconds_per_byte=1e-6,
            pause_seconds=0,
            omega=1,
            deviation=0,
        )
        for method, fixed in fixed_seconds.items()
    ]
    path: Path = site.folder / "costs.json"
    path.write_text(new_costs(choose(mpi), rows).model_dump_json())
    return str(path)


@pytest.mark.parametrize("best", ["p2p", "col"])
def test_cheapest_method_is_chosen(site: Any, mpi: str, best: str) -> None:
    path = costs_file(site, mpi, **{"p2p": DEAR, "col": DEAR, best: CHEAP})
    sizes = ("--from", "1,3", "--to", "3,1", "--strategies", "auto", "--csv", "trials.csv")
    result = site.nereus(*BENCH, "--mpi", mpi, *sizes, limit=LIMIT, NEREUS_COSTS=path)
    assert result.code == 0, result.err
    for row in result.document["rows"]:
        assert row["works"], row["reason"]
        # One process sends, or receives, two thirds of the data, a microsecond for each byte.
        assert row["predicted_seconds"] == pytest.approx(400000 * 2 / 3 * 1e-6, rel=1e-3)


def test_next_rank_0_knows_the_costs_too(site: Any, mpich: str) -> None:
    path = costs_file(site, mpich, p2p=DEAR, col=CHEAP)
    ways = ("--process-methods", "baseline-inter,baseline-intra", "--strategies", "blocking")
    sizes = ("--from", "1", "--to", "2")
    result = site.nereus(*BENCH, "--mpi", mpich, *ways, *sizes, limit=LIMIT, NEREUS_COSTS=path)
    assert result.code == 0, result.err
    # All data leaves its process, and half of it goes to each drain.
    predicted = {row["process_method"]: row["predicted_seconds"] for row in result.document["rows"]}
    assert predicted == {
        method: pytest.approx(0.4, rel=1e-3) for method in ("baseline-inter", "baseline-intra")
    }


def test_one_sided_transfers_are_chosen_only_where_supported(site: Any, openmpi: str) -> None:
    costs = costs_file(site, openmpi, **{"p2p": DEAR, "rma-lock": CHEAP})
    own: Any = {"NEREUS_COSTS": costs, "NEREUS_TRANSFER_METHOD": "auto", "NEREUS_MEMORY": "private"}
    with running(site, openmpi, **own) as application:
        chosen = [application.resize(ranks)["report"]["transfer_method"] for ranks in (1, 3, 2)]
        # Two founders; then one of a later world comes and goes.
        assert chosen == ["rma-lock", "p2p", "p2p"]
        application.must_end_well()


def test_without_costs_nothing_is_predicted(site: Any, mpich: str) -> None:
    result = site.nereus(
        *BENCH, "--mpi", mpich, "--from", "1", "--to", "2", "--strategies", "auto", limit=LIMIT
    )
    assert result.code == 0, result.err
    (row,) = result.document["rows"]
    assert row["works"], row["reason"]
    assert row["predicted_seconds"] is None


@pytest.mark.parametrize("text", ["", "{}", "[1, 2", json.dumps({"format": "nereus-costs", "version": 7})])
def test_unreadable_cost_file_of_the_user_ends_the_job(site: Any, mpich: str, text: str) -> None:
    path = site.folder / site.write("costs.json", text)
    program = choose(mpich).program("nereus-transfers")
    words = ("--from", "1", "--to", "2", "--bytes", "8", "merge:auto:auto", f"--nereus-costs={path}")
    result = site.nereus("run", "-n", "2", "--mpi", mpich, "--", program, *words, limit=LIMIT)
    assert result.code != 0
    assert re.search(rf"nereus: the job cannot be opened: costs = {path}: .*; allowed is", result.err)
