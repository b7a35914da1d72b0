# SPDX-License-Identifier: BSD-3-Clause
"""What an executable says of the MPI that it was linked with."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.launch import family_of

C = shutil.which("cc") or shutil.which("gcc")


def made(file: Path, *options: str | Path, code: str) -> Path:
    """A library or a program."""
    if C is None:
        pytest.skip("no C compiler")
    source = file.with_name(f"{file.name}.c")
    source.write_text(code)
    subprocess.run([C, "-Wl,--no-as-needed", "-o", file, source, *options], check=True)
    return file


def library(folder: Path, name: str, *options: str | Path) -> Path:
    folder.mkdir(exist_ok=True)
    function = name.partition(".")[0]
    named = ("-shared", f"-Wl,-soname,{name}", "-Wl,--unresolved-symbols=ignore-all")
    return made(folder / name, *named, *options, code=f"int of_{function}(void) {{ return 0; }}\n")


def program(folder: Path, *options: str | Path) -> Path:
    indirect = "-Wl,--unresolved-symbols=ignore-all"
    return made(folder / "program", indirect, *options, code="int main(void) { return 0; }\n")


def linked_with(folder: Path, name: str) -> Path:
    """A program that needs a library of that name."""
    return program(folder, library(folder, name))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.40", "openmpi"),
        ("libmpi_mpifh.so.40", "openmpi"),
        ("libmpicalc.so.12", None),
        ("libz.so.1", None),
    ],
)
def test_mpi_family_follows_from_needed_libraries(tmp_path: Path, name: str, family: str | None) -> None:
    assert family_of(linked_with(tmp_path, name)) == family


# Where a program finds the library that is between it and its MPI: options of both, LD_LIBRARY_PATH.
WAYS = {
    "runpath": (["-Wl,--enable-new-dtags,-rpath,$ORIGIN/between"], ["-Wl,-rpath,$ORIGIN"], ""),
    "rpath": (["-Wl,--disable-new-dtags,-rpath,${ORIGIN}/between"], [], ""),
    "LD_LIBRARY_PATH": ([], [], "/nobody:between"),
}


@pytest.mark.parametrize("way", WAYS)
def test_mpi_of_a_library_is_found_like_the_dynamic_linker_does(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As libhdf5 does."""
    of_program, of_library, searched = WAYS[way]
    monkeypatch.chdir(tmp_path)
    mpi = library(tmp_path / "mpi", "libmpi.so.40")
    between = library(tmp_path / "between", "libhdf5_openmpi.so.103", mpi, *of_library)
    upper = library(tmp_path / "between", "libupper.so.1", between, *of_library)
    made = program(tmp_path, upper, *of_program)
    assert family_of(made, {"LD_LIBRARY_PATH": searched}) == "openmpi"
    upper.rename(tmp_path / "elsewhere")
    assert family_of(made, {"LD_LIBRARY_PATH": searched}) is None


def test_mpi_nearest_to_the_program_counts(tmp_path: Path) -> None:
    other = library(tmp_path, "libother.so.1", library(tmp_path, "libmpi.so.40"))
    made = program(tmp_path, other, library(tmp_path, "libmpi.so.12"), f"-Wl,-rpath,{tmp_path}")
    assert family_of(made) == "mpich"


def test_libraries_of_another_architecture_are_ignored(tmp_path: Path) -> None:
    other = library(tmp_path / "other", "libother.so.1", library(tmp_path, "libmpi.so.40"))
    made = program(tmp_path, other, f"-Wl,-rpath,{tmp_path}/other")
    damaged = bytearray(other.read_bytes())
    damaged[18:20] = b"\x28\x00"  # e_machine: ARM
    other.write_bytes(damaged)
    assert family_of(made) is None


def test_cyclic_libraries_are_visited_once(tmp_path: Path) -> None:
    first = library(tmp_path, "libfirst.so.1")
    second = library(tmp_path, "libsecond.so.1", first, f"-Wl,-rpath,{tmp_path}")
    library(tmp_path, "libfirst.so.1", second, f"-Wl,-rpath,{tmp_path}")
    assert family_of(program(tmp_path, first, f"-Wl,-rpath,{tmp_path}")) is None


def test_program_without_section_table_is_recognized(tmp_path: Path) -> None:
    program = linked_with(tmp_path, "libmpi.so.40")
    stripped = bytearray(program.read_bytes())
    stripped[40:48] = bytes(8)  # e_shoff
    stripped[58:64] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
    program.write_bytes(stripped)
    assert family_of(program) == "openmpi"


def test_scripts_and_missing_files_have_no_mpi(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexit 0\n")
    assert family_of(script) is None
    assert family_of(tmp_path / "nobody") is None
    assert family_of(tmp_path) is None


@given(st.binary(max_size=400))
def test_damaged_executable_is_handled(tmp_path_factory: pytest.TempPathFactory, rest: bytes) -> None:
    program = tmp_path_factory.mktemp("damaged") / "program"
    program.write_bytes(b"\x7fELF\x02\x01\x01" + rest)
    assert family_of(program) in (None, "mpich", "openmpi")
