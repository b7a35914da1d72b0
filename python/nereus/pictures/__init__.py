# SPDX-License-Identifier: BSD-3-Clause
"""How pictures show things: colours, hatches and lines that people with any colour vision tell apart.

In:  the number of a thing, the same in all pictures that belong together.
Out: keywords for matplotlib. What is drawn is for whoever asks.
"""

from typing import Any

#: After Okabe and Ito 2008.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6A3D9A", "#4D4D4D")
#: Of the first eight areas, of the next eight, and so on.
HATCHES = ("", "//", "..", "xx")
#: Lines differ without colours, too: so many of each that neither comes again with the other soon.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p")
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (1.2, 1.2), (6, 1.5, 1.2, 1.5), (2.5, 1.2))


def area(number: int) -> dict[str, Any]:
    """Of a bar, a square or a band."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": COLOURS[number % len(COLOURS)], "hatch": hatch, "edgecolor": "white", "lw": 0.4}


def line(number: int) -> dict[str, Any]:
    """Of a line with so many points that marks would cover it."""
    dashes = DASHES[number % len(DASHES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": (0, dashes) if dashes else "-"}


def marked_line(number: int) -> dict[str, Any]:
    """Of a line whose points have marks."""
    return {**line(number), "marker": MARKERS[number % len(MARKERS)]}


def written_on(number: int) -> dict[str, Any]:
    """Of a text in an area: black or white, whichever is read better, over a ground without a hatch."""
    from matplotlib.colors import to_rgb

    colour = COLOURS[number % len(COLOURS)]
    red, green, blue = to_rgb(colour)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return {
        "color": "black" if light > 0.4 else "white",
        "bbox": {"facecolor": colour, "edgecolor": "none", "pad": 0.6},
    }
