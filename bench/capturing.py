# SPDX-License-Identifier: BSD-3-Clause
"""How long an application takes, the same while it is captured, and the emulation of what was captured.

python bench/capturing.py [--rounds N] [--seconds REGEX] [--mpi NAME] -- COMMAND [ARGS]...

The application says how long its iterations took where REGEX finds it (its first group). Each round runs all
three in turn; printed are medians (least .. greatest), and the time of the emulation over that of the
application, round by round.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

_SECONDS = r'seconds"?:\s*([0-9.eE+-]+)'
_NEREUS = [sys.executable, "-c", "from nereus.cli.main import main; main()"]


def seconds_in(text: str, pattern: str) -> float:
    found = re.findall(pattern, text)
    if not found:
        raise SystemExit(f"no time found by {pattern} in:\n{text}")
    return float(found[-1])


def run(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{command}: exit code {ended.returncode}\n{ended.stderr}")
    return ended.stdout + ended.stderr


def iterations_seconds(results: Path, patterns: set[int]) -> float:
    """From the first iteration of each phase that repeats to the end of its last one."""
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for line in results.read_text().splitlines():
        event: dict[str, Any] = json.loads(line)
        if event["event"] == "iteration" and event["phase"] in patterns:
            first.setdefault(event["phase"], event["start"])
            last[event["phase"]] = event["start"] + event["seconds"]
    return sum(last[phase] - first[phase] for phase in first)


def one_round(options: argparse.Namespace, folder: Path, number: int) -> dict[str, float]:
    file, results = folder / f"{number}.toml", folder / f"results-{number}"
    alone = seconds_in(run(options.command), options.seconds)
    json_file = folder / "captured.json"
    build = ["--mpi", options.mpi] if options.mpi else []
    with json_file.open("w") as stdout:
        capture = [
            *_NEREUS,
            "capture",
            "--json",
            "-o",
            str(file),
            *build,
            *options.option,
            "--",
            *options.command,
        ]
        said = subprocess.run(capture, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    if said.returncode:
        raise SystemExit(said.stderr)
    document = json.loads(json_file.read_text())
    run([*_NEREUS, "emulate", str(file), "--output", str(results), "--no-picture", "--quiet", *build])
    (events,) = results.glob("*.jsonl")
    patterns = {at for at, phase in enumerate(document["phases"]) if phase["repeats"]}
    ended = json.loads(events.read_text().splitlines()[-1])
    emulated = iterations_seconds(events, patterns)
    return {
        "application": alone,
        "captured": seconds_in(said.stderr, options.seconds),
        "emulated": emulated,
        "ratio": emulated / alone,
        "whole": ended["total_seconds"] / document["seconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", default=_SECONDS, help="where the application says its time")
    parser.add_argument("--mpi", help="build of Nereus")
    parser.add_argument("--option", action="append", default=[], help="of nereus capture")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = [one_round(options, Path(folder), number) for number in range(options.rounds)]
    for key in rounds[0]:
        values = [each[key] for each in rounds]
        print(f"{key}\t{median(values):.4f}\t({min(values):.4f} .. {max(values):.4f})")
    medians = {key: median(each[key] for each in rounds) for key in rounds[0]}
    print(f"emulated / application, of medians\t{medians['emulated'] / medians['application']:.4f}")
    least = {key: min(each[key] for each in rounds) for key in rounds[0]}
    print(f"emulated / application, of the least\t{least['emulated'] / least['application']:.4f}")


if __name__ == "__main__":
    main()
