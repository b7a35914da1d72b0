#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes base/methods_table.hpp: the words of ways to resize, which of them exclude one another, and what
may be said of one resize.

A word's place in its list is the number of its enumerator, or of its bit where values are added.

Example: generate_methods.py --table methods.toml --output methods_table.hpp
"""

import argparse
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Table = dict[str, list[Row]]

PREAMBLE = """\
// Made by generate_methods.py from methods.toml: change that.
#pragma once

#include <nereus/resize.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nereus {

/// What a one-sided transfer method does not go with; -1: any.
struct OneSidedConflict {
    int process_method;
    int transfer_strategy;
    std::string_view why;
};

/// A process strategy that excludes each of some others, added.
struct StrategyConflict {
    unsigned one;
    unsigned others;
    std::string_view why;
};

/// What may be said of one resize: a field of nereus_resize_options, and a setting.
struct ResizeOption {
    std::string name; ///< of the setting
    std::string initial;
    std::string help;
    const std::vector<std::string> *words; ///< a value is a word's place, or the sum of the bits of some
    bool is_sum;
    int (*get)(const nereus_resize_options &);
    void (*set)(nereus_resize_options &, int);
};

template <auto field> int get_option(const nereus_resize_options &options) {
    return static_cast<int>(options.*field);
}

template <auto field> void set_option(nereus_resize_options &options, int value) {
    options.*field = static_cast<std::remove_reference_t<decltype(options.*field)>>(value);
}

/// A program may say yes by any number but 0.
template <auto field> int get_switch(const nereus_resize_options &options) {
    return options.*field != 0 ? 1 : 0;
}

namespace words { inline const std::vector<std::string> switches{"off", "on"}; }

"""
KINDS = (
    *("process_methods", "transfer_methods", "transfer_strategies", "survivors"),
    *("placements", "release_units", "memories", "process_strategies"),
)
BITS = "process_strategies"


def quoted(text: str) -> str:
    return json.dumps(text)


def enumerators(table: Table, kind: str) -> dict[str, str]:
    return {row["word"]: row["enumerator"] for row in table[kind]}


def words(kind: str, rows: list[Row]) -> Iterator[str]:
    listed = ", ".join(quoted(row["word"]) for row in rows)
    yield f"namespace words {{ inline const std::vector<std::string> {kind}{{{listed}}}; }}"
    for place, row in enumerate(rows):
        if "enumerator" in row:
            number = 1 << place if kind == BITS else place
            yield f"static_assert({row['enumerator']} == {number});"


def one_sided(rows: list[Row]) -> str:
    flags = ", ".join("true" if row.get("one_sided") else "false" for row in rows)
    return f"inline constexpr std::array one_sided_methods{{{flags}}};"


def one_sided_conflict(table: Table, row: Row) -> str:
    enumerator = enumerators(table, row["kind"])[row["word"]]
    asked = {"process_methods": "-1", "transfer_strategies": "-1", row["kind"]: enumerator}
    return f"OneSidedConflict{{{', '.join(asked.values())}, {quoted(row['why'])}}}"


def strategy_conflict(table: Table, row: Row) -> str:
    bits = enumerators(table, BITS)
    others = " + ".join(bits[word] for word in row["others"])
    return f"StrategyConflict{{{bits[row['one']]}, {others}, {quoted(row['why'])}}}"


def resize_option(row: Row) -> str:
    field = f"&nereus_resize_options::{row['name'].replace('-', '_')}"
    words = "switches" if row["values"] == "switch" else row["values"]
    texts = ", ".join(quoted(row[key]) for key in ("name", "initial", "help"))
    is_sum = "true" if words == BITS else "false"
    get = "get_switch" if words == "switches" else "get_option"
    return f"    {{{texts}, &words::{words}, {is_sum}, {get}<{field}>, set_option<{field}>}}"


def lines(table: Table) -> Iterator[str]:
    for kind in KINDS:
        yield from words(kind, table[kind])
    yield one_sided(table["transfer_methods"])
    conflicts = ", ".join(one_sided_conflict(table, row) for row in table["one_sided_conflicts"])
    yield f"inline constexpr std::array one_sided_conflicts{{{conflicts}}};"
    conflicts = ", ".join(strategy_conflict(table, row) for row in table["strategy_conflicts"])
    yield f"inline constexpr std::array strategy_conflicts{{{conflicts}}};"
    options = ",\n".join(map(resize_option, table["resize_options"]))
    yield f"inline const std::vector<ResizeOption> resize_options{{\n{options}}};"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    table = tomllib.loads(options.table.read_text("utf-8"))
    text = PREAMBLE + "\n".join(lines(table)) + "\n\n}\n"
    # A file that stays as it is lets nothing be compiled again.
    if not options.output.exists() or options.output.read_text("utf-8") != text:
        options.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
