# SPDX-License-Identifier: BSD-3-Clause
"""What load balancing gains where the load is uneven or drifts, and what it costs where it is even.

Runs nereus-drift with the setting `balance` off and on, in turn, and prints medians (least to greatest) of
two ratios: the gain as a share of the ideal one, that of ranks which always take the same time; and the cost,
the time with balancing over that without it where all ranks take the same time anyway. With --wait ranks
sleep in place of computing, so that there may be more of them than cores. To be run on an idle machine:

    python3 bench/balance.py --mpiexec .venv/bin/mpiexec build/mpich/applications/nereus-drift
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

TIMEOUT = 600
LOADS = {
    "even": [],
    "uneven rows": ["--dear-factor", "4"],
    "drifting rows": ["--dear-factor", "4", "--drift", "2"],
    "drifting fast": ["--dear-factor", "4", "--drift", "10"],
    "slow rank": ["--slow", "1,2"],
}


@dataclass
class Runs:
    """`shares`: of the ideal gain; `costs`: time with balancing over time without it; of each repetition."""

    shares: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)


def run(command: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def command_of(arguments: argparse.Namespace, load: Sequence[str], balance: str) -> list[str]:
    words = [arguments.mpiexec, "-n", str(arguments.ranks), arguments.program, "--seconds", arguments.seconds]
    words += ["--iterations", str(arguments.iterations), *load, f"--nereus-balance={balance}"]
    return words + (["--wait"] if arguments.wait else [])


def repeat(arguments: argparse.Namespace, results: dict[str, Runs]) -> None:
    for name, load in LOADS.items():
        without, balanced = (run(command_of(arguments, load, word)) for word in ("off", "on"))
        runs = results[name]
        gain = without["seconds"] - balanced["seconds"]
        ideal = without["seconds"] - without["ideal_seconds"]
        runs.costs.append(balanced["seconds"] / without["seconds"])
        runs.shares.append(gain / ideal if load else float("nan"))
        runs.moves.append(int(balanced["moves"]))


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="nereus-drift")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--seconds", default="0.02", help="of an iteration on one rank, if no row cost more")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--wait", action="store_true")
    arguments = parser.parse_args()
    results = {name: Runs() for name in LOADS}
    for number in range(1, arguments.repetitions + 1):
        repeat(arguments, results)
        print(f"repetition {number} of {arguments.repetitions}", file=sys.stderr, flush=True)
    print(f"{arguments.ranks} ranks, {arguments.iterations} iterations, {arguments.repetitions} repetitions")
    print(f"{'load':<14} {'moves':>6}  {'share of the ideal gain':<28} time on over off")
    for name, runs in results.items():
        share = spread(runs.shares) if LOADS[name] else "-"
        print(f"{name:<14} {statistics.median(runs.moves):>6.0f}  {share:<28} {spread(runs.costs)}")


if __name__ == "__main__":
    main()
