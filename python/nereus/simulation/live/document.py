# SPDX-License-Identifier: BSD-3-Clause
"""What a live study came to, as one document, and the files of it in the study's folder."""

import json
import socket
from collections.abc import Mapping
from typing import Any

from nereus.launch import Build, cores
from nereus.simulation.jobs import Result
from nereus.simulation.live import summary
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.jobs import EMULATED, kind_of
from nereus.simulation.live.making import Made
from nereus.simulation.live.model import Study
from nereus.simulation.live.plan import Planned

JSON, PICTURE = "live.json", "live.png"
#: What is simulated beside runs of each mode: only live studies have scaled sizes and times.
_SIMULATED = {"live": "simulated (scaled)", "emulated": "simulated"}


def document_of(study: Study, build: Build, made: Made) -> dict[str, Any]:
    """All that is told of it (docs/reference/io-study.md)."""
    live = summary.with_changes(summary.policies_of(made.live))
    simulated = summary.with_changes(summary.policies_of(made.simulated))
    kind = study.live.store if study.writes else "none"
    limit = study.scenario.storage.bandwidth if kind == "limited" else None
    return {
        "mode": mode_of(study),
        "name": study.name,
        "host": socket.gethostname(),
        "cores": cores(),
        "mpi": build.name,
        "library": build.library_version,
        "compute": {job.name: kind_of(study.live, job).word for job in study.scenario.jobs},
        "store": {"kind": kind, "bandwidth": limit},
        "repetitions": study.live.repetitions,
        "policies": live,
        "simulated": {"mode": _SIMULATED[mode_of(study)], "policies": simulated},
        "paper": study.live.paper,
        "table": summary.table(live, simulated, study.live.paper),
        "runs": [_run(planned, result) for planned, result in made.live.items()],
        "failed": [{"run": planned.name, "reason": why} for planned, why in made.failed.items()],
    }


def mode_of(study: Study) -> str:
    """What its runs are; where jobs of several kinds run, the word for the least exact."""
    kinds = {kind_of(study.live, job) for job in study.scenario.jobs}
    return "emulated" if kinds == {EMULATED} else "live"


def write_files(document: Mapping[str, Any], made: Made, kept: Folder) -> None:
    """The document, and a picture of the first repetition where there is one."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    (kept.place / JSON).write_text(text, encoding="utf-8")
    first = [planned for planned in made.live if planned.repetition == 1]
    if first:
        from nereus.simulation.jobs.picture import draw  # matplotlib takes long to import

        draw([made.live[planned] for planned in first], kept.place / PICTURE, f"time (s), {document['mode']}")


def _run(planned: Planned, result: Result) -> dict[str, Any]:
    about = {"policy": planned.policy, "delay_seconds_of_start": planned.delay}
    return {"run": planned.name, **about, "repetition": planned.repetition, "result": result.document()}
