# SPDX-License-Identifier: BSD-3-Clause
"""The list of calls that the monitor wraps has every call of the standard that moves data."""

import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pympistandard
import pytest

from nereus.analysis.trace.call_names import calls_of

CALLS = Path(__file__).parents[3] / "preload" / "monitor" / "pmpi" / "calls.toml"
# Have a buffer, and nothing leaves the process: the other side tells, or no message is made.
RECEIVE = {"recv", "irecv", "mrecv", "imrecv", "recv_init", "precv_init"}
LOCAL = {
    *("buffer_attach", "buffer_detach", "comm_attach_buffer", "comm_detach_buffer"),
    *("session_attach_buffer", "session_detach_buffer", "alloc_mem", "free_mem", "get_address", "f_sync_reg"),
    *("pack", "unpack", "pack_external", "unpack_external", "reduce_local", "sizeof"),
    *("win_create", "win_allocate", "win_allocate_shared", "win_attach", "win_detach", "win_shared_query"),
}
# Their begin tells.
ENDS = re.compile(r"file_.*_end")
# No buffer, and yet data moves.
WITHOUT_BUFFER = {"barrier", "ibarrier", "barrier_init", "start", "startall"}


@pytest.fixture(scope="module", autouse=True)
def standard() -> None:
    pympistandard.use_api_version(1, force_bundled=True)


def listed(*keys: str) -> set[str]:
    moves = tomllib.loads(CALLS.read_text())["moves"]
    return {name.lower() for entry in moves for key in keys for name in entry.get(key, "").split()}


def with_a_buffer() -> set[str]:
    found = set()
    for name, procedure in pympistandard.PROCEDURES.items():
        attributes = procedure._parseset["attributes"]
        if attributes["callback"] or attributes["predefined_function"] or name.startswith("mpi_t_"):
            continue
        if any(parameter["kind"] == "BUFFER" for parameter in procedure._parseset["parameters"]):
            found.add(name.removeprefix("mpi_"))
    return found


def test_every_call_with_a_buffer_is_wrapped_or_sends_nothing() -> None:
    moving = {name for name in with_a_buffer() - RECEIVE - LOCAL if not ENDS.fullmatch(name)}
    assert moving | WITHOUT_BUFFER <= listed("calls", "persistent")


def test_every_listed_call_is_one_of_the_standard() -> None:
    names = {name.removeprefix("mpi_") for name in pympistandard.PROCEDURES}
    assert listed("calls", "persistent") <= names


def test_persistent_requests_are_not_counted_when_created() -> None:
    moves = tomllib.loads(CALLS.read_text())["moves"]
    counted = {name for entry in moves if "move" in entry for name in entry.get("calls", "").split()}
    assert {name for name in counted if name.endswith("_init")} == set()
    assert all(name.endswith("_init") for name in listed("persistent"))


def test_what_is_done_before_a_call_for_messages_has_its_end_behind_it() -> None:
    """Requests that a call has in its hands are put back, and a receive that got its number tells it."""
    for entry in tomllib.loads(CALLS.read_text())["moves"]:
        prepare, behind = entry.get("prepare", ""), entry.get("messages", "")
        assert ("take_requests(" in prepare) == ("put_back_requests(" in entry.get("restore", ""))
        assert ("receiving()" in prepare) == ("received(comm" in behind)
        assert ("taking(" in prepare) == ("_taken(" in behind)


def test_groups_that_a_trace_can_be_limited_to_are_those_of_the_table() -> None:
    """Where wrappers and command disagree on what sends and receives, a trace would have no arrows."""
    moves = tomllib.loads(CALLS.read_text())["moves"]
    names, groups = calls_of()
    assert groups["point-to-point"] == set(generator("generate").message_calls(moves))
    collective = {
        name
        for entry in moves
        if "Call::" in entry.get("move", "") and "timed" in entry
        for name in entry["calls"].split()
    }
    assert groups["collective"] == collective & names


def test_every_collective_of_open_mpi_is_intercepted_by_its_component() -> None:
    header = next(Path("/usr/lib").glob("*/openmpi/include/openmpi/ompi/mca/coll/coll.h"), None)
    if header is None:
        pytest.skip("the inner headers of Open MPI are not installed")
    found = {each.call.lower() for each in generator().functions(header.read_text())}
    assert len(found) > 60
    assert found - {"agree", "iagree"} <= listed("calls", "persistent")


def generator(name: str = "generate_components") -> Any:
    """The program that makes the component's functions, or the wrappers."""
    spec = spec_from_file_location(name, CALLS.with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module
