# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: moving through time by mouse, fingers and keys, and finding a job or an event."""

from collections.abc import Callable

import pytest
from a_browser import CTRL, SHIFT, Tab
from a_page import A, B, Served, Told, history

from nereus.daemon.page.source import Source

Serve = Callable[..., Served]
DECIDED, RESIZED = '.mark.decided[data-number="6"]', '.mark.resized[data-number="7"]'
NEAR = 1.5  # px


@pytest.fixture
def page(tab: Tab, served: Serve) -> Tab:
    """The page of a minute, which stands still."""
    tab.look_as(1200)
    tab.go(served(Source(Told(history()).ask)).address + "#window=60", f"document.querySelector('{RESIZED}')")
    tab.click("#follow")
    tab.until("document.querySelector('#follow').textContent === 'follow'")
    return tab


def place(page: Tab, selector: str) -> tuple[float, float]:
    return page.middle(f"#lanes {selector}")


def distance(page: Tab) -> float:
    return place(page, RESIZED)[0] - place(page, DECIDED)[0]


def until_at(page: Tab, selector: str, x: float) -> None:
    rect = f"document.querySelector('#lanes {selector}').getBoundingClientRect()"
    page.until(f"Math.abs({rect}.x + {rect}.width / 2 - {x}) < {NEAR}")


def axis(page: Tab) -> str:
    text: str = page.js("document.querySelector('#axis').getAttribute('aria-label')")
    return text


def until_axis_is_not(page: Tab, before: str) -> None:
    page.until(f"document.querySelector('#axis').getAttribute('aria-label') !== '{before}'")


def menu(page: Tab) -> tuple[str, str]:
    value, text = page.js(
        "[document.querySelector('#window').value,"
        "document.querySelector('#window').selectedOptions[0].textContent]"
    )
    return value, text


def test_wheel_with_ctrl_zooms_around_the_pointer(page: Tab) -> None:
    apart, (x, y) = distance(page), place(page, RESIZED)
    page.wheel(x, y + 30, -100, CTRL)
    page.until("document.querySelector('#window').value === 'custom'")
    until_at(page, RESIZED, x)
    assert distance(page) == pytest.approx(apart * 2**0.5, abs=NEAR)
    page.wheel(x, y + 30, 100, CTRL)
    page.until("document.querySelector('#window').value === '60'")
    until_at(page, RESIZED, x)
    assert distance(page) == pytest.approx(apart, abs=NEAR)


def test_wheel_alone_scrolls_the_page_and_with_shift_moves_in_time(page: Tab) -> None:
    page.look_as(1200, 250)
    x, y = place(page, RESIZED)
    before = axis(page)
    page.wheel(x, y, 60)
    page.until("document.querySelector('#chart').scrollTop > 0")
    assert axis(page) == before
    x, y = place(page, RESIZED)
    page.wheel(x, y, 100, SHIFT)
    until_at(page, RESIZED, x - 100)


def test_drag_moves_in_time_and_chooses_nothing(page: Tab) -> None:
    (x, y), apart = place(page, RESIZED), distance(page)
    page.drag(x, y, x + 120)
    until_at(page, RESIZED, x + 120)
    assert distance(page) == pytest.approx(apart, abs=NEAR)
    assert page.js("document.querySelector('#details').hidden")
    page.click(f"#lanes {RESIZED}")
    assert not page.js("document.querySelector('#details').hidden")


CLICK_AFTER_DRAG = """(() => {
  const mark = document.querySelector(".mark.resized[data-number]");
  const say = (kind, clientX) =>
    mark.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId: 77, button: 0, clientX }));
  say("pointerdown", 500);
  say("pointermove", 560);
  say("pointerup", 560);
  say("click", 560);
  return document.querySelector("#details").hidden;
})()"""


def test_click_that_a_browser_sends_after_a_drag_chooses_nothing(page: Tab) -> None:
    """Some send it to what lies below, and a pointer that has gone cannot be held."""
    assert page.js(CLICK_AFTER_DRAG)
    page.click(f"#lanes {RESIZED}")
    assert not page.js("document.querySelector('#details').hidden")


def test_drag_of_a_lane_that_follows_stops_it(page: Tab) -> None:
    page.click("#follow")
    x, y = place(page, RESIZED)
    page.drag(x, y + 20, x - 50)
    page.until("document.querySelector('#follow').textContent === 'follow'")


def test_texts_of_lanes_can_be_selected(page: Tab) -> None:
    before = axis(page)
    x, y = page.middle("#lanes .name")
    page.drag(x - 40, y, x + 40)
    selected = page.js("String(getSelection())")
    assert len(selected) > 3 and selected in A
    page.js("dispatchEvent(new Event('resize'))")  # draws anew
    assert (page.js("String(getSelection())"), axis(page)) == (selected, before)


