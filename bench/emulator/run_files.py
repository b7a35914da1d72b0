# SPDX-License-Identifier: BSD-3-Clause
"""Run files of nereus-emulator (docs/formats/run.md) that benches make: phases of one stage, no data."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Document = dict[str, Any]


def phase(stage_type: str, iterations: int, seconds: float = 0.0, bytes_of_all: int = 0) -> Document:
    stage = {"type": stage_type, "seconds": seconds, "bytes": bytes_of_all, "granularity": 600}
    stage |= {"capped": False, "id": None, "ranks": 0}
    return {"iterations": iterations, "stages": [stage]}


def group(ranks: int, iterations: int) -> Document:
    methods = {"process_method": "merge", "process_strategies": []}
    methods |= {"transfer_method": "p2p", "transfer_strategy": "blocking"}
    return {"iterations": iterations, "ranks": ranks, "factor": 1.0, "placement": "compact", **methods}


def run_file(name: str, capture: str, phases: Sequence[Document], groups: Sequence[Document]) -> Document:
    return {
        "format": "nereus-run",
        "version": 1,
        "name": name,
        "seed": 1,
        "barrier": False,
        "capture": capture,
        "verify": False,
        "data": {"constant_bytes": 0, "variable_bytes": 0, "element_bytes": 8},
        "weights": [1.0],
        "phases": list(phases),
        "groups": list(groups),
    }


def emulate(start: Sequence[str], program: str, run: Document, folder: str, timeout: float) -> list[Document]:
    """The events of the run, which begins with the ranks of its first group."""
    source, results = Path(folder, "run.json"), Path(folder, "run.jsonl")
    source.write_text(json.dumps({**run, "scratch": folder}))
    line = [*start, "-n", str(run["groups"][0]["ranks"]), program, str(source), "--results", str(results)]
    subprocess.run(line, check=True, timeout=timeout)
    return [json.loads(text) for text in results.read_text().splitlines()]
