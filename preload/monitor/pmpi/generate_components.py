#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what stands before the collectives of Open MPI in its coll component.

Open MPI's coll.h says which functions a module has and how they are declared, calls.toml what each
collective moves. Made of both: in C a function for each collective that calls the one below it, and in C++
one that tells the sensor.

Example: generate_components.py --coll coll.h --calls calls.toml --wrappers made.c --seen made.cpp
"""

import argparse
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

# Names of coll.h, and those of the standard, in which calls.toml speaks.
STANDARD = {
    "sbuf": "sendbuf",
    "rbuf": "recvbuf",
    "buff": "buffer",
    "scount": "sendcount",
    "rcount": "recvcount",
    "scounts": "sendcounts",
    "rcounts": "recvcounts",
    "sdtype": "sendtype",
    "rdtype": "recvtype",
    "sdtypes": "sendtypes",
    "rdtypes": "recvtypes",
    "dtype": "datatype",
}
TYPES = {
    "struct ompi_datatype_t *const *": "const MPI_Datatype *",
    "struct ompi_datatype_t *": "MPI_Datatype ",
    "struct ompi_op_t *": "MPI_Op ",
    "struct ompi_communicator_t *": "MPI_Comm ",
    "ompi_request_t **": "MPI_Request *",
}


@dataclass(frozen=True)
class Parameter:
    """Its type with what stands before its name."""

    type: str
    name: str

    @property
    def mpi_type(self) -> str:
        return TYPES.get(self.type, self.type)


@dataclass(frozen=True)
class Function:
    """Of a coll module: the field `name`, declared as the type `kind` says."""

    name: str
    kind: str
    parameters: tuple[Parameter, ...]  # without the module

    @property
    def call(self) -> str:
        """As the standard names it, without MPI_."""
        return self.name.removeprefix("coll_").capitalize()


def parameter_of(text: str) -> Parameter:
    match = re.fullmatch(r"(.*?)(\w+)", " ".join(text.split()))
    assert match is not None, text
    return Parameter(re.sub(r"\s*\*\s*", " *", match[1]).replace(" * *", " **"), match[2])


def functions(header: str) -> list[Function]:
    """All collectives of a module."""
    declared = {
        name: tuple(parameter_of(part) for part in parameters.split(","))[:-1]
        for name, parameters in re.findall(
            r"typedef int \(\*mca_coll_base_module_(\w+)_fn_t\)\s*\(([^;]*)\);", header
        )
    }
    module = re.search(r"struct mca_coll_base_module_\d_\d_\d_t \{(.*?)\n\};", header, re.S)
    assert module is not None, "coll.h without a module"
    fields = re.findall(r"mca_coll_base_module_(\w+)_fn_t\s+(coll_\w+);", module[1])
    return [
        Function(name, kind, declared[kind])
        for kind, name in fields
        if kind in declared and any(parameter.name == "comm" for parameter in declared[kind])
    ]


def moves(calls: Path) -> dict[str, str]:
    """What each call moves, with its sink."""
    found: dict[str, str] = {}
    for entry in tomllib.loads(calls.read_text())["moves"]:
        move = entry.get("move", "")
        for name in entry.get("calls", "").split() if move else ():
            found[name] = move.replace("{sink}", "Now()")
        for name in entry.get("persistent", "").split():
            found[name] = move.replace("{sink}", "Later(request)")
    return found


def wrapper(function: Function) -> str:
    parameters = ", ".join(f"{p.type}{p.name}" for p in function.parameters)
    types = ", ".join(f"{p.mpi_type}{p.name}" for p in function.parameters)
    names = ", ".join(p.name for p in function.parameters)
    return f"""\
void nereus_seen_{function.name}({types});
static int {function.name}_seen({parameters}, mca_coll_base_module_t *module) {{
    const mca_coll_base_comm_coll_t *below = &((struct nereus_coll_module *)module)->below;
    const int code = below->{function.name}({names}, below->{function.name}_module);
    const bool is_of_program = nereus_seen_is_of_program(__builtin_return_address(0), "{function.call}");
    if (is_of_program && code == OMPI_SUCCESS) nereus_seen_{function.name}({names});
    return code;
}}
"""


def seen(function: Function, move: str) -> str:
    names = [STANDARD.get(p.name, p.name) for p in function.parameters]
    used = ["" if re.search(rf"\b{name}\b", move) else "[[maybe_unused]] " for name in names]
    parameters = ", ".join(
        f"{mark}{p.mpi_type}{name}" for mark, p, name in zip(used, function.parameters, names, strict=True)
    )
    is_persistent = "Later" in move
    lines = [f"void nereus_seen_{function.name}({parameters}) {{"]
    lines.append(f"    if ({'has_record()' if is_persistent else 'on()'}) {move};")
    if is_persistent:
        lines.append("    watch_starts(*request);")
    return "\n".join([*lines, "}\n"])


WRAPPERS = """\
/* Made by generate_components.py from Open MPI's coll.h: change that. */
{functions}
typedef mca_coll_base_comm_coll_t table;
static void nereus_coll_stand_before(struct nereus_coll_module *own, const table *below) {{
{stands}
}}

static void nereus_coll_each_module(table *below, void (*action)(mca_coll_base_module_t *)) {{
{modules}
}}
"""
SEEN = """\
// Made by generate_components.py from Open MPI's coll.h and calls.toml: change that.
#include "pmpi/components.hpp"
#include "pmpi/moves.hpp"

using namespace nereus::pmpi;

extern "C" {{
#pragma GCC visibility push(default)

{functions}
#pragma GCC visibility pop
}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--coll", type=Path, required=True, help="Open MPI's coll.h")
    parser.add_argument("--calls", type=Path, required=True, help="calls.toml")
    parser.add_argument("--wrappers", type=Path, required=True, help="C, part of the component")
    parser.add_argument("--seen", type=Path, required=True, help="C++, part of the sensor")
    options = parser.parse_args()
    known = moves(options.calls)
    found = [each for each in functions(options.coll.read_text()) if each.call in known]
    options.wrappers.write_text(
        WRAPPERS.format(
            functions="\n".join(wrapper(each) for each in found),
            stands="\n".join(
                f"    if (below->{each.name}) own->super.{each.name} = {each.name}_seen;" for each in found
            ),
            modules="\n".join(
                f"    if (below->{each.name}_module) action(below->{each.name}_module);" for each in found
            ),
        )
    )
    options.seen.write_text(SEEN.format(functions="\n".join(seen(each, known[each.call]) for each in found)))


if __name__ == "__main__":
    main()
