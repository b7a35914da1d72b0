# SPDX-License-Identifier: BSD-3-Clause
"""Fortran and Python have the numbers and structures of the C API."""

import ctypes
import importlib.util
import re
import subprocess
import sys
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADERS = ("errors.h", "nereus.h", "redistribution.h", "resize.h")
TYPES = "bindings/fortran/nereus_types.f90"
C_TO_CTYPES = {
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "const int32_t *": ctypes.POINTER(ctypes.c_int32),
    "const int *": ctypes.POINTER(ctypes.c_int),
}
# What Python leaves out of the names, where its enums are apart.
PREFIXES = {"ReleaseUnit": "UNIT_", "TransferMethod": "TRANSFER_", "TransferStrategy": "STRATEGY_"}
PREFIXES["Survivors"] = "SURVIVORS_"
STRUCTURES = ("nereus_distribution", "nereus_resize_options", "nereus_resize_report")


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def enums(tracked: dict[str, str]) -> dict[str, dict[str, int]]:
    """The enums of the C API that Fortran and Python have, by name."""
    text = without_comments("".join(tracked[f"include/nereus/{name}"] for name in HEADERS))
    found = re.findall(r"enum (nereus_\w+) \{(.*?)\};", text, flags=re.DOTALL)
    return {
        name: {key: int(value) for key, value in re.findall(r"NEREUS_(\w+) = (-?\d+)", body)}
        for name, body in found
    }


def structures(tracked: dict[str, str]) -> dict[str, list[tuple[str, str, int]]]:
    """The fields of each structure of the C API: type, name, and 0 or the length of an array."""
    headers = (tracked[f"include/nereus/{name}"] for name in ("nereus.h", "resize.h", "distributed.h"))
    text = without_comments("".join(headers))
    bodies = re.findall(r"typedef struct (nereus_\w+) \{(.*?)\} \w+;", text, flags=re.DOTALL)
    found: dict[str, list[tuple[str, str, int]]] = {name: [] for name, _ in bodies}
    field_line = r"^\s*((?:const )?(?:enum )?\w+ \*?)([^;(]+);"
    for name, body in bodies:
        for kind, names in re.findall(field_line, body, flags=re.MULTILINE):
            for field in names.split(", "):
                word, _, length = field.rstrip("]").partition("[")
                found[name].append((kind.strip(), word, int(length or 0)))
    return found


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the build makes of the headers: the module of parameters, and those that are public."""
    folder = tmp_path_factory.mktemp("fortran")
    made = folder / "numbers.f90", folder / "public.inc"
    headers = [ROOT / "include" / "nereus" / name for name in HEADERS]
    generator = ROOT / "bindings" / "fortran" / "generate_numbers.py"
    command = [sys.executable, generator, "--module", made[0], "--public", made[1], *headers]
    subprocess.run(list(map(str, command)), check=True, timeout=60)
    return made[0].read_text("utf-8"), made[1].read_text("utf-8")


def test_fortran_has_every_number_of_the_headers(tracked: dict[str, str], generated: tuple[str, str]) -> None:
    pattern = r"^    integer\(c_int\), parameter :: NEREUS_(\w+) = (-?\d+)$"
    fortran = {key: int(value) for key, value in re.findall(pattern, generated[0], flags=re.MULTILINE)}
    wanted = {key: value for values in enums(tracked).values() for key, value in values.items()}
    assert len(wanted) > 50
    assert fortran == wanted


def test_fortran_exports_every_number(tracked: dict[str, str], generated: tuple[str, str]) -> None:
    public = set(re.findall(r"^    public :: NEREUS_(\w+)$", generated[1], flags=re.MULTILINE))
    assert public == {key for values in enums(tracked).values() for key in values}


def test_an_enumerator_without_a_number_is_refused(tmp_path: Path) -> None:
    generator = ROOT / "bindings" / "fortran" / "generate_numbers.py"
    header = tmp_path / "x.h"
    header.write_text("enum nereus_x { NEREUS_A = 0, NEREUS_B };")
    made = ["--module", str(tmp_path / "m"), "--public", str(tmp_path / "p")]
    command = [sys.executable, str(generator), *made, str(header)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "`NEREUS_B` has no number" in done.stderr


def test_fortran_structures_have_the_fields_of_c(tracked: dict[str, str]) -> None:
    for name in STRUCTURES:
        body = re.search(rf"type, bind\(c\) :: {name}\n(.*?)end type", tracked[TYPES], flags=re.DOTALL)
        assert body is not None
        fields = re.findall(r"^ +(\w+)\(.*?\) :: (\w+)(?:\((\d+)\))?", body[1], flags=re.MULTILINE)
        assert [(word, int(length or 0)) for _, word, length in fields] == [
            (word, length) for _, word, length in structures(tracked)[name]
        ]


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
class TestPython:
    """Needs mpi4py, as the room does; MPI is not initialised."""

    @pytest.fixture(autouse=True)
    def without_mpi(self) -> None:
        import mpi4py

        mpi4py.rc(initialize=False, finalize=False)

    def test_every_number_equals_that_of_the_headers(self, tracked: dict[str, str]) -> None:
        from nereus.binding import codes

        for name, wanted in enums(tracked).items():
            ours = "".join(word.capitalize() for word in name.split("_")[1:])
            enum: type[IntEnum] | type[IntFlag] = getattr(codes, ours)
            prefix = PREFIXES.get(ours, "")
            found = {key: int(value) for key, value in enum.__members__.items()}
            assert found == {key.removeprefix(prefix): value for key, value in wanted.items()}, name

    def test_lengths_of_names_equal_those_of_the_headers(self, tracked: dict[str, str]) -> None:
        from nereus.binding import own_data

        headers = tracked["include/nereus/save.h"] + tracked["include/nereus/redistribution.h"]
        found = re.findall(r"#define NEREUS_(MAX_\w+_NAME) (\d+)", headers)
        assert len(found) == 2
        assert {name: getattr(own_data, name) for name, _ in found} == {
            name: int(number) for name, number in found
        }

    @pytest.mark.parametrize("name", [*STRUCTURES, "nereus_distributed"])
    def test_structures_have_the_fields_of_c(self, tracked: dict[str, str], name: str) -> None:
        from nereus.binding import structures as ours

        types = C_TO_CTYPES | {"const nereus_distribution *": ctypes.POINTER(ours.CDistribution)}
        wanted = []
        for kind, word, length in structures(tracked)[name]:
            field = ctypes.c_char * length if length else types["int" if "enum" in kind else kind]
            wanted.append((word, field))
        mirror = getattr(ours, "C" + "".join(word.capitalize() for word in name.split("_")[1:]))
        assert list(mirror._fields_) == wanted

    def test_resize_options_of_python_have_the_fields_of_c(self, tracked: dict[str, str]) -> None:
        from nereus.binding import ResizeOptions

        wanted = {word for _, word, _ in structures(tracked)["nereus_resize_options"]}
        assert set(ResizeOptions.__annotations__) == wanted

    def test_package_exports_the_names_of_the_binding(self) -> None:
        import nereus
        from nereus import binding

        assert frozenset(binding.__all__) == nereus._BINDING
        assert nereus.Job is binding.Job and nereus.BLOCK is binding.Layout.BLOCK
        assert not hasattr(nereus, "no_such_name")
