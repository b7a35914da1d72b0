# SPDX-License-Identifier: BSD-3-Clause
"""Perfetto's own format: track events in protocol buffers, by the builder of Perfetto's package."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from nereus.analysis.trace.counters import Counter, counters
from nereus.analysis.trace.export.lanes import (
    DAEMON,
    GENERATIONS,
    Lane,
    activity_lane,
    lanes,
    process_label,
)
from nereus.analysis.trace.file import NO_PEER
from nereus.analysis.trace.model import Timeline, Track

_LANES = 128  # a process's numbers of tracks
_DAEMON = 2**31  # beyond those of all processes
_AT_ONCE = 4096  # packets
_MOST_SHAPES = 1 << 16  # calls that do the same are made once


def write_perfetto(run: Timeline, path: Path) -> None:
    """OSError where it cannot be written, ImportError where the package is missing."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket, TrackEvent
    from perfetto.trace_builder.proto_builder import TraceProtoBuilder

    with path.open("wb") as file:
        packets = _Packets(file, TraceProtoBuilder)
        _Writer(run, packets, TracePacket, TrackEvent).write()
        packets.flush()


class _Packets:
    """Writes many at a time: traces one after the other in a file are one trace.

    The package's own builder for large traces makes a trace of each packet, which takes twice as long.
    """

    def __init__(self, file: IO[bytes], builder: Callable[[], Any]) -> None:
        self._file, self._new_builder = file, builder
        self._builder = builder()
        self._waiting = 0

    def write(self, packet: Any) -> None:
        """It may be changed and written again."""
        self._builder.trace.packet.append(packet)
        self._waiting += 1
        if self._waiting == _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Nothing is written without this at the end."""
        self._file.write(self._builder.serialize())
        self._builder, self._waiting = self._new_builder(), 0


class _Writer:
    def __init__(self, run: Timeline, packets: _Packets, packet: Any, event: Any) -> None:
        self._run = run
        self._packets = packets
        self._packet = packet
        self._event = event
        self._sent, self._received = _messages(run)

    def write(self) -> None:
        for place, track in enumerate(self._run.tracks):
            self._describe(place * _LANES + 1, process_label(track), process=place + 1)
            for lane in lanes(self._run, place):
                self._describe(_lane(place, lane.number), lane.name, parent=place * _LANES + 1)
                self._write_calls(place, track, lane)
        self._write_spans()
        self._write_decisions()
        for number, counter in enumerate(counters(self._run)):
            self._write_counter(len(self._run.tracks) * _LANES + 1 + number, counter)

    def _describe(self, track: int, name: str, parent: int = 0, process: int = 0) -> None:
        packet = self._packet()
        described = packet.track_descriptor
        described.uuid = track
        described.name = name
        if parent:
            described.parent_uuid = parent
        if process:
            described.process.pid = process
            described.process.process_name = name
        self._packets.write(packet)

    def _write_calls(self, place: int, track: Track, lane: Lane) -> None:
        sequence = _lane(place, lane.number)
        self._begin_sequence(sequence, track)
        end = self._packet(trusted_packet_sequence_id=sequence)
        end.track_event.type = self._event.TYPE_SLICE_END
        end.track_event.track_uuid = sequence
        columns = (track.name, track.bytes, track.peer, track.tag, track.group, track.tests_in_vain)
        rows = zip(*(column[lane.calls].tolist() for column in columns), strict=True)
        times = zip(track.begin[lane.calls].tolist(), track.end[lane.calls].tolist(), strict=True)
        known: dict[tuple[int, ...], Any] = {}
        for call, shape, (begin, ended) in zip(lane.calls.tolist(), rows, times, strict=True):
            packet = known.get(shape)
            if packet is None:
                packet = self._call(sequence, track, shape)
                if len(known) < _MOST_SHAPES:
                    known[shape] = packet
            packet.timestamp, end.timestamp = begin, ended
            self._with_arrows(packet, (place, call))
            for message in self._received.get((place, call), ()):
                self._write_receipt(sequence, ended, message)
            self._packets.write(end)

    def _begin_sequence(self, sequence: int, track: Track) -> None:
        """Names are written once, and have numbers from then on."""
        packet = self._packet(trusted_packet_sequence_id=sequence)
        packet.sequence_flags = self._packet.SEQ_INCREMENTAL_STATE_CLEARED
        for number, name in enumerate(track.names, 1):
            packet.interned_data.event_names.add(iid=number, name=name)
        self._packets.write(packet)

    def _call(self, sequence: int, track: Track, shape: tuple[int, ...]) -> Any:
        name, size, peer, tag, group, in_vain = shape
        packet = self._packet(trusted_packet_sequence_id=sequence)
        packet.sequence_flags = self._packet.SEQ_NEEDS_INCREMENTAL_STATE
        event = packet.track_event
        event.type = self._event.TYPE_SLICE_BEGIN
        event.track_uuid = sequence
        event.name_iid = name + 1
        event.categories.append("mpi")
        if size:
            event.debug_annotations.add(name="bytes", uint_value=size)
        if peer != NO_PEER:
            event.debug_annotations.add(name="peer", int_value=peer)
            event.debug_annotations.add(name="tag", int_value=tag)
        if track.groups.get(group):
            event.debug_annotations.add(name="communicator", string_value=track.groups[group])
        if in_vain:
            event.debug_annotations.add(name="tests", uint_value=in_vain)
        return packet

    def _with_arrows(self, packet: Any, call: tuple[int, int]) -> None:
        """Write it with the arrows that begin in it, and take these out again."""
        sent = self._sent.get(call)
        if sent:
            packet.track_event.flow_ids.extend(sent)
        self._packets.write(packet)
        if sent:
            packet.track_event.ClearField("flow_ids")

    def _write_receipt(self, sequence: int, time: int, message: int) -> None:
        """Where an arrow ends: not in the call itself, which may have begun before the message was sent.

        Perfetto reads in the order of time, and knows no arrow that ends before it begins.
        """
        packet = self._packet(timestamp=time, trusted_packet_sequence_id=sequence)
        packet.track_event.type = self._event.TYPE_INSTANT
        packet.track_event.track_uuid = sequence
        packet.track_event.name = "received"
        packet.track_event.categories.append("message")
        packet.track_event.terminating_flow_ids.append(message)
        self._packets.write(packet)

    def _write_spans(self) -> None:
        first = len(self._run.messages) + 1
        out: dict[int, list[int]] = {}
        into: dict[int, list[int]] = {}
        for number, succession in enumerate(self._run.successions, first):
            out.setdefault(id(succession.before), []).append(number)
            into.setdefault(id(succession.after), []).append(number)
        for span in self._run.generations:
            flows = out.get(id(span), []), into.get(id(span), [])
            self._span(
                _lane(span.track, GENERATIONS), span.label, "generation", (span.begin, span.end), flows
            )
        for state in self._run.states:
            track = _lane(state.track, activity_lane(self._run, state.activity))
            self._span(track, state.state, state.activity, (state.begin, state.end), ([], []))

    def _span(
        self, track: int, name: str, category: str, time: tuple[int, int], flows: tuple[list[int], list[int]]
    ) -> None:
        begin = self._packet(timestamp=time[0], trusted_packet_sequence_id=track)
        begin.track_event.type = self._event.TYPE_SLICE_BEGIN
        begin.track_event.track_uuid = track
        begin.track_event.name = name
        begin.track_event.categories.append(category)
        begin.track_event.flow_ids.extend(flows[0])
        begin.track_event.terminating_flow_ids.extend(flows[1])
        end = self._packet(timestamp=time[1], trusted_packet_sequence_id=track)
        end.track_event.type = self._event.TYPE_SLICE_END
        end.track_event.track_uuid = track
        self._packets.write(begin)
        self._packets.write(end)

    def _write_decisions(self) -> None:
        track = _DAEMON
        if self._run.decisions:
            self._describe(track, DAEMON)
        for decision in self._run.decisions:
            packet = self._packet(timestamp=decision.time, trusted_packet_sequence_id=track)
            event = packet.track_event
            event.type = self._event.TYPE_INSTANT
            event.track_uuid = track
            event.name = decision.label
            event.categories.append(DAEMON)
            for name, text in {"job": decision.job, **decision.facts}.items():
                event.debug_annotations.add(name=name, string_value=text)
            self._packets.write(packet)

    def _write_counter(self, track: int, counter: Counter) -> None:
        packet = self._packet()
        packet.track_descriptor.uuid = track
        packet.track_descriptor.name = counter.name
        if counter.unit == "bytes":
            packet.track_descriptor.counter.unit = packet.track_descriptor.counter.UNIT_SIZE_BYTES
        elif counter.unit:
            packet.track_descriptor.counter.unit_name = counter.unit
        else:
            packet.track_descriptor.counter.unit = packet.track_descriptor.counter.UNIT_COUNT
        self._packets.write(packet)
        value = self._packet(trusted_packet_sequence_id=track)
        value.track_event.type = self._event.TYPE_COUNTER
        value.track_event.track_uuid = track
        for time, now in zip(counter.time.tolist(), counter.value.tolist(), strict=True):
            value.timestamp = time
            value.track_event.counter_value = now
            self._packets.write(value)


def _lane(place: int, number: int) -> int:
    """Number of the track; also of the sequence of packets, which has no other track."""
    return place * _LANES + 2 + number


def _messages(run: Timeline) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], list[int]]]:
    """Numbers of messages by the track and the call that sent them, and by those that received them."""
    sent: dict[tuple[int, int], list[int]] = {}
    received: dict[tuple[int, int], list[int]] = {}
    for number, (source, destination, send_call, receive_call) in enumerate(_ends(run), 1):
        sent.setdefault((source, send_call), []).append(number)
        received.setdefault((destination, receive_call), []).append(number)
    return sent, received


def _ends(run: Timeline) -> Iterator[tuple[int, int, int, int]]:
    columns = ("source", "destination", "send_call", "receive_call")
    return zip(*(run.messages[column].tolist() for column in columns), strict=True)
