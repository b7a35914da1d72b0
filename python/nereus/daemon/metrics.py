# SPDX-License-Identifier: BSD-3-Clause
"""Figures about all jobs together, as OpenMetrics on this host; none names a job, since others may look."""

from collections.abc import Callable, Mapping
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from nereus.daemon.metrics_server import open_metrics_server
from nereus.policy.prediction import IoPhase

_SECONDS = (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800)


class Figures:
    """Each has its registry, so that several daemons can be in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        gauge = partial(Gauge, namespace="nereus", registry=self.registry)
        counter = partial(Counter, namespace="nereus", registry=self.registry)
        seconds = partial(
            Histogram, namespace="nereus", registry=self.registry, unit="seconds", buckets=_SECONDS
        )
        self.now = {
            name: gauge(name, text)
            for name, text in (
                ("jobs", "Jobs that are known."),
                ("ranks", "Ranks of all jobs."),
                ("cores", "Cores that are given out."),
                ("cores_free", "Free cores."),
                ("jobs_waiting_to_write", "Jobs that wait for their turn."),
                ("jobs_writing", "Jobs that have a turn."),
                ("jobs_waiting_for_cores", "Jobs that wait to start."),
                ("commands_pending", "Resizes commanded and not done."),
                ("store_writable", "1 if the store can be written, otherwise 0."),
                ("flops", "Floating-point operations in a second, of all jobs that count them."),
                ("communication_ratio", "Share of the time of ranks; NaN if no job marks it."),
                ("communication_share", "The former name of nereus_communication_ratio."),
                ("package_watts", "Power of this host's processor packages; NaN if it is not known."),
                ("package_joules", "The former name of nereus_package_energy_joules_total."),
            )
        }
        self._energy = counter(
            "package_energy",
            "Energy that this host's processor packages used since the daemon began.",
            unit="joules",
        )
        self._joules = 0.0
        self.turns = counter("turns", "Turns that were given.")
        self.turns_lost = counter("turns_lost", "Turns taken back because their job sent no message.")
        self.messages = counter("messages", "Messages of jobs, by kind.", ["kind"])
        self.dropped = counter("messages_dropped", "Dropped messages, by reason.", ["reason"])
        self._counted: dict[tuple[Counter, str], int] = {}
        self._resizes = counter("resizes", "Resizes, by their outcome.", ["outcome"])
        self._phases = counter("io_phases", "I/O phases that have ended.")
        self._bytes = counter("io", "Bytes of I/O phases that have ended.", unit="bytes")
        self._wait = seconds("io_wait", "For a turn.")
        self._service = seconds("io_service", "Of an I/O phase.")

    def wrote(self, phase: IoPhase, size: int) -> None:
        self._phases.inc()
        self._bytes.inc(size)
        self._wait.observe(phase.wait)
        self._service.observe(phase.service)

    def resized(self, by: str) -> None:
        self._resizes.labels("own" if by == "job" else "done").inc()

    def refused(self) -> None:
        self._resizes.labels("refused").inc()

    def counted(self, heard: Mapping[str, int], dropped: Mapping[str, int]) -> None:
        """All messages since the beginning."""
        for counter, all_of_them in ((self.messages, heard), (self.dropped, dropped)):
            for label, number in all_of_them.items():
                counter.labels(label).inc(number - self._counted.get((counter, label), 0))
                self._counted[counter, label] = number

    def are(self, now: Mapping[str, float]) -> None:
        for name, value in now.items():
            self.now[name].set(value)
        self.now["communication_ratio"].set(now["communication_share"])
        if now["package_joules"] > self._joules:  # not where it is not known
            self._energy.inc(now["package_joules"] - self._joules)
            self._joules = now["package_joules"]

    def serve(self, port: int, tell: Callable[[str], None]) -> tuple[int, Callable[[], None]]:
        """Answer there; the port, which the system chooses for 0, and what ends it."""
        server = open_metrics_server(port, self.registry, tell)
        return int(server.server_port), server.end
