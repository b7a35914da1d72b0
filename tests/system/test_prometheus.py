# SPDX-License-Identifier: BSD-3-Clause
"""A real Prometheus asks a real daemon, with our configuration and our rules."""

import json
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_daemon import daemon

from conftest import Site, wait_until

OURS = Path(__file__).parents[2] / "packaging" / "prometheus"


@pytest.fixture
def program() -> str:
    found = shutil.which("prometheus")
    if found is None:
        pytest.skip("prometheus is not installed: the Debian package prometheus has it")
    return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def prometheus(program: str, folder: Path, target: str) -> Iterator[str]:
    """Where it answers. It asks the target each second."""
    configuration = yaml.safe_load((OURS / "prometheus.yml").read_text())
    configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    configuration["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    shutil.copy(OURS / "nereus.rules.yml", folder)
    place = f"127.0.0.1:{free_port()}"
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen([program, *options, f"--web.listen-address={place}"], stderr=log)
    try:
        yield f"http://{place}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def asked(place: str, expression: str) -> list[Any]:
    """Values of the series that it finds."""
    query = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"{place}/api/v1/query?{query}", timeout=10) as answer:
            return [series["value"][1] for series in json.load(answer)["data"]["result"]]
    except OSError:
        return []


def test_prometheus_reads_the_daemon_and_records_its_figures(site: Site, program: str) -> None:
    with daemon(site, "--cores", "4", "--metrics", "0") as running:
        wait_until(lambda: "metrics: http://" in running.log.read_text())
        line = next(line for line in running.log.read_text().splitlines() if line.startswith("metrics: "))
        target = urllib.parse.urlsplit(line.split()[1]).netloc
        with prometheus(program, site.folder, target) as place:
            wait_until(lambda: asked(place, 'up{job="nereus"}') == ["1"], limit=60)
            wait_until(lambda: asked(place, "nereus:cores_used:ratio") == ["0"], limit=60)
            assert asked(place, "nereus_cores") == ["4"]
            assert asked(place, 'ALERTS{alertname=~"Nereus.*"}') == []
