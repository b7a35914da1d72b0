# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard and the rules ask for metrics that the daemon has, and other programs read them."""

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from nereus.daemon.metrics import Figures

PACKAGING = Path(__file__).parents[3] / "packaging"
RULES = PACKAGING / "prometheus" / "nereus.rules.yml"
DASHBOARD = PACKAGING / "grafana" / "nereus.json"


def answer_of(figures: Figures) -> list[Any]:
    text = generate_latest(figures.registry).decode()  # type: ignore[no-untyped-call]
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def known_series() -> set[str]:
    """Names of all that a daemon answers with: a counter of which nothing has happened has no series."""
    families = answer_of(Figures())
    counters = {f"{family.name}_total" for family in families if family.type == "counter"}
    return counters | {sample.name for family in families for sample in family.samples}


def asked_for(expression: str) -> set[str]:
    return set(re.findall(r"\bnereus_\w+", expression))


@pytest.fixture
def dashboard() -> Any:
    return json.loads(DASHBOARD.read_text())


@pytest.fixture
def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def test_dashboard_asks_for_metrics_of_the_daemon(dashboard: Any) -> None:
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    asked = set().union(*(asked_for(target["expr"]) for panel in panels for target in panel["targets"]))
    assert len(panels) == 12
    assert asked <= known_series()
    gauges = {name for name in known_series() if not re.search(r"_(bucket|count|sum|created)$", name)}
    former = {"nereus_communication_share", "nereus_package_joules", "nereus_package_energy_joules_total"}
    unseen = {"nereus_turns_total", "nereus_commands_pending", "nereus_store_writable"}
    assert gauges - asked == former | unseen, "what is in no panel is meant to be"


def test_panels_have_titles_units_and_a_place_of_their_own(dashboard: Any) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        assert panel["title"]
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells
        if panel["type"] != "row":
            assert panel["description"].endswith(".")
            assert panel["fieldConfig"]["defaults"]["unit"]
            letters = [target["refId"] for target in panel["targets"]]
            assert letters == sorted(set(letters)) and "" not in letters


def test_dashboard_is_what_its_script_makes() -> None:
    pytest.importorskip("grafana_foundation_sdk")
    made = runpy.run_path(str(PACKAGING / "grafana" / "make_dashboard.py"))
    from grafana_foundation_sdk.cog.encoder import JSONEncoder

    text = JSONEncoder(sort_keys=True, indent=2).encode(made["dashboard"]())
    assert DASHBOARD.read_text() == text + "\n"


def test_rules_ask_for_metrics_of_the_daemon(rules: list[dict[str, Any]]) -> None:
    recorded = {rule["record"] for rule in rules if "record" in rule}
    for rule in rules:
        assert asked_for(rule["expr"]) <= known_series()
        assert set(re.findall(r"\bnereus:[\w:]+", rule["expr"])) <= recorded


def test_each_alert_says_what_happens_and_is_in_the_how_to(rules: list[dict[str, Any]]) -> None:
    page = (PACKAGING.parent / "docs" / "howto" / "dashboards.md").read_text()
    alerts = [rule for rule in rules if "alert" in rule]
    assert len(alerts) == 7
    for alert in alerts:
        assert set(alert["annotations"]) == {"summary", "description"}
        assert alert["labels"]["severity"] in ("warning", "critical")
        assert f"| `{alert['alert']}` |" in page


@pytest.mark.parametrize(
    "words",
    [
        ("check", "config", "prometheus.yml"),
        ("check", "rules", "nereus.rules.yml"),
        ("test", "rules", "nereus.rules.test.yml"),
    ],
)
def test_promtool_accepts_configuration_and_rules(words: tuple[str, ...]) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool, of the Debian package prometheus, is not installed")
    done = subprocess.run(
        [promtool, *words],
        cwd=PACKAGING / "prometheus",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_former_names_of_metrics_have_the_same_values() -> None:
    figures = Figures()
    now = dict.fromkeys(figures.now, 0.0)
    del now["communication_ratio"]
    figures.are({**now, "communication_share": 0.25, "package_joules": 30.0})
    figures.are({**now, "communication_share": 0.25, "package_joules": 50.0})
    figures.are({**now, "communication_share": 0.25, "package_joules": float("nan")})
    samples = {sample.name: sample.value for family in answer_of(figures) for sample in family.samples}
    assert samples["nereus_communication_ratio"] == samples["nereus_communication_share"] == 0.25
    assert samples["nereus_package_energy_joules_total"] == 50.0
