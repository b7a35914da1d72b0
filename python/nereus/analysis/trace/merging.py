# SPDX-License-Identifier: BSD-3-Clause
"""Several runs on one time line: of jobs that ran at the same time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from nereus.analysis.trace.generations import successions_of
from nereus.analysis.trace.model import GenerationSpan, StateSpan, Timeline, Track

Span = TypeVar("Span", GenerationSpan, StateSpan)


def merged(runs: Sequence[Timeline]) -> Timeline:
    """In the order of their begin, which their times of day tell: on one host to the microsecond."""
    in_order = sorted(runs, key=lambda run: run.started_unix)
    first = in_order[0]
    tracks: list[Track] = []
    messages = []
    generations: list[GenerationSpan] = []
    states: list[StateSpan] = []
    for run in in_order:
        later = round((run.started_unix - first.started_unix) * 1e9)
        before = len(tracks)
        tracks += [_later(track, later) for track in run.tracks]
        own = run.messages.copy()
        for name in ("source", "destination"):
            own[name] += before
        for name in ("sent", "received"):
            own[name] += later
        messages.append(own)
        generations += [_moved(span, before, later) for span in run.generations]
        states += [_moved(span, before, later) for span in run.states]
    together = np.concatenate(messages)
    return Timeline(
        first.folder,
        first.started_unix,
        tracks,
        together[np.argsort(together["sent"], kind="stable")],
        sum(run.unmatched for run in in_order),
        generations,
        successions_of(generations),
        states,
        [note for run in in_order for note in run.notes],
        all(run.has_all_calls for run in in_order),
    )


def _later(track: Track, later: int) -> Track:
    pauses = tuple((begin + later, end + later) for begin, end in track.pauses)
    return replace(track, begin=track.begin + later, end=track.end + later, pauses=pauses)


def _moved(span: Span, tracks: int, later: int) -> Span:
    return replace(span, track=span.track + tracks, begin=span.begin + later, end=span.end + later)
