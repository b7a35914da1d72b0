# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: turns and cores that stay in order while messages are lost, doubled and late.

Jobs here keep what they know for themselves, as real ones do; what they say goes into a bag, from which it
is taken in any order, more than once, or never.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from nereus.coordinator.coordination import Cancel, Coordinator, Effect, Start
from nereus.coordinator.known_jobs import About, Command
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME, Fair, IoSets
from nereus.policy.prediction import IoPhase
from nereus.policy.turns import Grant, OneByOne

HOSTS = {"h1": 6, "h2": 6}
NAMES = "abcd"
EXAMPLES = 150
TUNED = Parameters(lease=10.0, silence=40.0, cool_down_seconds=15.0, settle=2.0)


class Restless(Policy):
    """Lends, grows and shrinks without end."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        turn = int(state.now) % 3
        made = []
        for job in state.jobs:
            if turn == 0:
                made.append(Resize(job.name, job.ranks + 2, "", job.iteration + 2, job.iteration + 5))
            else:
                made.append(Resize(job.name, job.ranks + (1 if turn == 1 else -1), ""))
        return made


@dataclass
class Talker:
    """A job: what it has, what it was told, what it is doing."""

    name: str
    places: dict[str, int]
    iteration: int = 0
    phase: int = 0
    came: bool = False
    asked: bool = False
    epoch: int = 0
    last_command: int = 0
    told: dict[int, Command] = field(default_factory=dict)
    answers: list["Message"] = field(default_factory=list)

    @property
    def ranks(self) -> int:
        return sum(self.places.values())


Message = Callable[[float], Sequence[Effect]]


class Everything(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.coordinator = Coordinator(Restless(), HOSTS, TUNED)
        self.jobs: dict[str, Talker] = {}
        self.bag: list[tuple[str, Message]] = []  # and whose
        self.epochs: list[int] = []
        self.commands: list[int] = []
        self.beyond_its_cores = self.crowded = False

    @initialize(
        policy=st.sampled_from([Restless, Restless, Restless, Fair, IoSets, BY_NAME["strategy-fair"]]),
        crowded=st.booleans(),
    )
    def two_jobs_run(self, policy: Callable[[], Policy], crowded: bool) -> None:
        """`crowded`: others come unasked."""
        self.coordinator, self.crowded = Coordinator(policy(), HOSTS, TUNED), crowded
        for name in "ab":
            self.receive(self.coordinator.wants(name, 2, self.now))
            self.receive(self.coordinator.came(About(name, dict(self.jobs[name].places), 10), self.now))

    def receive(self, effects: Sequence[Effect]) -> None:
        for each in effects:
            if isinstance(each, Grant) and each.epoch not in self.epochs:
                assert each.epoch > max(self.epochs, default=0)
                self.epochs.append(each.epoch)
            if isinstance(each, Command):
                assert each.number > max(self.commands, default=0)
                self.commands.append(each.number)
            if isinstance(each, Start):
                self.jobs[each.job] = Talker(each.job, dict(each.places))
            elif each.job in self.jobs:
                self.told(self.jobs[each.job], each)

    def told(self, job: Talker, each: Effect) -> None:
        if isinstance(each, Grant) and job.asked:
            job.epoch = each.epoch
        elif isinstance(each, Command):
            job.told[each.number] = each
        elif isinstance(each, Cancel):
            job.told.pop(each.number, None)

    def say(self, job: str, message: Message) -> None:
        self.bag.append((job, message))

    def draw(self, data: Any) -> Talker:
        return self.jobs[data.draw(st.sampled_from(sorted(self.jobs)))]

    @rule(name=st.sampled_from(NAMES), ranks=st.integers(1, 12))
    def a_job_wants_to_start(self, name: str, ranks: int) -> None:
        if name not in self.jobs:
            self.receive(self.coordinator.wants(name, ranks, self.now))

    @precondition(lambda self: self.crowded)
    @rule(name=st.sampled_from(NAMES), host=st.sampled_from([*HOSTS, "h9"]), ranks=st.integers(1, 8))
    def a_job_comes_unasked(self, name: str, host: str, ranks: int) -> None:
        if name not in self.jobs:
            self.jobs[name] = Talker(name, {host: ranks})
            self.beyond_its_cores = True
            self.receive(self.coordinator.came(About(name, {host: ranks}, 10), self.now))

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), iterations=st.integers(1, 4))
    def compute(self, data: Any, iterations: int) -> None:
        job = self.draw(data)
        job.iteration += iterations
        name, ranks, at = job.name, job.ranks, job.iteration
        about = About(name, dict(job.places), 10, iteration=at)
        self.say(name, lambda now: self.coordinator.came(about, now))
        self.say(name, lambda now: self.coordinator.heard(name, now, at))
        self.say(name, lambda now: self.coordinator.measured(name, ranks, 12.0 / ranks, now))

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def ask(self, data: Any) -> None:
        job = self.draw(data)
        if not job.asked:
            job.phase, job.asked, job.epoch = job.phase + 1, True, 0
        name, number, at = job.name, job.phase, job.iteration
        self.say(name, lambda now: self.coordinator.asks_to_write(name, number, at, now))

    @precondition(lambda self: any(job.asked for job in self.jobs.values()))
    @rule(data=st.data(), seconds=st.floats(0, 3))
    def write(self, data: Any, seconds: float) -> None:
        job = self.jobs[data.draw(st.sampled_from(sorted(n for n, job in self.jobs.items() if job.asked)))]
        job.asked = False
        name, number, epoch = job.name, job.phase, job.epoch
        phase = IoPhase(self.now, 0.0, seconds, job.iteration, job.ranks)
        self.now += seconds
        self.say(name, lambda now: self.coordinator.wrote(name, number, epoch, phase, now))

    @precondition(lambda self: any(job.told for job in self.jobs.values()))
    @rule(data=st.data(), how=st.sampled_from(["done", "done", "refused"]))
    def obey(self, data: Any, how: str) -> None:
        job = self.jobs[data.draw(st.sampled_from(sorted(n for n, job in self.jobs.items() if job.told)))]
        self.carry_out(job, how)

    def carry_out(self, job: Talker, how: str = "done") -> None:
        command = job.told.pop(min(job.told))
        name, number = job.name, command.number
        if number <= job.last_command:
            return
        job.last_command = number
        if how == "refused":
            self.answer(job, lambda now: self.coordinator.refused(name, number, "", now))
            return
        job.iteration = max(job.iteration, command.at or 0)
        self.resize(job, command.ranks)
        places, at = dict(job.places), job.iteration
        self.answer(job, lambda now: self.coordinator.resized(name, number, places, at, now, 0.5))

    def answer(self, job: Talker, message: Message) -> None:
        """It is said again until it is noted."""
        job.answers.append(message)
        self.say(job.name, message)

    def resize(self, job: Talker, ranks: int) -> None:
        """On hosts that it chooses for itself, within those that the books have for it where it grows."""
        if ranks > job.ranks:
            books = self.coordinator.places(job.name)
            if sum(books.values()) >= ranks:
                job.places = dict(books)
            else:
                job.places = {**job.places, "h1": job.places.get("h1", 0) + ranks - job.ranks}
                self.beyond_its_cores = True
        while job.ranks > ranks:
            host = max(job.places, key=lambda each: job.places[each])
            job.places[host] -= 1

    @precondition(lambda self: self.bag)
    @rule(data=st.data(), again=st.booleans())
    def a_message_comes(self, data: Any, again: bool) -> None:
        index = data.draw(st.integers(0, len(self.bag) - 1))
        _, message = self.bag[index] if again else self.bag.pop(index)
        self.receive(message(self.now))

    @precondition(lambda self: self.bag)
    @rule(data=st.data())
    def a_message_is_lost(self, data: Any) -> None:
        self.bag.pop(data.draw(st.integers(0, len(self.bag) - 1)))

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def end(self, data: Any) -> None:
        job = self.draw(data)
        del self.jobs[job.name]
        self.bag = [each for each in self.bag if each[0] != job.name]  # its line is closed
        self.receive(self.coordinator.ended(job.name, self.now))

    @rule(seconds=st.floats(0, 30))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.receive(self.coordinator.look(self.now))
        due = self.coordinator.due
        assert due is None or due > self.now, "it looks when it is due, and then that is done"

    @rule()
    def every_waiting_job_gets_a_turn(self) -> None:
        """From any state: when what jobs want is said often enough, each that waits has its turn."""
        for name, job in self.jobs.items():
            if name not in self.coordinator.jobs:
                self.receive(self.coordinator.came(About(name, dict(job.places), 10), self.now))
        for name, job in self.jobs.items():
            if job.asked:
                self.receive(self.coordinator.asks_to_write(name, job.phase, job.iteration, self.now))
        waiting = {name for name, job in self.jobs.items() if job.asked and not job.epoch}
        for _ in range(2 * len(NAMES)):
            self.now += TUNED.lease
            for name in self.jobs:
                self.receive(self.coordinator.heard(name, self.now - 0.5 * TUNED.lease))
            self.receive(self.coordinator.look(self.now))
            for job in self.jobs.values():
                if job.epoch and job.asked:
                    job.asked = False
                    phase = IoPhase(self.now, 0.0, 0.0, job.iteration, job.ranks)
                    self.receive(self.coordinator.wrote(job.name, job.phase, job.epoch, phase, self.now))
        assert not [name for name in waiting if self.jobs[name].asked]

    @invariant()
    def turns_are_in_order(self) -> None:
        if isinstance(self.coordinator._policy.order, OneByOne):
            assert len(self.coordinator.turns.writing) <= 1
        assert self.coordinator.turns.writing or not self.coordinator.turns.waiting

    @invariant()
    def no_core_is_lost_and_none_is_given_twice(self) -> None:
        self.note_forgotten_jobs()
        held: dict[str, int] = {}
        for name in {*self.jobs, *self.coordinator.jobs}:
            for host, cores in self.coordinator.places(name).items():
                assert cores > 0
                held[host] = held.get(host, 0) + cores
        free = sum(max(0, cores - held.get(host, 0)) for host, cores in HOSTS.items())
        assert self.coordinator.free == free
        if not self.beyond_its_cores:
            assert all(held.get(host, 0) <= cores for host, cores in HOSTS.items())

    def note_forgotten_jobs(self) -> None:
        """It is there, though its cores were free for a while."""
        for name, job in self.jobs.items():
            known = name in self.coordinator.jobs
            self.beyond_its_cores |= job.came and not known
            job.came |= known

    @invariant()
    def promised_cores_stay_reserved(self) -> None:
        for name, known in self.coordinator.jobs.items():
            promised = max([known.ranks, *(each.ranks for each in known.commands.values())])
            assert sum(self.coordinator.places(name).values()) >= promised or self.beyond_its_cores

    def teardown(self) -> None:
        """When nothing more is decided, and all is said and done, the books are as the jobs are."""
        self.coordinator._policy = Policy()
        for name, job in self.jobs.items():
            if name not in self.coordinator.jobs:
                about = About(name, dict(job.places), 10, iteration=job.iteration)
                self.receive(self.coordinator.came(about, self.now))
        for _ in range(6):
            self.now += TUNED.cool_down_seconds
            for job in list(self.jobs.values()):
                self.receive(self.coordinator.heard(job.name, self.now))
                while job.told:
                    self.carry_out(job)
                for message in job.answers:
                    self.receive(message(self.now))
            self.receive(self.coordinator.look(self.now))
        for name, known in self.coordinator.jobs.items():
            assert not known.commands
            assert known.ranks == self.jobs[name].ranks
            places = {host: cores for host, cores in self.jobs[name].places.items() if cores > 0}
            assert self.coordinator.places(name) == places

    @invariant()
    def job_has_one_pending_change_at_a_time(self) -> None:
        for known in self.coordinator.jobs.values():
            assert len(known.commands) <= 2
            assert [*known.commands] == sorted(known.commands)


Everything.TestCase.settings = settings(max_examples=EXAMPLES, stateful_step_count=40, deadline=None)
TestEverything = Everything.TestCase
