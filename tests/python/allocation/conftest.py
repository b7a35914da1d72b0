# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Iterator
from pathlib import Path

import pytest
from a_flux import FakeFlux, fake_flux
from a_slurm import FakeSlurm, fake_slurm
from a_stand import GROWING, STANDS, FluxStand, SlurmStand, Stand, stand_of


@pytest.fixture(params=STANDS)
def stand(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    """Each kind of allocation."""
    with stand_of(request.param, tmp_path, monkeypatch) as stand:
        yield stand


@pytest.fixture(params=GROWING)
def growing(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stand]:
    """Each kind that can grow."""
    with stand_of(request.param, tmp_path, monkeypatch) as stand:
        yield stand


@pytest.fixture
def in_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmStand]:
    with stand_of("slurm", tmp_path, monkeypatch) as stand:
        assert isinstance(stand, SlurmStand)
        yield stand


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSlurm]:
    """Without an allocation."""
    with fake_slurm(tmp_path, monkeypatch, n1=2, n2=2, n3=2, n4=4) as slurm:
        yield slurm


@pytest.fixture
def in_flux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FluxStand]:
    with stand_of("flux", tmp_path, monkeypatch) as stand:
        assert isinstance(stand, FluxStand)
        yield stand


@pytest.fixture
def flux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFlux]:
    """Without an allocation."""
    with fake_flux(tmp_path, monkeypatch, n1=2, n2=2, n3=2, n4=4) as flux:
        yield flux
