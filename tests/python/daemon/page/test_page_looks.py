# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what can be read, on a telephone and a screen, in light and dark."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from a_browser import Pixels, Tab
from a_page import Served, Told, history

from nereus.daemon.page.source import Source

Serve = Callable[..., Served]
WIDTHS = [390, 768, 1280]
SCHEMES = ["light", "dark"]
LONG = "./" + "a-long-name-" * 12 + " --option value"
LEAST_CONTRAST = 4.5  # of texts, WCAG 2.2 AA
LEAST_CONTRAST_OF_MARKS = 3.0
LEAST_TARGET = 24  # px, WCAG 2.2 AA
LEAST_DIFFERENCE = 10.0  # of two colours, in CIELAB; 2.3 is just noticed

# Texts that can be seen, each with the part of it that its scrolling parents show.
TEXTS = """
const clipped = (rect, element) => {
  let { left, right, top, bottom } = rect;
  for (let each = element; each !== null && each !== document.body; each = each.parentElement) {
    const style = getComputedStyle(each);
    if (each.tagName !== "svg" && style.overflowX === "visible" && style.overflowY === "visible") continue;
    const by = each.getBoundingClientRect();
    [left, right] = [Math.max(left, by.left), Math.min(right, by.right)];
    [top, bottom] = [Math.max(top, by.top), Math.min(bottom, by.bottom)];
  }
  return { left, right, top, bottom };
};
const texts = () => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent.trim();
    if (text === "" || element.closest("script, title, option") || !element.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const box = clipped(rect, element);
      if (box.right - box.left > 1 && box.bottom - box.top > 1) found.push({ text, element, box });
    }
  }
  return found;
};
const controls = () => [...document.querySelectorAll("button, select, input, [role=button]")]
  .filter((each) => each.checkVisibility() && !each.closest("svg"));
const overlap = (one, other) =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
"""


def with_texts(body: str) -> str:
    return "(() => {" + TEXTS + body + "})()"


OVERLAPPING = with_texts("""
  const all = texts();
  const found = [];
  for (let i = 0; i < all.length; i += 1) {
    for (let j = i + 1; j < all.length; j += 1) {
      // One that ends in three dots has a box for these, too.
      const own = all[i].element === all[j].element;
      if (!own && overlap(all[i].box, all[j].box)) found.push(`${all[i].text} / ${all[j].text}`);
    }
  }
  const boxes = controls().map((each) => [each, clipped(each.getBoundingClientRect(), each)]);
  for (const [one, box] of boxes) {
    for (const [other, beside] of boxes) {
      if (one !== other && overlap(box, beside)) found.push(`${one.id} / ${other.id}`);
    }
    for (const { text, element, box: at } of all) {
      const own = one.contains(element) || element.contains(one);
      if (!own && overlap(box, at)) found.push(`${one.id || one.textContent} / ${text}`);
    }
  }
  return found;
""")

BEYOND = """[...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg svg, defs, .patterns"))
  .filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 0 && (left < -1 || right > document.documentElement.clientWidth + 1);
  })
  .map((each) => each.id || each.className?.baseVal || each.className || each.tagName)"""

SMALL = with_texts(
    """
  return controls().map((each) => each.closest("label:has([type=checkbox])") ?? each)
    .map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < LEAST_TARGET)
    .map(([name]) => name);
""".replace("LEAST_TARGET", str(LEAST_TARGET))
)

# All but commands, which end in three dots and have their whole text as a title.
CUT = """[...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg") && each.className !== "command")
  .filter((each) => getComputedStyle(each).overflowX === "hidden" && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.id || each.className || each.tagName)"""

COLOURS = with_texts("""
  const ground = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  return texts().map(({ text, element }) => {
    const style = getComputedStyle(element);
    let opacity = 1;
    for (let each = element; each; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
    const colour = element.closest("svg") ? style.fill : style.color;
    return [text, colour, ground(element), opacity];
  });
""")

VARIABLES = """(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  const found = {};
  for (const name of ["ground", "panel", "chosen", "line", "edge", "ranks", "ranks-edge", "writing",
                      "waiting", "decided", "bad"]) {
    probe.className = name;
    document.styleSheets[0].insertRule(`i.${name} { color: var(--${name}) }`, 0);
    found[name] = getComputedStyle(probe).color;
    document.styleSheets[0].deleteRule(0);
  }
  probe.remove();
  return found;
})()"""
MARKS = ["ranks-edge", "writing", "waiting", "decided", "bad"]


def rgb(colour: str) -> Pixels:
    """Of what a browser says of a colour."""
    assert colour.startswith("rgb(") and colour.endswith(")"), colour
    return np.array([float(each) / 255 for each in colour[4:-1].split(",")], dtype=np.float32)


def linear(colour: Pixels) -> Pixels:
    found: Pixels = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return found


