#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of the monitor's sensor.

calls.toml says what moves what, the MPI Forum's own list of its interface (pympistandard) how each call is
declared, and a preprocessed mpi.h which of them this MPI has.

Fortran's calls need wrappers of their own where they do not come by those of C: in Open MPI, whose mpif.h and
mpi call mpi_NAME_ and whose mpi_f08 calls ompi_NAME_f, or mpi_NAME_f08_ where a parameter is a logical value,
and of MPI_Testsome. All go to PMPI.

Example: generate.py --calls calls.toml --header mpi.i --output wrappers.cpp --fortran fortran.cpp
"""

import argparse
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pympistandard

PREAMBLE = """\
// Made by generate.py from calls.toml: change that.
#include "pmpi/files.hpp"
#include "pmpi/interface.h"
#include "pmpi/io_phases.hpp"
#include "pmpi/meetings.hpp"
#include "pmpi/message_calls.hpp"
#include "pmpi/messages.hpp"
#include "pmpi/moves.hpp"
#include "pmpi/timed.hpp"

#include <array>

using namespace nereus::pmpi;

extern "C" {
#pragma GCC visibility push(default)
"""
MESSAGE_CALLS = """
namespace nereus::pmpi {{

std::span<const char *const> message_calls() {{
    static constexpr std::array all{{{names}}};
    return all;
}}

}}
"""
FORTRAN_PREAMBLE = """\
// Made by generate.py from calls.toml: change that.
#include "pmpi/files.hpp"
#include "pmpi/fortran.hpp"
#include "pmpi/fortran_messages.hpp"
#include "pmpi/io_phases.hpp"
#include "pmpi/meetings.hpp"
#include "pmpi/messages.hpp"
#include "pmpi/moves.hpp"
#include "pmpi/timed.hpp"

using namespace nereus::pmpi;

extern "C" {
#pragma GCC visibility push(default)
"""
POSTSCRIPT = """
#pragma GCC visibility pop
}
"""

HANDLES = {
    "COMMUNICATOR": "MPI_Comm",
    "DATATYPE": "MPI_Datatype",
    "WINDOW": "MPI_Win",
    "FILE": "MPI_File",
    "REQUEST": "MPI_Request",
    "OPERATION": "MPI_Op",
    "MESSAGE": "MPI_Message",
}


@dataclass(frozen=True)
class Call:
    """A function of the C interface, as this MPI names it."""

    name: str
    parameters: str
    arguments: str


def words(text: str) -> list[str]:
    return text.split()


def declared(header: str) -> set[str]:
    """Names of the profiling interface that the header declares, without their P."""
    return set(re.findall(r"\bP(MPIX?_\w+)\s*\(", header))


def forms(name: str) -> list[Any]:
    """The call as the standard has it: with int counts and, where there is that, with large ones."""
    procedure = pympistandard.PROCEDURES[f"mpi_{name.lower()}"]
    found = [procedure.express.iso_c]
    if procedure.has_embiggenment():
        found.append(procedure.express.embiggen.iso_c)
    return found


def calls_of(name: str, present: set[str]) -> list[Call]:
    """The forms that this MPI has; some have new calls as MPIX_ first."""
    found = []
    for form in forms(name):
        for of_this_mpi in (form.name, form.name.replace("MPI_", "MPIX_", 1)):
            if of_this_mpi in present:
                parameters = ", ".join(str(parameter) for parameter in form.parameters)
                arguments = ", ".join(parameter.name for parameter in form.parameters)
                found.append(Call(of_this_mpi, parameters, arguments))
                break
    return found


def telling(entry: dict[str, str], name: str) -> str:
    """What tells the trace of the call, with its time."""
    shape = entry.get("timed", "").replace("{call}", f'"{name}"')
    if not shape:
        return ""
    way = "asked_of" if not is_sent(entry) else "exchanged_with" if "prepare" in entry else "sent_to"
    envelope = f", {way}({entry['envelope']})" if "envelope" in entry else ""
    look = entry.get("look", "")
    # A logical value of Fortran may be -1; a number of requests may be MPI_UNDEFINED, which is below 0.
    found = f"*{look} != 0" if look == "flag" else f"*{look} > 0"
    return f"timed.as_look({shape}, {found}{envelope})" if look else f"timed.as({shape}{envelope})"


CLOCK = "    Timed timed(__builtin_return_address(0));"


@dataclass(frozen=True)
class Actions:
    """What a wrapper does around the call: expressions over its parameters; "": nothing."""

    before: str = ""
    behind: str = ""
    condition: str = "has_record()"  # of what is behind
    finally_: str = ""
    tell: str = ""
    prepare: str = ""  # these three: where messages are followed
    messages: str = ""
    restore: str = ""

    @property
    def is_timed(self) -> bool:
        """Whether anybody wants to know when the call was made."""
        return bool(self.tell or self.prepare or self.messages)


def wrapper(call: Call, actions: Actions) -> str:
    lines = [f"int {call.name}({call.parameters}) {{"]
    if actions.is_timed:
        lines.append(CLOCK)
    if actions.before:
        lines.append(f"    if (has_record()) {actions.before};")
    if actions.prepare:
        lines.append(f"    if (timed.follows_messages()) {actions.prepare};")
    lines.append(f"    const int code = P{call.name}({call.arguments});")
    if actions.tell:
        lines.append(f"    if (timed.ended() && code == MPI_SUCCESS) {actions.tell};")
    if actions.messages:
        lines.append(f"    if (timed.follows_messages() && code == MPI_SUCCESS) {actions.messages};")
    if actions.restore:
        lines.append(f"    if (timed.follows_messages()) {actions.restore};")
    if actions.behind:
        lines.append(f"    if ({actions.condition} && code == MPI_SUCCESS) {actions.behind};")
    if actions.finally_:
        lines.append(f"    if (has_record()) {actions.finally_};")
    return "\n".join([*lines, "    return code;", "}"])


def actions_of(entry: dict[str, str], name: str) -> Actions:
    """Of one of the calls of the entry."""
    move = entry.get("move", "")
    return Actions(
        before=entry.get("before", ""),
        behind=move.replace("{sink}", "Now()") or entry.get("always", ""),
        condition="on()" if move else "has_record()",
        finally_=entry.get("finally", ""),
        tell=telling(entry, name),
        prepare=entry.get("prepare", ""),
        messages=entry.get("messages", ""),
        restore=entry.get("restore", ""),
    )


def persistent_actions_of(entry: dict[str, str]) -> Actions:
    """Of one of the calls of the entry that make a request, to be started later."""
    move = entry.get("move", "")
    return Actions(
        behind=move.replace("{sink}", "Later(request)"), messages=entry.get("persistent_messages", "")
    )


def wrappers_of(entry: dict[str, str], present: set[str]) -> list[str]:
    made = [
        wrapper(call, actions_of(entry, name))
        for name in words(entry.get("calls", ""))
        for call in calls_of(name, present)
    ]
    made += [
        wrapper(call, persistent_actions_of(entry))
        for name in words(entry.get("persistent", ""))
        for call in calls_of(name, present)
    ]
    return made


def is_sent(entry: dict[str, str]) -> bool:
    """Whether the call sends a message."""
    return entry.get("envelope", "").startswith("dest")


def message_calls(moves: list[dict[str, str]]) -> list[str]:
    """Those that send a message, or in which one may arrive."""
    return [
        name
        for entry in moves
        if "timed" in entry
        and (is_sent(entry) or not entry.get("messages", "communicator_").startswith("communicator_"))
        for name in words(entry.get("calls", ""))
    ]


def uses(name: str, text: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def kind_of(parameter: Any) -> str:
    return str(parameter.kind.name).upper()


def length_of(parameter: Any, form: Any) -> str:
    """Of a list of handles, statuses or places: of those that the call gives back, no more than there are."""
    kind, names = kind_of(parameter), [each.name for each in form.parameters]
    if kind in ("STATUS", "INDEX") and "outcount" in names:
        return "*f_outcount"
    if kind in ("STATUS", "INDEX", "REQUEST"):
        return "*f_incount" if "incount" in names else "*f_count"
    return f"{'neighbours' if 'neighbor' in form.name.lower() else 'ranks'}(comm)"


def converted(parameter: Any, form: Any) -> str:
    """How a parameter of the C interface is made of what Fortran gives."""
    name, kind, given = parameter.name, kind_of(parameter), f"f_{parameter.name}"
    if kind == "BUFFER":
        return f"const void *{name} = buffer({given})"
    if kind == "STRING":
        made = f"const std::string {name}_text = text({given}, {given}_length)"
        return f"{made}; const char *{name} = {name}_text.c_str()"
    is_list = parameter.array == "[]"
    if kind in ("STATUS", "INDEX"):
        number = length_of(parameter, form) if is_list else "1"
        made = f"const auto {name}_list = {'statuses' if kind == 'STATUS' else 'places'}({given}, {number})"
        return f"{made}; const auto *{name} = {name}_list.data()"
    handle = HANDLES.get(kind)
    if handle is None:
        is_place = is_list or parameter.pointer_level
        return f"const int *{name} = {given}" if is_place else f"const int {name} = *{given}"
    if is_list:
        made = f"const auto {name}_list = handles<{handle}>({given}, {length_of(parameter, form)})"
        return f"{made}; const {handle} *{name} = {name}_list.data()"
    if parameter.pointer_level:
        return f"{handle} {name}_value = from_fortran<{handle}>(*{given}); {handle} *{name} = &{name}_value"
    return f"const {handle} {name} = from_fortran<{handle}>(*{given})"


def conversions(form: Any, action: str) -> list[str]:
    """Of all parameters that the action looks at. Lists of handles come last: they need others."""
    used = [parameter for parameter in form.parameters if uses(parameter.name, action)]
    lists = [parameter for parameter in used if kind_of(parameter) in HANDLES and parameter.array == "[]"]
    others = [parameter for parameter in used if parameter not in lists]
    return [converted(parameter, form) for parameter in [*others, *lists]]


def fortran_type(parameter: Any) -> str:
    return {"BUFFER": "void *"}.get(kind_of(parameter), "char *" if is_text(parameter) else "MPI_Fint *")


def is_text(parameter: Any) -> bool:
    """Fortran passes the length of each behind all parameters."""
    return kind_of(parameter).startswith("STRING")


def block(condition: str, lines: list[str]) -> list[str]:
    return [f"    if ({condition}) {{", *(f"        {line};" for line in lines), "    }"]


def own_statuses(preparing: str) -> tuple[str, str]:
    """What prepares a call of C, for one of Fortran: where its statuses go, and the rest."""
    found = re.match(r"(\w+) = own_status(?:es)?\((?:(\w+), )?\w+\)(?:, )?", preparing)
    if found is None:
        return "", preparing
    number = f"*f_{found[2]}" if found[2] else "1"
    return f"f_{found[1]} = own_fortran_statuses({number}, f_{found[1]})", preparing[found.end() :]


def symbols_of(form: Any) -> list[str]:
    """What programs call in Open MPI by mpif.h and mpi; by mpi_f08, which converts logical values itself."""
    name = form.name.removeprefix("MPI_").lower()
    is_of_module = name == "testsome" or "LOGICAL" in map(kind_of, form.parameters)
    return [f"mpi_{name}_", f"mpi_{name}_f08_" if is_of_module else f"ompi_{name}_f"]


def fortran_wrapper(symbol: str, form: Any, actions: Actions) -> str:
    """Under one name of the call; what this hides is called on under the same name."""
    types = [fortran_type(parameter) for parameter in form.parameters] + ["MPI_Fint *"]
    names = [f"f_{parameter.name}" for parameter in form.parameters] + ["f_ierror"]
    lengths = [f"f_{parameter.name}_length" for parameter in form.parameters if is_text(parameter)]
    types, names = [*types, *("std::size_t " for _ in lengths)], [*names, *lengths]
    declared = ", ".join(f"{kind}{name}" for kind, name in zip(types, names, strict=True))
    real = f'next<void (*)({", ".join(kind.strip() for kind in types)})>("{symbol}")'
    lines = [f"void {symbol}({declared}) {{", f"    static const auto real = {real};"]

    def add(condition: str, action: str) -> None:
        if action:
            lines.extend(block(condition, [*conversions(form, action), action]))

    if symbol.endswith("_f08_"):
        lines.append("    MPI_Fint own_error = MPI_SUCCESS; // a program may leave it out")
        lines.append("    if (f_ierror == nullptr) f_ierror = &own_error;")
    if actions.is_timed:
        lines.append(CLOCK)
    add("has_record()", actions.before)
    statuses, preparing = own_statuses(actions.prepare)
    if statuses:
        lines.append(f"    if (timed.follows_messages()) {statuses};")
    add("timed.follows_messages()", preparing)
    lines.append(f"    real({', '.join(names)});")
    add("timed.ended() && *f_ierror == MPI_SUCCESS", actions.tell)
    arrived = re.fullmatch(r"\*flag \? (.+) : void\(\)", actions.messages)
    found = " && *f_flag" if arrived else ""  # else nothing is looked at: programs ask again and again
    messages = arrived[1] if arrived else actions.messages
    add(f"timed.follows_messages() && *f_ierror == MPI_SUCCESS{found}", messages)
    add("timed.follows_messages()", actions.restore)
    add(f"{actions.condition} && *f_ierror == MPI_SUCCESS", actions.behind)
    add("has_record()", actions.finally_)
    return "\n".join([*lines, "}"])


def fortran_of(entry: dict[str, str], present: set[str]) -> list[str]:
    made = []
    for names, is_persistent in ((entry.get("calls", ""), False), (entry.get("persistent", ""), True)):
        for name in words(names):
            form = forms(name)[0]
            if form.name not in present:
                continue
            actions = persistent_actions_of(entry) if is_persistent else actions_of(entry, name)
            if actions == Actions():
                continue
            made += [fortran_wrapper(symbol, form, actions) for symbol in symbols_of(form)]
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=Path, required=True, help="calls.toml")
    parser.add_argument("--header", type=Path, required=True, help="mpi.h, preprocessed")
    parser.add_argument("--output", type=Path, required=True, help="wrappers of C's calls")
    parser.add_argument(
        "--fortran", type=Path, required=True, help="wrappers of Fortran's, where they are needed"
    )
    options = parser.parse_args()
    pympistandard.use_api_version(1, force_bundled=True)
    header = options.header.read_text()
    present = declared(header)
    moves = tomllib.loads(options.calls.read_text())["moves"]
    made = [text for entry in moves for text in wrappers_of(entry, present)]
    names = ", ".join(f'"{name}"' for name in message_calls(moves))
    calls = MESSAGE_CALLS.format(names=names)
    options.output.write_text(PREAMBLE + "\n" + "\n\n".join(made) + "\n" + POSTSCRIPT + calls)
    is_needed = "ompi_mpi_comm_world" in header
    made = [text for entry in moves for text in fortran_of(entry, present)] if is_needed else []
    options.fortran.write_text(FORTRAN_PREAMBLE + "\n" + "\n\n".join(made) + "\n" + POSTSCRIPT)


if __name__ == "__main__":
    main()
