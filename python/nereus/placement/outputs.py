# SPDX-License-Identifier: BSD-3-Clause
"""A mapping as launchers take it: hosts for Hydra and Slurm, ranks for Open MPI, keys for programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from nereus.placement.asking import Placed
from nereus.placement.cost import cost_of
from nereus.placement.error import PlaceError
from nereus.placement.topology import Topology

_LONGEST_ARGUMENT = 131_000  # Linux allows 128 KiB


@dataclass(frozen=True)
class Written:
    """The text of a file, how it is used, and the slots that ranks have with it."""

    text: str
    use: str
    mapping: Sequence[int]

    def cost(self, placed: Placed) -> float:
        """Of that: more than the mapping's where the format cannot tell where on its host a rank is."""
        return cost_of(placed.asked.topology, placed.asked.traffic, self.mapping)


def hydra(placed: Placed, file: str) -> Written:
    """Hosts for MPICH's Hydra with processors of their ranks; the host of each rank is an option beside it.

    A host that is there twice would count as two, without shared memory between them.
    """
    topology = placed.asked.topology
    slots_of = slots_by_host(topology, placed.mapping)
    number = {host: at for at, host in enumerate(slots_of)}
    runs = [(number[host], len(list(same))) for host, same in groupby(map(topology.host_of, placed.mapping))]
    vector = ",".join(f"({node},1,{ranks})" for node, ranks in runs)
    if len(vector) > _LONGEST_ARGUMENT:
        raise PlaceError(
            f"hydra: a rank map of {len(vector)} characters is too long for a command line; "
            "--format keys renumbers the ranks instead"
        )
    use = f"mpiexec -f {file} -rankmap '(vector,{vector})' -n {placed.asked.ranks} PROGRAM"
    lines = [f"# {use}", *(_hydra_line(topology, host, slots) for host, slots in slots_of.items())]
    tells_all = not topology.hosts_have_levels or all(topology.insides[host].processors for host in slots_of)
    return Written(
        _lines(lines), use, placed.mapping if tells_all else in_rank_order(topology, placed.mapping)
    )


def _hydra_line(topology: Topology, host: int, slots: Sequence[int]) -> str:
    processors = topology.insides[host].processors
    if not processors:
        return f"{topology.hosts[host]}:{len(slots)}"
    chosen = ",".join(str(processors[topology.place_on_host(slot)]) for slot in slots)
    return f"{topology.hosts[host]}:{len(slots)} binding=user:{chosen}"


def openmpi(placed: Placed, file: str) -> Written:
    """A rankfile of Open MPI; its slots are cores of the host, or hardware threads, in the order of hwloc."""
    topology = placed.asked.topology
    lines = [
        f"rank {rank}={topology.hosts[topology.host_of(slot)]} slot={topology.place_on_host(slot)}"
        for rank, slot in enumerate(placed.mapping)
    ]
    use = f"mpirun --rankfile {file} -n {placed.asked.ranks} PROGRAM"
    return Written(_lines(lines), use, placed.mapping)


def slurm(placed: Placed, file: str) -> Written:
    """A host a line for each rank, for --distribution=arbitrary; cores of a host are Slurm's choice."""
    topology = placed.asked.topology
    hosts = [topology.hosts[topology.host_of(slot)] for slot in placed.mapping]
    use = f"SLURM_HOSTFILE={file} srun --distribution=arbitrary -n {placed.asked.ranks} PROGRAM"
    return Written(_lines(hosts), use, in_rank_order(topology, placed.mapping))


def keys(placed: Placed, file: str) -> Written:
    """A key a line for each rank of the launcher: with it MPI_Comm_split gives the rank that it is to have.

    No process moves, so the mapping must have the slots that the ranks have now.
    """
    now = placed.asked.current
    if now is None or sorted(now) != sorted(placed.mapping):
        raise PlaceError(
            "keys renumber ranks where they are: a mapping to the slots that they have now is allowed"
        )
    process_in = {slot: process for process, slot in enumerate(now)}
    key_of = {process_in[slot]: rank for rank, slot in enumerate(placed.mapping)}
    use = f"MPI_Comm_split(MPI_COMM_WORLD, 0, KEY, &comm), KEY: the number in line RANK + 1 of {file}"
    return Written(_lines([str(key_of[rank]) for rank in range(len(now))]), use, placed.mapping)


def in_rank_order(topology: Topology, mapping: Sequence[int]) -> list[int]:
    """As launchers do it that know the host of each rank only: its ranks have its slots in order."""
    next_of = {host: iter(sorted(slots)) for host, slots in slots_by_host(topology, mapping).items()}
    return [next(next_of[topology.host_of(slot)]) for slot in mapping]


def slots_by_host(topology: Topology, mapping: Sequence[int]) -> dict[int, list[int]]:
    """Of each host that has ranks, the slots of these in their order; the host of rank 0 first."""
    found: dict[int, list[int]] = {}
    for slot in mapping:
        found.setdefault(topology.host_of(slot), []).append(slot)
    return found


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMATS: Mapping[str, Callable[[Placed, str], Written]] = {
    "hydra": hydra,
    "openmpi": openmpi,
    "slurm": slurm,
    "keys": keys,
}


def written(placed: Placed, name: str, file: str) -> Written:
    """In one of FORMATS; `file` is how it will be called."""
    return FORMATS[name](placed, file)
