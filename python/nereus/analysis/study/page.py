# SPDX-License-Identifier: BSD-3-Clause
"""The report of a study as one HTML page that needs no other file, and its pictures as PNG files."""

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nereus.analysis.report.units import p_text, ratio_text, seconds_text
from nereus.analysis.study.figures import Chart, charts, draw, notes

DPI = 110


def write_page(document: Mapping[str, Any], path: Path) -> None:
    """Write the page; pictures are part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(document), encoding="utf-8")


def write_pictures(document: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write one PNG for each figure that the study has values for; the paths of what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for chart in charts(document):
        paths.append(folder / f"{chart.name}.png")
        paths[-1].write_bytes(_png(chart))
    return paths


def page(document: Mapping[str, Any]) -> str:
    """The page's text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("nereus.analysis.study", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"seconds": seconds_text, "ratio": ratio_text, "p": p_text}
    pictures = [_picture(chart) for chart in charts(document)]
    template = environment.get_template("page.html")
    tables = {"resized": _resized(document["cells"]), "over_real": _over_real(document)}
    return str(template.render(study=document, pictures=pictures, **tables))


def _over_real(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each load, with and without a resize: of these the papers tell different figures."""
    return [
        {"load": load, "what": what, "over": own, "papers": _of_papers(document, load, part)}
        for load, over in document["emulated_over_real"].items()
        if over is not None
        for part, what, own in (
            ("fixed", "no resize", over["fixed"]),
            ("resized", "a resize", over["resized"]),
            ("all", "either", over),
        )
        if own is not None
    ]


def _of_papers(document: Mapping[str, Any], load: str, part: str) -> str:
    found = [paper for paper in document["papers"] if paper["figure"] == "emulated_over_real"]
    own = [paper for paper in found if (paper["load"], paper["part"]) == (load, part)]
    return "; ".join(f"{paper['text']} ({paper['source']})" for paper in own)


def _picture(chart: Chart) -> dict[str, Any]:
    return {"chart": chart, "notes": notes(chart), "png": base64.b64encode(_png(chart)).decode()}


def _resized(cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [cell for cell in cells if cell["variant"] is not None]


def _png(chart: Chart) -> bytes:
    sink = io.BytesIO()
    draw(chart).savefig(sink, format="png", dpi=DPI)
    return sink.getvalue()
