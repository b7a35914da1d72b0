# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that no message can bring down, or talk into two turns at once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from a_daemon import SocketlessDaemon, allocation, hello, message
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from nereus.daemon import messages

NAMES = [letter * 16 for letter in "abc"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *("version", "job", "kind", "command", "hosts", "most", "iteration", "generation", "asked", "epoch"),
        *("first_slots", "host_slots", "more_hosts", "heard", "outcomes", "code"),
        *("commands", "ranks", "iterations", "seconds", "number", "bytes", "id", "age_seconds", "message"),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
@example(b'{"version": 1, "job": "' + b"a" * 16 + b'", "kind": "hello"}')
@example(b'{"version": true, "job": "' + b"a" * 16 + b'", "kind": "goodbye", "id": 1}')
def test_bytes_that_are_not_a_message_are_dropped(frame: bytes) -> None:
    assert messages.read(frame) is None


@pytest.fixture(scope="module")
def socketless() -> Iterator[SocketlessDaemon]:
    made = SocketlessDaemon()
    yield made
    made.close()


@settings(deadline=None, max_examples=200)
@given(
    base=st.sampled_from(
        [
            hello(NAMES[0]),
            message("heartbeat", NAMES[0], iteration=1, epoch=1),
            message("sample", NAMES[0], ranks=1, iteration=1, iterations=1, seconds=0.5),
            message("io_request", NAMES[0], number=1, bytes=0, iteration=1),
            message("heard", NAMES[0], command=1),
            message("refused", NAMES[0], id=1, command=1, code=-7, message="no"),
            allocation(NAMES[0], outcomes=[{"command": 1, "code": -7, "message": "no"}]),
        ]
    ),
    changes=st.dictionaries(KEYS, ANYTHING, min_size=1, max_size=4),
    taken=st.sets(KEYS, max_size=2),
)
def test_message_with_strange_values_never_raises(
    socketless: SocketlessDaemon, base: bytes, changes: dict[str, Any], taken: set[str]
) -> None:
    socketless.receive(hello(NAMES[0]))
    before = socketless.state_text()
    value = {key: each for key, each in json.loads(base).items() if key not in taken}
    frame = json.dumps({**value, **changes}).encode()
    socketless.receive(frame)
    if messages.read(frame) is None:
        assert socketless.state_text() == before


COUNTS = st.integers(0, 3)
SECONDS = st.sampled_from([0.0, 1e-9, 0.5, 20.0, 1e9])


class AnyMessages(RuleBasedStateMachine):
    """Well-formed messages in any order, of jobs that contradict themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.socketless = SocketlessDaemon()
        self.last_epoch = 0

    def receive(self, frame: bytes) -> None:
        assert messages.read(frame) is not None
        for each in self.socketless.receive(frame):
            assert messages.encode(dict(each)) is not None
            if each["kind"] == "grant":
                self.last_epoch = max(self.last_epoch, each["epoch"])

    @rule(
        job=st.sampled_from(NAMES), hosts=st.lists(st.sampled_from("hij"), min_size=1, max_size=9), c=COUNTS
    )
    def hello(self, job: str, hosts: list[str], c: int) -> None:
        commands = list(range(1, c + 1))
        self.receive(hello(job, hosts=hosts, generation=c, asked=c, epoch=c, iteration=c, commands=commands))

    @rule(job=st.sampled_from(NAMES), iteration=COUNTS, epoch=COUNTS)
    def heartbeat(self, job: str, iteration: int, epoch: int) -> None:
        self.receive(message("heartbeat", job, iteration=iteration, epoch=epoch))

    @rule(
        job=st.sampled_from(NAMES), ranks=st.integers(1, 9), iterations=st.integers(1, 2**53 - 1), s=SECONDS
    )
    def sample(self, job: str, ranks: int, iterations: int, s: float) -> None:
        seconds = max(s, 1e-9)
        keys = {"ranks": ranks, "iteration": 1, "iterations": iterations, "seconds": seconds}
        self.receive(message("sample", job, **keys))

    @rule(job=st.sampled_from(NAMES), number=st.integers(1, 4), iteration=COUNTS)
    def ask(self, job: str, number: int, iteration: int) -> None:
        self.receive(message("io_request", job, number=number, bytes=1, iteration=iteration))

    @rule(
        job=st.sampled_from(NAMES),
        n=st.integers(1, 5),
        epoch=COUNTS,
        i=COUNTS,
        r=st.integers(1, 9),
        s=SECONDS,
    )
    def wrote(self, job: str, n: int, epoch: int, i: int, r: int, s: float) -> None:
        keys = {"id": 1, "number": n, "epoch": epoch, "bytes": 2**53 - 1, "iteration": i * 100, "ranks": r}
        times = {"wait_seconds": s, "service_seconds": s, "age_seconds": s}
        self.receive(message("io_done", job, **keys, **times))

    @rule(job=st.sampled_from(NAMES), command=st.sampled_from([1, 2, 11, 12, 13, 14]))
    def acknowledged(self, job: str, command: int) -> None:
        self.receive(message("heard", job, command=command))

    @rule(
        job=st.sampled_from(NAMES),
        command=st.sampled_from([0, 1, 2, 11, 12, 13, 14]),
        ranks=st.integers(1, 9),
        generation=COUNTS,
        s=SECONDS,
    )
    def done(self, job: str, command: int, ranks: int, generation: int, s: float) -> None:
        keys = {"id": 1, "command": command, "hosts": ["h"] * ranks, "generation": generation}
        self.receive(message("done", job, **keys, iteration=1, seconds=s, message=""))

    @rule(job=st.sampled_from(NAMES), command=st.sampled_from([0, 1, 2, 11, 12, 13, 14]))
    def refused(self, job: str, command: int) -> None:
        self.receive(message("refused", job, id=1, command=command, code=-7, message="no"))

    @rule(job=st.sampled_from(NAMES))
    def goodbye(self, job: str) -> None:
        self.receive(message("goodbye", job, id=1))

    @rule(job=st.sampled_from(NAMES), ranks=st.integers(1, 8))
    def reserve(self, job: str, ranks: int) -> None:
        effects = self.socketless.state.reservations.asked(job, ranks, self.socketless.now)
        self.socketless.executor.carry_out(effects, self.socketless.now)

    @rule(seconds=st.sampled_from([0.1, 6.0, 11.0, 61.0]))
    def time_passes(self, seconds: float) -> None:
        self.socketless.now += seconds
        self.socketless.executor.look(self.socketless.now)
        self.socketless.executor.all_due(self.socketless.now)

    @rule()
    def all_is_written(self) -> None:
        assert self.socketless.store.commit(self.socketless.now)

    @invariant()
    def one_job_writes_and_everybody_knows_it(self) -> None:
        state = self.socketless.state
        writing = {grant.job: grant.epoch for grant in state.coordinator.turns.writing}
        held = {name: each.held.epoch for name, each in state.sessions.items() if each.held}
        assert len(writing) <= 1
        assert held == writing
        assert state.sessions.keys() == state.coordinator.jobs.keys()

    @invariant()
    def job_is_sent_its_pending_commands_only(self) -> None:
        for name, known in self.socketless.state.coordinator.jobs.items():
            telling = self.socketless.state.sessions[name].telling
            told = [number for number, each in telling.items() if each.message["kind"] == "resize"]
            assert sorted(told) == sorted(known.commands)

    def teardown(self) -> None:
        self.socketless.close()


TestAnyMessages = AnyMessages.TestCase
TestAnyMessages.settings = settings(deadline=None, max_examples=60, stateful_step_count=40)
