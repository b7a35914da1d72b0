#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the numbers of the C API for Fortran: a module of parameters, and the list of those that are public.

Example: generate_numbers.py --module numbers.f90 --public public_numbers.inc errors.h nereus.h resize.h
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path


def numbers(header: str) -> Iterator[tuple[str, str]]:
    """Name and value of each enumerator; every one of these headers has its value beside it."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    for body in re.findall(r"\benum \w+ \{(.*?)\};", text, flags=re.DOTALL):
        for enumerator in filter(None, map(str.strip, body.split(","))):
            found = re.fullmatch(r"(NEREUS_\w+) = (-?\d+)", enumerator)
            if found is None:
                raise SystemExit(f"generate_numbers.py: `{enumerator}` has no number beside it")
            yield found[1], found[2]


def module(found: list[tuple[str, str]]) -> str:
    lines = [f"    integer(c_int), parameter :: {name} = {value}" for name, value in found]
    begin = ["! Made by generate_numbers.py from the headers of C: change those.", "module nereus_numbers"]
    uses = ["    use, intrinsic :: iso_c_binding, only: c_int", "    implicit none", "    private :: c_int"]
    return "\n".join([*begin, *uses, "", *lines, "end module", ""])


def public(found: list[tuple[str, str]]) -> str:
    return "".join(f"    public :: {name}\n" for name, _ in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--module", type=Path, required=True)
    parser.add_argument("--public", type=Path, required=True)
    parser.add_argument("headers", type=Path, nargs="+")
    options = parser.parse_args()
    found = [number for header in options.headers for number in numbers(header.read_text("utf-8"))]
    options.module.write_text(module(found), "utf-8")
    options.public.write_text(public(found), "utf-8")


if __name__ == "__main__":
    main()
