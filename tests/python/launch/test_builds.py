# SPDX-License-Identifier: BSD-3-Clause
"""Which builds are found, and how each kind of MPI is started."""

import json
import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from nereus.launch import (
    Build,
    Host,
    Launch,
    LaunchError,
    Reach,
    RemoteShell,
    Share,
    builds,
    choose,
    command,
    mpi_independent,
    place,
)
from nereus.launch.builds import build_folders
from nereus.launch.preloading import LIBRARY

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI"
MPICH = "MPICH Version: 5.0.2"


def install(folder: Path, name: str, version: str = MPICH) -> Build:
    prefix = folder / name
    prefix.mkdir()
    mpiexec = prefix / "mpiexec"
    mpiexec.write_text("#!/bin/sh\n")
    mpiexec.chmod(0o755)
    text = json.dumps({"name": name, "mpiexec": str(mpiexec), "library_version": version})
    (prefix / "mpi.json").write_text(text)
    return Build(name, prefix, mpiexec, version)


def test_program_that_is_the_same_with_all_mpis_is_taken_from_a_build_that_has_it(tmp_path: Path) -> None:
    install(tmp_path, "mpich")
    other = install(tmp_path, "openmpi")
    program = other.prefix / "bin" / "nereus-place"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environment = {"NEREUS_BUILDS": str(tmp_path)}
    assert mpi_independent("nereus-place", environment) == program
    with pytest.raises(LaunchError, match="mpich has no such program"):
        mpi_independent("nereus-smpi", environment)


def test_mpich_is_the_default_mpi(tmp_path: Path) -> None:
    for name in ("alpha", "mpich", "openmpi"):
        install(tmp_path, name)
    environment = {"NEREUS_BUILDS": str(tmp_path)}
    assert [build.name for build in builds(environment)] == ["mpich", "alpha", "openmpi"]
    assert choose(None, environment).name == "mpich"


def test_another_mpi_is_used_when_mpich_is_missing(tmp_path: Path) -> None:
    install(tmp_path, "openmpi", OPEN_MPI)
    assert choose(None, {"NEREUS_BUILDS": str(tmp_path)}).name == "openmpi"


def test_unknown_mpi_is_reported_with_the_installed_ones(tmp_path: Path) -> None:
    for name in ("mpich", "openmpi"):
        install(tmp_path, name)
    with pytest.raises(LaunchError, match=r"--mpi = intel: .*mpich, openmpi"):
        choose("intel", {"NEREUS_BUILDS": str(tmp_path)})


def test_missing_builds_are_reported_with_remedy(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="make build"):
        choose(None, {"NEREUS_BUILDS": str(tmp_path / "none")})


@pytest.mark.parametrize("text", ["", "[]", '{"name": "mpich"}', "\x00"])
def test_damaged_description_is_reported_without_traceback(tmp_path: Path, text: str) -> None:
    install(tmp_path, "mpich").description.write_text(text)
    with pytest.raises(LaunchError, match=r"mpi\.json"):
        builds({"NEREUS_BUILDS": str(tmp_path)})


def test_tabs_in_the_version_text_are_replaced(tmp_path: Path) -> None:
    description = install(tmp_path, "mpich").description
    description.write_text(description.read_text().replace("Version: ", "Version:\t"))
    assert choose("mpich", {"NEREUS_BUILDS": str(tmp_path)}).library_version == MPICH


def test_missing_program_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=r"bin/nereus-emulator.*make build"):
        install(tmp_path, "mpich").program("nereus-emulator")


def test_missing_library_is_reported_with_what_made_the_build(tmp_path: Path, packaged: Path) -> None:
    for build, remedy in (
        (install(tmp_path, "mpich"), "run `make build` again"),
        (install(tmp_path, "mine"), "run `nereus build --with-mpi MPICC --name mine` again"),
        (choose(None, {}), "install the wheel again"),
    ):
        with pytest.raises(LaunchError, match=f"lib/libnereus-monitor.so: .*{build.name}.*; {remedy}"):
            build.library(LIBRARY)


def test_missing_launcher_is_reported(tmp_path: Path) -> None:
    build = install(tmp_path, "mpich")
    build.mpiexec.unlink()
    with pytest.raises(LaunchError, match="mpiexec"):
        command(build, 2, Path("/opt/app"))


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python environment with a build in its package: its MPI is where wheels put it."""
    packages = tmp_path / "lib" / "python3.11" / "site-packages" / "nereus" / "builds"
    prefix = packages / "own"
    prefix.mkdir(parents=True)
    up = "../" * 6
    text = {"name": "mpich", "mpiexec": f"{up}bin/mpiexec", "library_folder": f"{up}lib"}
    (prefix / "mpi.json").write_text(json.dumps(text | {"library_version": MPICH}))
    # The package has a function of the same name.
    monkeypatch.setattr(import_module("nereus.launch.builds"), "PACKAGED", packages)
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    return tmp_path


def test_build_in_the_package_is_found_with_the_mpi_of_its_environment(packaged: Path) -> None:
    launcher = packaged / "bin" / "mpiexec"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\n")
    (build,) = builds({})
    assert build.mpiexec.samefile(launcher)
    assert build.library_folder is not None and build.library_folder.samefile(packaged / "lib")


def test_build_in_the_package_is_given_its_own_mpi_where_a_module_would_hide_it(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loaded module puts the folder of its MPI into LD_LIBRARY_PATH."""
    (build,) = builds({})
    module = tmp_path / "module"
    module.mkdir()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{module}:/nowhere")
    assert build.environment == {}
    (module / "libmpi.so.12").touch()
    own, *others = build.environment["LD_LIBRARY_PATH"].split(":")
    assert Path(own).samefile(packaged / "lib")
    assert others == [str(module), "/nowhere"]


