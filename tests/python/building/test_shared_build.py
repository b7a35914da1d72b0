# SPDX-License-Identifier: BSD-3-Clause
"""A build that came in a wheel lends its programs to a build for an MPI of the same ABI."""

import json
from pathlib import Path

import pytest
from a_stage import script

from nereus.building import BuildingError, ForeignMpi, ShareableBuild, mpi_tools
from nereus.building.mpi import usual_name
from nereus.launch import Build, builds
from nereus.launch.builds import MPICH_LIBRARY

# What starts where the library is searched for first; else it says what the dynamic linker does.
LAUNCHED = """#!/bin/sh
case "$LD_LIBRARY_PATH" in
*/mpi/lib*) echo "nereus-launched: ${RANK:-0} of ${SIZE:-1}: MPICH Version: 4.9";;
*) echo "symbol lookup error: undefined symbol: MPI_Session_init";;
esac
"""
MPIEXEC = '#!/bin/sh\nfor rank in 0 1; do RANK=$rank SIZE=2 "$3"; done\n'


@pytest.fixture
def shareable(tmp_path: Path) -> ShareableBuild:
    prefix = tmp_path / "own"
    script(prefix / "bin" / "nereus-launched", LAUNCHED)
    for name in ("include", "lib", "share"):
        (prefix / name).mkdir()
    return ShareableBuild(
        Build("mpich", prefix, tmp_path / "mpiexec", "MPICH Version: 5", tmp_path / "lib", "", "x")
    )


@pytest.fixture
def mpi(tmp_path: Path) -> Path:
    folder = tmp_path / "mpi"
    script(folder / "bin" / "mpicc", f"#!/bin/sh\necho cc -I{folder}/include -L{folder}/lib -lmpi\n")
    script(folder / "bin" / "mpiexec", MPIEXEC)
    (folder / "lib").mkdir()
    (folder / "lib" / MPICH_LIBRARY).touch()
    return folder


def found_with(shareable: ShareableBuild, mpi: Path) -> tuple[ForeignMpi, Path]:
    found = shareable.runs_with(mpi_tools(str(mpi / "bin" / "mpicc")))
    assert not isinstance(found, str), found
    return found


def test_mpi_of_the_same_abi_gets_a_build_with_the_programs_of_the_wheel(
    shareable: ShareableBuild, mpi: Path, tmp_path: Path
) -> None:
    found, folder = found_with(shareable, mpi)
    assert (found.library, found.warning, folder) == ("MPICH Version: 4.9", "", mpi / "lib")
    prefix = shareable.register(found, folder, "mine", tmp_path / "builds")
    (build,) = builds({"NEREUS_BUILDS": str(tmp_path / "builds")})
    assert (build.name, build.prefix, build.programs_of) == ("mine", prefix, "mpich")
    assert build.mpiexec == mpi / "bin" / "mpiexec"
    assert build.program("nereus-launched").resolve() == tmp_path / "own" / "bin" / "nereus-launched"
    assert build.environment["LD_LIBRARY_PATH"].split(":")[0] == str(mpi / "lib")
    assert [path.name for path in (tmp_path / "builds").iterdir()] == ["mine"]


def test_build_of_shared_programs_is_replaced_and_a_compiled_one_is_not(
    shareable: ShareableBuild, mpi: Path, tmp_path: Path
) -> None:
    found, folder = found_with(shareable, mpi)
    for _ in range(2):
        shareable.register(found, folder, "mine", tmp_path / "builds")
    (tmp_path / "builds" / "other" / "bin").mkdir(parents=True)
    with pytest.raises(BuildingError, match="other is there, and was compiled"):
        shareable.register(found, folder, "other", tmp_path / "builds")
    assert sorted(path.name for path in (tmp_path / "builds").iterdir()) == ["mine", "other"]


def test_mpi_without_a_library_of_that_name_has_another_abi(shareable: ShareableBuild, mpi: Path) -> None:
    (mpi / "lib" / MPICH_LIBRARY).rename(mpi / "lib" / "libmpi.so.40")
    said = shareable.runs_with(mpi_tools(str(mpi / "bin" / "mpicc")))
    assert said == f"has another ABI than the build mpich: no {MPICH_LIBRARY} is there"


def test_mpi_that_lacks_a_function_is_told_by_its_name(shareable: ShareableBuild, mpi: Path) -> None:
    script(shareable.build.prefix / "bin" / "nereus-launched", LAUNCHED.replace("*/mpi/lib*", "*/nowhere*"))
    said = shareable.runs_with(mpi_tools(str(mpi / "bin" / "mpicc")))
    assert said == "lacks MPI_Session_init, which MPICH 4 and its relatives have"


def test_description_is_one_that_programs_read(shareable: ShareableBuild, mpi: Path, tmp_path: Path) -> None:
    prefix = shareable.register(*found_with(shareable, mpi), "mine", tmp_path / "builds")
    said = json.loads((prefix / "mpi.json").read_text())
    assert said["library_folder"] == str(mpi / "lib") and said["programs_of"] == "mpich"


@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("Intel(R) MPI Library 2021.18 for Linux* OS", "intel-2021.18"),
        ("Open MPI v5.0.11, package: Open MPI", "openmpi-5.0.11"),
        ("MPI VERSION : CRAY MPICH version 8.1.28 (ANL base 3.4a2)", "cray-mpich-8.1.28"),
        ("MPICH Version: 5.0.2", "mpich-5.0.2"),
        ("My own MPI", "mpi"),
    ],
)
def test_build_is_called_by_family_and_version(library: str, name: str) -> None:
    assert usual_name(library) == name
