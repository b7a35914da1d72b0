# SPDX-License-Identifier: BSD-3-Clause
"""Recoveries: a job whose processes did not end by themselves, and that went on in others."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from nereus.analysis.trace.generations import in_order
from nereus.analysis.trace.model import GenerationSpan, StateSpan, Track

RECOVERY, RESTARTING = "recovery", "restarting"


def recoveries_of(
    spans: Sequence[GenerationSpan], tracks: Sequence[Track], jobs: Mapping[int, str]
) -> list[StateSpan]:
    """For each new process, from the last that is known of the lost ones until it is in its generation.

    `jobs`: the key of the job of `nereus run` to which a track belongs; a recovery is another job.

    When they were lost is not known better: a rank that waits for a dead one records nothing.
    """
    found = []
    for generations in in_order(spans):
        for before, after in pairwise(generations):
            lost = {span.track for span in before.values()}
            same = {jobs.get(place) for place in lost} & {jobs.get(span.track) for span in after.values()}
            if same or all(tracks[place].is_ended for place in lost):
                continue
            last = max(tracks[place].last for place in lost)
            found += [
                StateSpan(RECOVERY, RESTARTING, span.track, min(last, span.begin), span.begin)
                for span in after.values()
            ]
    return found
