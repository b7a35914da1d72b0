# SPDX-License-Identifier: BSD-3-Clause
"""Which process was which rank in each generation of a malleable job, and who came after whom."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from nereus.analysis.monitor.identities import expanded
from nereus.analysis.monitor.model import Process
from nereus.analysis.trace.model import GenerationSpan, Succession

Mark = tuple[int, int]  # when, ns; number


def spans_of(
    track: int, process: Process, marks: Sequence[Mark], first: int, last: int
) -> list[GenerationSpan]:
    """Of one process; a generation lasts until the process is in the next one, or to its last event.

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
            process.supervised or generation.job,
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


def successions_of(spans: Sequence[GenerationSpan]) -> list[Succession]:
    """Ranks that there are in the next generation of their job too, in the same process or another one."""
    jobs: dict[str, dict[tuple[str, int], dict[int, GenerationSpan]]] = defaultdict(lambda: defaultdict(dict))
    for span in spans:
        jobs[span.job][span.world, span.generation][span.rank] = span
    found = []
    for generations in jobs.values():
        in_order = sorted(generations.values(), key=lambda ranks: min(span.begin for span in ranks.values()))
        for before, after in pairwise(in_order):
            found += [Succession(rank, before[rank], after[rank]) for rank in sorted(before) if rank in after]
    return found
