# SPDX-License-Identifier: BSD-3-Clause
"""What iterations take behind a resize with and without placement = measured, on three hosts with slow links.

python bench/placing_at_resize.py [ROUNDS [GBITS]]       needs root and the program ip
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts
from nereus.launch import choose

_LIMIT = 300.0
_RESIZE = ("--resize", "40:6")
_RUNS: dict[str, tuple[str, ...]] = {
    "halo": ("nereus-halo", "--rows", "96", "--columns", "65536", "--iterations", "200"),
    "halo, ring": ("nereus-halo", "--rows", "96", "--columns", "65536", "--iterations", "200", "--ring"),
    "cg": ("nereus-cg", "--poisson", "60", "--tolerance", "0", "--iterations", "200"),
}
_PLACEMENTS = ("compact", "measured")
_COMMAND = (sys.executable, "-c", "from nereus.cli.main import main; main()")


def run(hosts: LocalHosts, words: tuple[str, ...], placement: str, folder: Path) -> tuple[float, float, str]:
    """Milliseconds of an iteration behind the resize, of the pause, and how ranks were placed."""
    build = choose("mpich")
    listed = ",".join(f"{name}:1" for name in hosts.names)
    where = ("-q", "-n", "3", "--hosts", listed, "--oversubscribe", "--rsh", str(hosts.rsh))
    results = folder / "results"
    program = (str(build.program(words[0])), *words[1:], *_RESIZE, f"--nereus-results={results}")
    command = (*_COMMAND, "run", *where, "--placement", placement, "--", *program)
    subprocess.run(
        [hosts.enter, hosts.names[0], f"exec {shlex.join(command)}"],
        env=os.environ | {"XDG_RUNTIME_DIR": str(folder)},
        check=True,
        timeout=_LIMIT,
        stdout=subprocess.DEVNULL,
    )
    events = [json.loads(line) for line in results.read_text().splitlines()]
    last = [event for event in events if event["event"] == "generation_ended"][-1]
    resize = next(event for event in events if event["event"] == "committed")
    seconds = statistics.median(last["iteration_seconds"])
    return 1000 * seconds, 1000 * resize["pause_seconds"], resize["placed"]


def lines(rounds: int, gigabits: float) -> Iterator[str]:
    """A line for each run and placement: medians, and the least and the greatest."""
    found: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
    with local_hosts(Wanted("nrb", "abc", gigabits=gigabits)) as hosts, tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            for case, words in _RUNS.items():
                for placement in _PLACEMENTS:
                    found.setdefault((case, placement), []).append(run(hosts, words, placement, Path(name)))
    for case in _RUNS:
        usual = statistics.median(ms for ms, _, _ in found[case, "compact"])
        for placement in _PLACEMENTS:
            times = [ms for ms, _, _ in found[case, placement]]
            pause = statistics.median(ms for _, ms, _ in found[case, placement])
            spread = f"{statistics.median(times):.1f} ({min(times):.1f} .. {max(times):.1f})"
            share = f"{statistics.median(times) / usual:.2f}"
            yield "\t".join([case, placement, spread, share, f"{pause:.0f}", found[case, placement][-1][2]])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    gigabits = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    heads = [
        "program",
        "placement",
        "ms an iteration (least .. greatest)",
        "of compact",
        "pause (ms)",
        "placed",
    ]
    print("\t".join(heads))
    for line in lines(rounds, gigabits):
        print(line, flush=True)


if __name__ == "__main__":
    main()