@pytest.mark.parametrize("width", [390, 1200])
def test_two_fingers_zoom_around_their_middle(page: Tab, width: int) -> None:
    page.look_as(width, touch=True)
    page.until(f"document.querySelector('#axis').getBoundingClientRect().width < {width}")
    page.js("dispatchEvent(new Event('resize'))")
    (left, y), (right, _) = place(page, DECIDED), place(page, RESIZED)
    y += 25
    steps = [[(left - far, y), (right + far, y)] for far in (0, 10, 20, 30, 40)]
    page.fingers(*steps)
    until_at(page, DECIDED, left - 40)
    until_at(page, RESIZED, right + 40)


def test_one_finger_drags(page: Tab) -> None:
    page.look_as(390, touch=True)
    page.js("dispatchEvent(new Event('resize'))")
    x, y = place(page, RESIZED)
    page.fingers(*[[(x - far, y + 25)] for far in (0, 20, 40, 60)])
    until_at(page, RESIZED, x - 60)


def test_double_click_and_buttons_zoom(page: Tab) -> None:
    apart, (x, y) = distance(page), place(page, RESIZED)
    page.click_at(x, y + 30, times=2)
    page.until("document.querySelector('#window').value === '30'")
    until_at(page, RESIZED, x)
    assert distance(page) == pytest.approx(2 * apart, abs=NEAR)
    page.click("#zoom-in")
    assert menu(page) == ("custom", "20 s")
    page.until("location.hash === '#window=20'")
    page.click("#zoom-out")
    page.click("#zoom-out")
    assert menu(page) == ("custom", "45 s")


def test_zoom_by_button_goes_on_following(page: Tab) -> None:
    page.click("#follow")
    page.click("#zoom-in")
    assert page.js("document.querySelector('#follow').textContent") == "stop"
    assert menu(page) == ("custom", "40 s")


def test_address_with_another_length_than_the_menu_has(tab: Tab, served: Serve) -> None:
    address = served(Source(Told(history()).ask)).address
    tab.go(address + "#window=5400", "document.querySelector('#lanes .job')")
    assert menu(tab) == ("custom", "1.5 h")
    tab.go(address + "?#window=much", "document.querySelector('#lanes .job')")
    assert menu(tab) == ("300", "5 minutes")


TICKS = """import("./drawing.js").then(({ drawAxis }) => {
  const axis = document.querySelector("#axis");
  const begin = new Date(2026, 0, 3, 12).getTime() / 1000;
  return [86400, 30 * 86400].map((length) => {
    drawAxis(axis, { begin, end: begin + length, now: begin, width: axis.clientWidth }, []);
    const right = axis.getBoundingClientRect().right;
    const texts = [...axis.querySelectorAll("text")];
    const cut = texts.filter((each) => each.getBoundingClientRect().right > right);
    return [texts.map((each) => each.textContent), cut.length];
  });
})"""


def test_axis_of_days_says_which(page: Tab) -> None:
    (of_a_day, cut), (of_a_month, cut_too) = page.js(TICKS)
    assert "18:00:00" in of_a_day and "2026-01-04" in of_a_day
    assert len(of_a_month) > 4 and all(text.startswith("2026-01-") for text in of_a_month[:4])
    assert (cut, cut_too) == (0, 0)


LIMITS = """import('./time_window.js').then(({ TimeWindow, SHORTEST, LONGEST }) => {
  const made = () => new TimeWindow(60, { now: () => 1e9, first: () => 1e9 - 500 });
  const state = (shown) => [shown.begin, shown.end, shown.follows];
  const acts = {
    nothing: () => {},
    closest: (shown) => shown.zoom(1e12, 1e9 - 20),
    farthest: (shown) => shown.zoom(1e-12, 1e9 - 20),
    all: (shown) => shown.showAll(),
    future: (shown) => shown.pan(1e15),
    past: (shown) => shown.pan(-1e15),
    backwards: (shown) => shown.show(200, 100),
    shown: (shown) => shown.show(100, 200),
    absurd: (shown) => {
      for (const each of [NaN, Infinity, -Infinity, undefined, "x"]) {
        for (const act of ["zoom", "pan", "show", "resize"]) shown[act](each, each);
      }
      for (const each of [0, -1]) shown.zoom(each);
    },
  };
  return Object.fromEntries(Object.entries(acts).map(([name, act]) => {
    const shown = made();
    act(shown);
    return [name, state(shown)];
  }));
})"""


def test_window_of_time_has_limits_and_ignores_what_is_no_number(page: Tab) -> None:
    found, month = page.js(LIMITS), 30 * 86400
    assert found["nothing"] == found["absurd"] == [1e9 + 3.6 - 60, 1e9 + 3.6, True]
    begin, end, follows = found["closest"]
    assert end - begin == pytest.approx(1) and begin < 1e9 - 20 < end and not follows
    assert found["farthest"][1] - found["farthest"][0] == pytest.approx(month)
    assert found["all"][0] == pytest.approx(1e9 - 500) and found["all"][2]
    assert found["future"][1] == 1e9 + month
    assert found["past"][:2] == [0, 60]
    assert found["backwards"][1] - found["backwards"][0] == pytest.approx(1)
    assert found["shown"] == [100, 200, False]


