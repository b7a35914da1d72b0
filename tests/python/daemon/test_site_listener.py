# SPDX-License-Identifier: BSD-3-Clause
"""The daemon of jobs with allocations of their own: found by a file, heard by keys, back where it was."""

import socket
from pathlib import Path
from typing import Any

import pytest
from a_job import FakeJob

from nereus.daemon.daemon import Daemon
from nereus.daemon.error import DaemonError
from nereus.daemon.state import HostLimits
from nereus.supervisor.daemon_address import daemon_address
from nereus.supervisor.site_record import ClientKeys, read_client_keys, record_path, write_record


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of keys."""
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path / "keys"))
    return tmp_path / "keys"


def begin(house: Any, **keys: Any) -> Daemon:
    daemon: Daemon = house.begin(policy="fair", limits=HostLimits(1), cores=1, **keys)
    return daemon


def address_of(daemon: Daemon) -> str:
    return str(daemon.about["listen"])


def far_job(house: Any, name: str = "a") -> FakeJob:
    """One that came by the network."""
    found = read_client_keys(record_path())
    address = f"tcp://127.0.0.1:{house.daemon.about['listen'].rpartition(':')[2]}"
    job = FakeJob(house.context, address, name)
    house._jobs.append(job)
    job.socket.curve_serverkey = found.server.encode()
    job.socket.curve_publickey, job.socket.curve_secretkey = found.public.encode(), found.secret.encode()
    return job.connect()


def test_jobs_come_by_the_network_with_the_keys_of_the_file(house: Any) -> None:
    daemon = begin(house)
    job = far_job(house)
    job.hello()
    house.until(lambda: "welcome" in job.kinds())
    assert address_of(daemon).startswith(f"tcp://{socket.gethostname()}:")
    stranger = FakeJob(house.context, job.address, "b").connect()
    house._jobs.append(stranger)
    stranger.hello()
    job.heartbeat()
    house.until(lambda: "alive" in job.kinds())
    assert stranger.kinds() == []


def test_daemon_comes_back_where_it_was_and_jobs_with_it(house: Any) -> None:
    before = address_of(begin(house))
    job = far_job(house)
    job.hello()
    house.until(lambda: "welcome" in job.kinds())
    house.end()
    assert not record_path().exists()
    assert address_of(begin(house)) == before
    job.received.clear()

    def is_known() -> bool:
        job.heartbeat()
        return "alive" in job.kinds()

    house.until(is_known)


def test_daemon_takes_another_port_where_its_own_is_in_use(house: Any) -> None:
    before = address_of(begin(house))
    house.end()
    with socket.create_server(("", int(before.rpartition(":")[2]))):
        assert address_of(begin(house)) != before


def test_daemon_listens_where_it_is_told_to(house: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    assert address_of(begin(house, listen=address)) == address
    of_job = {"NEREUS_KEY_FOLDER": str(record_path().parent), "SLURM_JOB_ID": "7"}
    assert daemon_address(of_job | {"XDG_RUNTIME_DIR": str(tmp_path)})["NEREUS_CONTROLLER"] == address


def test_keys_are_kept_for_their_owner_alone_and_damaged_ones_are_refused(house: Any) -> None:
    begin(house)
    house.end()
    kept = house.folder / "store.sqlite.keys"
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text("{}")
    with pytest.raises(DaemonError, match=r"store.sqlite.keys: are no keys of this daemon; remove it"):
        begin(house)
    kept.unlink()
    begin(house)


def test_second_daemon_for_all_hosts_is_refused(house: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        begin(house)
        house.end()
        write_record(address, ClientKeys("p" * 40, "s" * 40, "d" * 40))
        with pytest.raises(DaemonError, match="a daemon answers at"):
            begin(house)
