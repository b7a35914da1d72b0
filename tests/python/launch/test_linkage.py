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


def linked_with(folder: Path, library: str) -> Path:
    """A program that needs a library of that name."""
    if C is None:
        pytest.skip("no C compiler")
    (folder / "empty.c").write_text("int of_mpi(void) { return 0; }\n")
    (folder / "main.c").write_text("int of_mpi(void); int main(void) { return of_mpi(); }\n")
    shared, program = folder / "libother.so", folder / "program"
    subprocess.run([C, "-shared", f"-Wl,-soname,{library}", "-o", shared, folder / "empty.c"], check=True)
    subprocess.run([C, "-o", program, folder / "main.c", shared], check=True)
    return program


@pytest.mark.parametrize(
    ("library", "family"),
    [
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.40", "openmpi"),
        ("libmpi_mpifh.so.40", "openmpi"),
        ("libmpicalc.so.12", None),
        ("libz.so.1", None),
    ],
)
def test_family_is_told_by_the_libraries_that_are_needed(
    tmp_path: Path, library: str, family: str | None
) -> None:
    assert family_of(linked_with(tmp_path, library)) == family


def test_scripts_and_files_that_are_not_there_say_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexit 0\n")
    assert family_of(script) is None
    assert family_of(tmp_path / "nobody") is None
    assert family_of(tmp_path) is None


@given(st.binary(max_size=400))
def test_damaged_executables_say_nothing(tmp_path_factory: pytest.TempPathFactory, rest: bytes) -> None:
    program = tmp_path_factory.mktemp("damaged") / "program"
    program.write_bytes(b"\x7fELF\x02\x01\x01" + rest)
    assert family_of(program) in (None, "mpich", "openmpi")
