# SPDX-License-Identifier: BSD-3-Clause
"""Who has an MPI that cannot resize is told of one that can."""

from pathlib import Path

import pytest

from nereus.launch import Build
from nereus.probe import Capabilities, Feature, remedy
from nereus.probe.capabilities import FEATURES

OLD, NEW = (Build(name, Path("/nowhere"), Path("/nowhere/mpiexec"), "MPI") for name in ("old", "new"))


@pytest.mark.parametrize(
    ("able", "said"), [({"new"}, "use --mpi new"), (set(), "`make build` fetches MPICH 5")]
)
def test_other_build_is_named_where_one_can_resize(
    monkeypatch: pytest.MonkeyPatch, able: set[str], said: str
) -> None:
    def probe(build: Build, time_limit: float) -> Capabilities:
        return Capabilities("M", "multiple", dict.fromkeys(FEATURES, Feature(build.name in able)))

    monkeypatch.setattr("nereus.probe.remedies.probe", probe)
    monkeypatch.setattr("nereus.probe.remedies.builds", lambda: [OLD, NEW])
    assert said in remedy(OLD)
