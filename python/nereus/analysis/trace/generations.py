# SPDX-License-Identifier: BSD-3-Clause
"""Which process was which rank in each generation of a malleable job, and who came after whom."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from nereus.analysis.monitor.identities import expanded
from nereus.analysis.monitor.model import Process
from nereus.analysis.trace.model import GenerationSpan, Succession

Mark = tuple[int, int]  # when, ns; number


def first_job_of(processes: Iterable[Process]) -> dict[str, str]:
    """Of each job of `nereus run` the first of those that it continues, which failed one after the other."""
    told = [process.supervised for process in processes if process.supervised is not None]
    before = {each.job: each.continues for each in told if each.continues is not None}
    found = {}
    for job in {each.job for each in told}:
        seen, first = {job}, job
        while first in before and before[first] not in seen:  # records of others may go round
            first = before[first]
            seen.add(first)
        found[job] = first
    return found


def spans_of(
    track: int, process: Process, job: str | None, marks: Sequence[Mark], first: int, last: int
) -> list[GenerationSpan]:
    """Of one process; a generation lasts until the process is in the next one, or to its last event.

    `job`: the key of that of `nereus run`, if it is one of it.

    Where the oldest marks were overwritten, the process was in the generation before from its first event on.
    """
    told = {generation.generation: generation for generation in process.generations}
    known = [(begin, told[number]) for begin, number in marks if number in told]
    before = process.generations[: len(process.generations) - len(known)]
    if before:
        known.insert(0, (first, before[-1]))
    ends = [begin for begin, _ in known[1:]] + [last] * bool(known)
    return [
        GenerationSpan(
            job or generation.job,
            generation.job,
            generation.generation,
            len(expanded(generation.members)),
            track,
            generation.own_rank,
            begin,
            end,
        )
        for (begin, generation), end in zip(known, ends, strict=True)
    ]


def in_order(spans: Sequence[GenerationSpan]) -> Iterator[list[dict[int, GenerationSpan]]]:
    """For each job its generations, one after the other, by rank."""
    jobs: dict[str, dict[tuple[str, int], dict[int, GenerationSpan]]] = defaultdict(lambda: defaultdict(dict))
    for span in spans:
        jobs[span.job][span.start, span.generation][span.rank] = span
    for generations in jobs.values():
        yield sorted(generations.values(), key=lambda ranks: min(span.begin for span in ranks.values()))


def successions_of(spans: Sequence[GenerationSpan]) -> list[Succession]:
    """Ranks that there are in the next generation of their job too, in the same process or another one."""
    found = []
    for generations in in_order(spans):
        for before, after in pairwise(generations):
            found += [Succession(rank, before[rank], after[rank]) for rank in sorted(before) if rank in after]
    return found
