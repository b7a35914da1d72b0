# SPDX-License-Identifier: BSD-3-Clause
"""What a job is started with and where its processes go; what is doubtful is told to the caller."""

from pathlib import Path

import pytest

from nereus.bench import stored_costs
from nereus.launch import Build, LaunchError, Share
from nereus.probe import Joining
from nereus.runs import Where, founding
from nereus.supervisor import Supervision


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("NEREUS_COSTS", raising=False)
    return Build("mpich", tmp_path, tmp_path / "mpiexec", "MPICH Version: 9.9")


def ignore(texts: list[str]) -> None:
    pass


def supervision(where: Where, build: Build, ranks: int = 3) -> Supervision:
    join = Joining(False, environment={"UCX_TLS": "self"})
    return where.supervision(build, Path("/bin/true"), (), ranks, join, {"NEREUS_SEED": "1"})


def test_only_the_unit_rank_starts_one_founder_that_makes_the_others() -> None:
    assert founding(3, "job") == (3, {})
    assert founding(3, "rank") == (1, {"NEREUS_START_RANKS": "3", "NEREUS_RELEASE_UNIT": "rank"})


def test_founders_fill_the_hosts_in_order(build: Build) -> None:
    where = Where.read(ignore, "a:2,b:2", None, ["compact"], False)
    start = supervision(where, build)
    assert (where.slots, list(start.founders)) == (4, [Share("a", 2), Share("b", 1)])
    assert start.launch.environment == {"NEREUS_HOSTS": "a:2,b:2", "NEREUS_SEED": "1"}


def test_more_ranks_than_slots_are_refused(build: Build) -> None:
    where = Where.read(ignore, "a:2", None, ["compact"], False)
    with pytest.raises(LaunchError, match="the hosts a:2 have 2 slots"):
        where.check_slots(3)


def test_costs_that_cannot_be_read_are_told_to_the_caller(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    file = stored_costs(build).path
    file.parent.mkdir(parents=True)
    file.write_text("{")
    told: list[str] = []
    assert "NEREUS_COSTS" not in supervision(Where(told.extend), build).launch.environment
    assert [text.startswith(f"{file}: these costs of transfers cannot be read") for text in told] == [True]
    assert capsys.readouterr() == ("", "")
