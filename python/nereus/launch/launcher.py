# SPDX-License-Identifier: BSD-3-Clause
"""What differs between the launchers of MPIs, and what is the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from nereus.launch.builds import Build
from nereus.launch.hosts import Host, RemoteShell, Share


class Launcher(Protocol):
    """How mpiexec of one kind is told what to start, and where."""

    #: Whether its ranks end, on all hosts, where it is killed. Where it is asked to end, it tells its user
    #: of a bad termination.
    dies_silently: bool
    #: Whether it has processes of its own on each host that it is told of, with ranks there or without.
    is_on_all_hosts: bool
    #: What lets it end the ranks of a job that failed without leaving them time, where it leaves them some.
    ended_at_once: Mapping[str, str]

    def options(self, server: Path | None, shell: RemoteShell | None, names: Sequence[str]) -> list[str]:
        """For the whole launch; `server`: the file that tells where ompi-server is, `names`: variables that
        go to other hosts."""
        ...

    def environment(self, build: Build, shell: RemoteShell | None, alone: bool) -> dict[str, str]:
        """What its jobs need, and what lets waiting ranks sleep, unless the user decided about that.

        `alone`: whether all is on this host, whatever job of a resource manager we run in.
        """
        ...

    def placed(self, shares: Sequence[Share], program: list[str], hosts: Sequence[Host]) -> list[str]:
        """Numbers, places and program of a group, with ranks in the order of the shares, which name hosts.

        `hosts`: all that the job has.
        """
        ...


def unless_set(choices: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Those that the user did not decide about."""
    return {name: value for name, value in choices.items() if name not in environment}


def merged(shares: Sequence[Share]) -> list[Share]:
    """One share for neighbours on the same host."""
    by_host = [(host, ranks_of(list(same))) for host, same in groupby(shares, key=lambda share: share.host)]
    return [Share(host, ranks) for host, ranks in by_host]


def each_once(shares: Sequence[Share]) -> list[Share]:
    """Shares that name each host once, with as many ranks there; Hydra begins anew at the end of its list.

    Where MPICH 5.0.2 was told of hosts twice, resizes to five newcomers on three hosts hung in MPI_Bcast.
    """
    ranks: Counter[str] = Counter()
    for share in shares:
        ranks[share.host] += share.ranks
    first = list(shares[: len(ranks)])
    if all(share == first[number % len(first)] for number, share in enumerate(shares)):
        return first
    return [Share(host, number) for host, number in ranks.items()]


def ranks_of(shares: Sequence[Share]) -> int:
    """In all shares."""
    return sum(share.ranks for share in shares)


def share_list(shares: Sequence[Share]) -> str:
    """As launchers take it: "n1:2,n2:1"."""
    return ",".join(f"{share.host}:{share.ranks}" for share in shares)


def in_parts(option: str, shares: Sequence[tuple[str, int]], program: Sequence[str]) -> list[str]:
    """A part of the command line for each share, which keeps the order; `option`: names its host."""
    words: list[str] = []
    for host, ranks in shares:
        words += [*([":"] if words else []), option, host, "-n", str(ranks), *program]
    return words