def test_keys_move_through_time(page: Tab) -> None:
    x, _ = place(page, RESIZED)
    page.press("ArrowLeft")
    page.press("ArrowRight")
    until_at(page, RESIZED, x)
    before = axis(page)
    page.press("ArrowLeft")
    until_axis_is_not(page, before)
    page.press("+")
    assert menu(page) == ("custom", "40 s")
    page.press("-")
    assert menu(page) == ("60", "1 minute")
    page.press("f")
    assert page.js("document.querySelector('#follow').textContent") == "stop"


def test_keys_step_through_the_events_and_bring_them_into_view(page: Tab) -> None:
    page.js("for (let i = 0; i < 8; i += 1) document.querySelector('#earlier').click()")
    chosen = "document.querySelector('#list .chosen')?.dataset.number"
    page.press("n")
    assert page.js(chosen) == "8"  # the latest
    page.until("document.querySelector('#lanes .mark.chosen')")
    page.press("p")
    assert page.js(chosen) == "7"
    page.press("p")
    page.press("p")
    assert page.js(chosen) == "6"  # the first
    page.press("n")
    assert page.js(chosen) == "7"
    page.press("Escape")
    assert page.js("document.querySelector('#details').hidden")


def test_keys_are_letters_while_somebody_types_and_escape_clears(page: Tab) -> None:
    before = axis(page)
    page.press("/")
    page.write("f+n")
    assert page.js("document.querySelector('#search').value") == "f+n"
    assert axis(page) == before and page.js("document.querySelector('#details').hidden")
    page.press("Escape")
    assert page.js("document.querySelector('#search').value") == ""
    page.press("f")
    assert page.js("document.querySelector('#follow').textContent") == "stop"


def test_question_mark_lists_the_keys_and_closes(page: Tab) -> None:
    page.press("?")
    assert page.js("document.querySelector('#help').open")
    text = page.js("document.querySelector('#help dl').textContent")
    assert all(words in text for words in ("zoom in", "follow the current time", "search", "?"))
    before = axis(page)
    page.press("ArrowLeft")
    assert axis(page) == before
    page.press("Escape")
    page.until("!document.querySelector('#help').open")
    page.click("#keys")
    page.click("#close-help")
    assert not page.js("document.querySelector('#help').open")


TAB_STOPS = """(() => {
  const each = document.activeElement;
  const style = getComputedStyle(each);
  const name = each.id || each.dataset.number || each.tagName;
  return [name, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1];
})()"""


def test_all_controls_can_be_reached_by_tab_with_a_visible_focus(page: Tab) -> None:
    stops = []
    for _ in range(30):
        page.press("Tab")
        stops.append(page.js(TAB_STOPS))
    names = {name for name, _ in stops}
    controls = {"window", "zoom-in", "zoom-out", "earlier", "later", "follow", "search", "colours", "keys"}
    assert controls | {"everything", "6", "7", "8"} <= names
    assert [name for name, visible in stops if not visible and name != "BODY"] == []


def listed(page: Tab) -> list[str]:
    """Numbers of the events."""
    found: list[str] = page.js(
        "[...document.querySelectorAll('#list button')].map((each) => each.dataset.number)"
    )
    return found


def searched(page: Tab, query: str) -> tuple[list[str], list[str], str]:
    """Names of lanes, numbers of events, and what is said."""
    page.js("document.querySelector('#search').value = ''")
    page.click("#search")
    page.write(query)
    page.js("document.querySelector('#search').dispatchEvent(new Event('input'))")
    lanes = page.js("[...document.querySelectorAll('#lanes .name')].map((each) => each.textContent)")
    return lanes, listed(page), page.js("document.querySelector('#found').textContent")


def test_search_finds_jobs_by_key_and_program_and_events_by_their_words(page: Tab) -> None:
    assert searched(page, "") == ([A, B], ["8", "7", "6"], "")
    assert searched(page, "CG") == ([A], ["7", "6"], "1 job in this window and 2 events match")
    assert searched(page, B) == ([B], ["8"], "1 job in this window and 1 event match")
    assert searched(page, "refused slots") == ([], ["8"], "0 jobs in this window and 1 event match")
    assert searched(page, "would meet") == ([], ["8", "7", "6"], "0 jobs in this window and 3 events match")
    nothing = page.js("document.querySelector('#nothing').textContent")
    assert nothing == "No job in this window of time matches."
    assert searched(page, "no such thing") == ([], [], "nothing matches")
    assert page.js("document.querySelector('#found').getAttribute('role')") == "status"
    assert searched(page, "") == ([A, B], ["8", "7", "6"], "")


def test_search_stays_while_new_events_arrive(tab: Tab, served: Serve) -> None:
    whole = history()
    told = Told(whole[:7], whole[:7])
    address = served(Source(told.ask)).address
    tab.go(address + "#window=60", f"document.querySelector('{RESIZED}')")
    assert searched(tab, "slots") == ([], [], "nothing matches")
    told.goes_on(whole)
    tab.until("document.querySelector('#list button')")
    assert listed(tab) == ["8"]
    assert tab.js("document.querySelector('#search').value") == "slots"
    assert tab.js("document.querySelector('#found').textContent").endswith("1 event match")
