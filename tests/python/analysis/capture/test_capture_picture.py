# SPDX-License-Identifier: BSD-3-Clause
"""The picture of an iteration says how long it took and of how many it is, and shows what the ranks did."""

from pathlib import Path
from typing import Any

from calls_of import Call, write_all
from matplotlib.colors import to_hex

from nereus.analysis.capture import Wishes, capture, read_traces
from nereus.analysis.capture.picture import figure

SENDS = [Call("Send", 400e-6, 100e-6, 4000), Call("Recv", 0.0, 300e-6, 4000)]
SUMS = [Call("Allreduce", 3e-3, 1e-3)]


def drawn(folder: Path, calls: list[Call]) -> Any:
    traces = read_traces(write_all(folder, [calls] * 2))
    return figure(traces, capture(traces, Wishes("captured")))


def colours(made: Any) -> dict[str, str]:
    legend = made.axes[0].get_legend()
    texts = [text.get_text() for text in legend.get_texts()]
    return {
        text: to_hex(patch.get_facecolor()) for text, patch in zip(texts, legend.get_patches(), strict=True)
    }


def test_title_and_axis_tell_the_time_of_the_iteration(tmp_path: Path) -> None:
    (axes,) = drawn(tmp_path, SUMS * 50).axes
    assert axes.get_title(loc="left") == "captured: 4.00 ms, the median of 50 iterations"
    assert abs(axes.get_xlim()[1] - 4e-3) < 1e-6
    assert axes.get_xlabel() == "time since the iteration began [ms]"
    assert axes.xaxis.get_major_formatter()(2e-3, 0) == "2"


def test_legend_has_what_is_shown_in_the_same_colours_in_all_pictures(tmp_path: Path) -> None:
    for name in ("sends", "both"):
        (tmp_path / name).mkdir()
    sends = colours(drawn(tmp_path / "sends", SENDS * 50))
    both = colours(drawn(tmp_path / "both", [*SENDS, *SUMS] * 50))
    assert list(sends) == ["compute", "messages"]
    assert list(both) == ["compute", "messages", "collectives"]
    assert sends.items() <= both.items()