def contrast(one: str, other: str) -> float:
    """As WCAG defines it."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    darker, lighter = sorted(float(linear(rgb(each)) @ weights) for each in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


#: What is seen with two kinds of cones, of linear colours (Machado, Oliveira and Fernandes 2009).
VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(colour: str, vision: str) -> Pixels:
    seen = np.clip(VISION[vision] @ linear(rgb(colour)), 0, 1)
    relative = (XYZ @ seen) / XYZ.sum(axis=1)
    root = np.where(relative > 216 / 24389, np.cbrt(relative), (24389 / 27 * relative + 16) / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)], dtype=np.float32)


def opened(tab: Tab, served: Serve, width: int, scheme: str, told: Told | None = None) -> Tab:
    """The page of jobs with long names and reasons, as wide as that, with all that happened in the list."""
    tab.look_as(width, 900, scheme)
    tab.call("Emulation.setScrollbarsHidden", hidden=True)
    address = served(Source((told or Told(history(LONG, "because" * 20))).ask)).address
    tab.go(address + "#window=60", "document.querySelector('.mark.decided[data-number]')")
    tab.click("#everything")
    tab.js("scrollTo(0, 0)")
    return tab


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overlaps_is_cut_off_or_lies_beside_the_page(
    tab: Tab, served: Serve, width: int, scheme: str
) -> None:
    page = opened(tab, served, width, scheme)
    assert page.js("document.documentElement.scrollWidth") == width
    for state in ("nothing chosen", "a decision chosen"):
        assert (state, page.js(BEYOND)) == (state, [])
        assert (state, page.js(CUT)) == (state, [])
        assert (state, page.js(SMALL)) == (state, [])
        if width > 960 or state == "nothing chosen":  # else the panel lies over what is below it, on purpose
            assert (state, page.js(OVERLAPPING)) == (state, [])
        page.js("document.querySelector('#list [data-number=\"6\"]').click()")
    page.js("document.querySelectorAll('#chart, aside').forEach((each) => (each.style.display = 'none'))")
    assert page.js(OVERLAPPING) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_help_fits_into_the_page(tab: Tab, served: Serve, width: int) -> None:
    page = opened(tab, served, width, "light")
    page.press("Escape")
    page.click("#keys")
    left, right, top, bottom = page.js(
        "(({ left, right, top, bottom }) => [left, right, top, bottom])"
        "(document.querySelector('#help').getBoundingClientRect())"
    )
    assert left >= 0 and top >= 0 and right <= width and bottom <= 900
    page.js("document.querySelectorAll('header, main').forEach((each) => (each.style.display = 'none'))")
    assert page.js(OVERLAPPING) == [] and page.js(BEYOND) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_picture_of_the_page_has_its_colours_and_free_edges(
    tab: Tab, served: Serve, width: int, scheme: str
) -> None:
    page = opened(tab, served, width, scheme)
    picture = page.picture()
    assert picture.shape == (900, width, 3)
    colours = page.js(VARIABLES)
    grounds = np.array([rgb(colours[name]) for name in ("ground", "panel", "chosen", "line", "edge")])
    for edge in (picture[:, 0], picture[:, -1]):
        away = np.abs(edge[:, None, :] - grounds[None]).max(axis=2).min(axis=1)
        assert np.flatnonzero(away > 2 / 255).tolist() == []
    ground = np.abs(picture - grounds[0]).max(axis=2) < 2 / 255
    panel = np.abs(picture - grounds[1]).max(axis=2) < 2 / 255
    assert (ground | panel).mean() > 0.6
    for mark in ("writing", "ranks"):
        assert (np.abs(picture - rgb(colours[mark])).max(axis=2) < 2 / 255).sum() > 50
    assert (picture.mean() > 0.8) == (scheme == "light") and (picture.mean() < 0.25) == (scheme == "dark")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_have_enough_contrast(tab: Tab, served: Serve, scheme: str) -> None:
    told = Told(history(LONG, "because" * 20), history(LONG), None)
    page = opened(tab, served, 1280, scheme, told)
    page.js("document.querySelector('#list [data-number=\"6\"]').click()")
    page.until("document.querySelector('#message').checkVisibility()")
    found: list[Any] = page.js(COLOURS)
    page.press("?")
    found += page.js(COLOURS)
    assert len(found) > 60 and any("gone since" in text for text, *_ in found)
    low = {
        (text[:40], colour, ground): round(contrast(colour, ground), 2)
        for text, colour, ground, opacity in found
        if opacity != 1 or contrast(colour, ground) < LEAST_CONTRAST
    }
    assert low == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_marks_are_told_apart_by_people_with_any_colour_vision(tab: Tab, served: Serve, scheme: str) -> None:
    colours = opened(tab, served, 1280, scheme).js(VARIABLES)
    faint = {name: contrast(colours[name], colours["ground"]) for name in MARKS}
    assert {name for name, found in faint.items() if found < LEAST_CONTRAST_OF_MARKS} == set()
    alike = {
        (vision, one, other): float(np.linalg.norm(lab(colours[one], vision) - lab(colours[other], vision)))
        for vision in VISION
        for one, other in combinations(MARKS, 2)
    }
    assert {pair: found for pair, found in alike.items() if found < LEAST_DIFFERENCE} == {}


def brightness(page: Tab) -> float:
    return float(page.picture().mean())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_button_chooses_light_or_dark_and_the_choice_is_kept(tab: Tab, served: Serve, scheme: str) -> None:
    page = opened(tab, served, 1280, scheme)
    of_system = brightness(page)
    seen = {}
    for _ in range(3):
        page.click("#colours")
        seen[page.js("document.querySelector('#colours').textContent")] = brightness(page)
    assert list(seen) == ["colours: light", "colours: dark", "colours: system"]
    assert seen["colours: light"] > 0.8 and seen["colours: dark"] < 0.25
    assert (seen["colours: system"] > 0.5) == (of_system > 0.5) == (scheme == "light")
    page.click("#colours")
    page.click("#colours")
    page.call("Page.reload")
    page.until("document.querySelector('#colours')?.textContent === 'colours: dark'")
    assert brightness(page) < 0.25


def test_button_works_where_the_browser_keeps_nothing(tab: Tab, served: Serve) -> None:
    refuses = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })"
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=refuses)
    page = opened(tab, served, 1280, "light")
    page.click("#colours")
    page.click("#colours")
    assert page.js("document.querySelector('#colours').textContent") == "colours: dark"
    assert brightness(page) < 0.25
