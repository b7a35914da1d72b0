# SPDX-License-Identifier: BSD-3-Clause
"""What a reader would lose: things in a picture that are told apart, also without colours."""

from typing import Any

from matplotlib.colors import to_rgb

from nereus.pictures import COLOURS, HATCHES, area, line, marked_line, written_on


def distinct(looks: list[Any]) -> int:
    return len(set(map(str, looks)))


def test_as_many_areas_as_a_study_has_variants_look_different() -> None:
    number = len(COLOURS) * len(HATCHES)
    assert distinct([area(each) for each in range(number)]) == number > 24


def test_lines_of_neighbours_differ_without_colours() -> None:
    dashes = [line(number)["linestyle"] for number in range(5)]
    marked = [{**marked_line(number), "color": None} for number in range(16)]
    assert (distinct(dashes), distinct(marked)) == (5, 16)


def test_text_in_an_area_is_read_on_its_colour() -> None:
    for number, colour in enumerate(COLOURS):
        look = written_on(number)
        lights = sorted(luminance(each) for each in (look["color"], colour))
        assert (lights[1] + 0.05) / (lights[0] + 0.05) > 4.5  # as the WCAG has it, level AA
        assert look["bbox"]["facecolor"] == colour


def luminance(colour: str) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