def test_installed_build_of_the_same_name_is_used_before_that_in_the_package(packaged: Path) -> None:
    folder = packaged / "lib" / "nereus"
    folder.mkdir()
    install(folder, "openmpi", OPEN_MPI)
    assert [build.name for build in builds({})] == ["mpich", "openmpi"]
    own = install(folder, "mpich")
    assert builds({})[0].prefix == own.prefix
    assert [place.name for place in build_folders({})] == ["nereus", "builds"]
    assert [build.prefix.parent for build in builds({"NEREUS_BUILDS": str(folder)})] == [folder, folder]


def test_missing_mpi_of_the_build_in_the_package_is_reported_with_what_installs_it(packaged: Path) -> None:
    with pytest.raises(
        LaunchError, match=r"of MPICH Version: 5.0.2; run `pip install --force-reinstall mpich`"
    ):
        command(choose(None, {}), 2, Path("/opt/app"))


def test_mpich_gets_a_plain_command_line(tmp_path: Path) -> None:
    build = install(tmp_path, "mpich")
    start = command(build, 3, Path("/opt/app"), ["run.json"])
    assert start.arguments == [str(build.mpiexec), "-n", "3", "/opt/app", "run.json"]


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_open_mpi_starts_more_ranks_than_cores_and_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, allowed: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    start = command(install(tmp_path, "openmpi", OPEN_MPI), 3, Path("/opt/app"))
    assert "--oversubscribe" in start.arguments
    assert ("--allow-run-as-root" in start.arguments) is allowed
    assert start.environment["OMPI_MCA_rmaps_base_oversubscribe"] == "1"


HOSTS = [Share("n1", 2), Share("n2", 1)]


@pytest.mark.parametrize(("version", "option"), [(MPICH, "-hosts"), (OPEN_MPI, "--host")])
def test_hosts_are_passed_in_the_format_of_the_launcher(tmp_path: Path, version: str, option: str) -> None:
    launch = Launch(
        install(tmp_path, "any", version), Path("/opt/app"), reach=Reach((Host("n1"), Host("n2")))
    )
    arguments = launch.command(HOSTS).arguments
    assert arguments[arguments.index(option) + 1] == "n1:2,n2:1"
    assert arguments[arguments.index("-n") + 1] == "3"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (MPICH, ["-launcher", "ssh", "-launcher-exec", "/opt/rsh"]),
        (OPEN_MPI, ["--mca", "plm", "rsh", "--mca", "plm_rsh_agent", "/opt/rsh"]),
    ],
)
def test_given_remote_shell_reaches_other_hosts(tmp_path: Path, version: str, expected: list[str]) -> None:
    launch = Launch(
        install(tmp_path, "any", version), Path("/opt/app"), reach=Reach(remote_shell=RemoteShell("/opt/rsh"))
    )
    arguments = launch.command(HOSTS).arguments
    start = arguments.index(expected[0])
    assert arguments[start : start + len(expected)] == expected


def test_ranks_keep_their_order_when_open_mpi_returns_to_a_host(tmp_path: Path) -> None:
    launch = Launch(install(tmp_path, "any", OPEN_MPI), Path("/opt/app"), ("x",))
    arguments = launch.command([Share("n1", 1), Share("n2", 1), Share("n1", 2)]).arguments
    part = "--host n1:1 -n 1 /opt/app x : --host n2:1 -n 1 /opt/app x : --host n1:2 -n 2 /opt/app x"
    assert " ".join(arguments).endswith(part)


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ([Share("n1", 1), Share("n2", 1), Share("n1", 1)], "n1:1,n2:1"),
        ([Share("n1", 1), Share("n1", 1), Share("n2", 1), Share("n1", 1)], "n1:3,n2:1"),
    ],
)
def test_mpich_gets_each_host_once_although_ranks_return_to_it(
    tmp_path: Path, shares: list[Share], told: str
) -> None:
    launch = Launch(install(tmp_path, "any", MPICH), Path("/opt/app"))
    arguments = launch.command(shares).arguments
    ranks = sum(share.ranks for share in shares)
    assert arguments[1:] == ["-hosts", told, "-n", str(ranks), "/opt/app"]


