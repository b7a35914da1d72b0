# SPDX-License-Identifier: BSD-3-Clause
"""Makes nereus.json, the dashboard of the daemon's metrics, with Grafana's own Python package.

Example: python packaging/grafana/make_dashboard.py > packaging/grafana/nereus.json
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from grafana_foundation_sdk.builders.dashboard import Dashboard, DatasourceVariable, Row
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.timeseries import Panel
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DataSourceRef

_SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
_HEIGHT, _WIDTH = 8, 12  # of 24 columns


@dataclass(frozen=True)
class Chart:
    """A panel: what it shows, and the lines in it by name."""

    title: str
    description: str
    unit: str  # as Grafana calls it
    lines: Sequence[tuple[str, str]]  # name, expression


ROWS: Sequence[tuple[str, Sequence[Chart]]] = (
    (
        "Jobs and cores",
        (
            Chart(
                "Jobs",
                "Jobs that the daemon knows, and those that wait.",
                "short",
                (
                    ("known", "nereus_jobs"),
                    ("waiting for cores", "nereus_jobs_waiting_for_cores"),
                    ("waiting to write", "nereus_jobs_waiting_to_write"),
                    ("writing", "nereus_jobs_writing"),
                ),
            ),
            Chart(
                "Cores",
                "Cores that the daemon gives out: those of jobs, and free ones.",
                "short",
                (("of jobs", "nereus_cores - nereus_cores_free"), ("free", "nereus_cores_free")),
            ),
            Chart(
                "Ranks",
                "Ranks of all jobs together.",
                "short",
                (("ranks", "nereus_ranks"),),
            ),
            Chart(
                "Resizes",
                "Resizes in an hour by their outcome: commanded and done, of the job's own, refused.",
                "short",
                (("{{outcome}}", "sum by (outcome) (increase(nereus_resizes_total[1h]))"),),
            ),
        ),
    ),
    (
        "I/O",
        (
            Chart(
                "Wait for a turn to write",
                "Half and 95 % of the I/O phases of the last hour waited no longer.",
                "s",
                tuple(
                    (name, f"histogram_quantile({share}, rate(nereus_io_wait_seconds_bucket[1h]))")
                    for name, share in (("median", 0.5), ("95 %", 0.95))
                ),
            ),
            Chart(
                "Bandwidth",
                "Bytes of I/O phases that ended, a second, over 5 minutes.",
                "Bps",
                (("bytes a second", "rate(nereus_io_bytes_total[5m])"),),
            ),
            Chart(
                "I/O phases",
                "Phases that ended in an hour, and turns taken back from silent jobs.",
                "short",
                (
                    ("phases", "increase(nereus_io_phases_total[1h])"),
                    ("turns taken back", "increase(nereus_turns_lost_total[1h])"),
                ),
            ),
            Chart(
                "Time in I/O phases",
                "Half and 95 % of the I/O phases of the last hour took no longer, without their waits.",
                "s",
                tuple(
                    (name, f"histogram_quantile({share}, rate(nereus_io_service_seconds_bucket[1h]))")
                    for name, share in (("median", 0.5), ("95 %", 0.95))
                ),
            ),
        ),
    ),
    (
        "Efficiency",
        (
            Chart(
                "Operations",
                "Floating-point operations a second, of jobs that count them.",
                "short",
                (("flop/s", "nereus_flops"),),
            ),
            Chart(
                "Communication",
                "Share of the time of ranks, of jobs that mark stages.",
                "percentunit",
                (("communication", "nereus_communication_ratio"),),
            ),
            Chart(
                "Power",
                "Of the processor packages of the daemon's host, where the kernel counts it.",
                "watt",
                (("packages", "nereus_package_watts"),),
            ),
            Chart(
                "Messages",
                "Of jobs to the daemon, a second by kind, and those that were dropped, by reason.",
                "short",
                (
                    ("{{kind}}", "sum by (kind) (rate(nereus_messages_total[5m]))"),
                    ("dropped: {{reason}}", "sum by (reason) (rate(nereus_messages_dropped_total[5m]))"),
                ),
            ),
        ),
    ),
)


def dashboard() -> Any:
    """The whole, as Grafana's package has it."""
    made = (
        Dashboard("Nereus daemon")
        .uid("nereus-daemon")
        .description("Jobs, cores, I/O turns and resizes of a Nereus daemon (nereus daemon --metrics).")
        .tags(["nereus", "mpi"])
        .refresh("30s")
        .time("now-6h", "now")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .readonly()
        .with_variable(DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    for title, charts in ROWS:
        made = made.with_row(Row(title))
        for chart in charts:
            made = made.with_panel(_panel(chart))
    return made.build()


def _panel(chart: Chart) -> Panel:
    panel = (
        Panel()
        .title(chart.title)
        .description(chart.description)
        .unit(chart.unit)
        .min(0)
        .datasource(_SOURCE)
        .height(_HEIGHT)
        .span(_WIDTH)
    )
    for letter, (name, expression) in zip(ascii_uppercase, chart.lines, strict=False):
        query = Dataquery().expr(expression).legend_format(name).datasource(_SOURCE).ref_id(letter)
        panel = panel.with_target(query)
    return panel


def main() -> None:
    """Print it."""
    sys.stdout.write(JSONEncoder(sort_keys=True, indent=2).encode(dashboard()) + "\n")


if __name__ == "__main__":
    main()