@pytest.mark.parametrize(("spread", "policy"), [(False, "slot"), (True, "node")])
def test_open_mpi_gets_hosts_that_are_used_only_later(tmp_path: Path, spread: bool, policy: str) -> None:
    hosts = (Host("n1", 2), Host("n2", 2), Host("n3", 2))
    launch = Launch(install(tmp_path, "any", OPEN_MPI), Path("/opt/app"), reach=Reach(hosts))
    arguments = launch.command(place(hosts, 2, spread, oversubscribe=False)).arguments
    part = ["--map-by", policy, "--host", "n1:2,n2:2,n3:2", "-n", "2", "/opt/app"]
    assert arguments[-len(part) :] == part


def test_open_mpi_forwards_settings_to_other_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEREUS_VERIFY", "on")
    launch = Launch(install(tmp_path, "any", OPEN_MPI), Path("/opt/app"), reach=Reach((Host("elsewhere"),)))
    words = " ".join(launch.command(HOSTS, {"NEREUS_LINK": "tcp://n1:1"}).arguments)
    assert all(f"-x {name}" in words for name in ("NEREUS_VERIFY", "NEREUS_LINK", "NEREUS_JOB"))


def test_open_mpi_ends_ranks_of_recovered_jobs_at_once_unless_overridden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "OMPI_MCA_odls_base_sigkill_timeout"
    launch = Launch(install(tmp_path, "any", OPEN_MPI), Path("/opt/app"))
    recovered = replace(launch, recovers=True)
    assert name not in launch.command([Share("", 1)]).environment
    assert recovered.command([Share("", 1)]).environment[name] == "0"
    monkeypatch.setenv(name, "5")
    assert name not in recovered.command([Share("", 1)]).environment


def test_groups_of_open_mpi_connect_by_the_name_server(tmp_path: Path) -> None:
    launch = Launch(install(tmp_path, "any", OPEN_MPI), Path("/opt/app"))
    assert "--ompi-server file:/tmp/where" in " ".join(
        launch.command([Share("", 1)], server=Path("/tmp/where")).arguments
    )


def test_waiting_mpich_ranks_yield_their_core_unless_overridden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"
    monkeypatch.delenv(name, raising=False)
    build = install(tmp_path, "mpich")
    assert command(build, 2, Path("/opt/app")).environment[name] == "1"
    monkeypatch.setenv(name, "0")
    assert name not in command(build, 2, Path("/opt/app")).environment


def test_mpi4py_uses_the_open_mpi_of_the_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("MPI4PY_MPIABI", "MPI4PY_LIBMPI"):
        monkeypatch.delenv(name, raising=False)
    old, new = (install(tmp_path, name, OPEN_MPI) for name in ("old", "new"))
    text = json.loads(new.description.read_text()) | {"library_folder": "/opt/lib"}
    new.description.write_text(json.dumps(text))
    found = {build.name: build for build in builds({"NEREUS_BUILDS": str(tmp_path)})}
    assert found["old"] == old
    assert command(found["old"], 1, Path("/opt/app")).environment["MPI4PY_MPIABI"] == "openmpi"
    assert command(found["new"], 1, Path("/opt/app")).environment["MPI4PY_LIBMPI"] == "/opt/lib"
    monkeypatch.setenv("MPI4PY_LIBMPI", "/my/lib")
    assert "MPI4PY_LIBMPI" not in command(found["new"], 1, Path("/opt/app")).environment


def test_waiting_open_mpi_ranks_sleep_unless_overridden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "OMPI_MCA_mpi_yield_when_idle"
    monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LD_PRELOAD", "/opt/mine.so")
    build = install(tmp_path, "openmpi", OPEN_MPI)
    assert "LD_PRELOAD" not in command(build, 2, Path("/opt/app")).environment
    naps = build.prefix / "lib" / "libnereus-yield.so"
    naps.parent.mkdir()
    naps.touch()
    environment = command(build, 2, Path("/opt/app")).environment
    assert (environment[name], environment["LD_PRELOAD"]) == ("1", f"{naps}:/opt/mine.so")
    monkeypatch.setenv("LD_PRELOAD", environment["LD_PRELOAD"])
    monkeypatch.setenv(name, "1")
    within = command(build, 2, Path("/opt/app")).environment
    assert (within[name], within["LD_PRELOAD"]) == ("1", environment["LD_PRELOAD"])
    monkeypatch.setenv("LD_PRELOAD", "")
    environment = command(build, 2, Path("/opt/app")).environment
    assert {name, "LD_PRELOAD"} & set(environment) == set()


def test_library_with_a_path_that_cannot_be_preloaded_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OMPI_MCA_mpi_yield_when_idle", raising=False)
    folder = tmp_path / "my builds"
    folder.mkdir()
    build = install(folder, "openmpi", OPEN_MPI)
    naps = build.prefix / "lib" / "libnereus-yield.so"
    naps.parent.mkdir()
    naps.touch()
    assert "LD_PRELOAD" not in command(build, 2, Path("/opt/app")).environment
