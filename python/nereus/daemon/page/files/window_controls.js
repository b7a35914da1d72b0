// SPDX-License-Identifier: BSD-3-Clause
// What moves the window of time without a pointer: its buttons, its menu of lengths, and `#window=` in the address.

export const ZOOM_STEP = 1.5;
export const PAN_STEP = 0.5; // windows
const SETTLES = 400; // ms: browsers refuse addresses that change all the time

// `buttons`: {earlier, later, zoomIn, zoomOut, follow}. Returns what shows the state of the window in them.
export function bindButtons(shown, buttons, changed) {
  const on = (button, act) =>
    button.addEventListener("click", () => {
      act();
      changed();
    });
  on(buttons.earlier, () => shown.pan(-PAN_STEP * shown.length));
  on(buttons.later, () => shown.pan(PAN_STEP * shown.length));
  on(buttons.zoomIn, () => shown.zoom(ZOOM_STEP));
  on(buttons.zoomOut, () => shown.zoom(1 / ZOOM_STEP));
  on(buttons.follow, () => stopOrFollow(shown));
  return () => {
    buttons.follow.textContent = shown.follows ? "stop" : "follow";
    buttons.follow.setAttribute("aria-pressed", String(shown.follows));
  };
}

export function stopOrFollow(shown) {
  if (shown.follows) shown.stop();
  else shown.follow();
}

// `menu`: a select of seconds, with "all" and, for lengths that are none of its own, "custom". Takes the length from
// the address, if there is one. Returns what shows the length in the menu and in the address.
export function bindMenu(shown, menu, changed) {
  const custom = menu.querySelector("[value=custom]");
  let timer = null;
  take(shown, new URLSearchParams(location.hash.slice(1)).get("window"));
  menu.addEventListener("change", () => {
    take(shown, menu.value);
    changed();
    tell();
  });

  // What else is said there stays.
  const tell = () => {
    timer = null;
    const said = new URLSearchParams(location.hash.slice(1));
    if (said.get("window") === lengthOf(shown)) return;
    said.set("window", lengthOf(shown));
    history.replaceState(null, "", `#${said}`);
  };
  let known = lengthOf(shown);
  return () => {
    const length = lengthOf(shown);
    const own = [...menu.options].some((option) => option !== custom && option.value === length);
    custom.hidden = own;
    custom.textContent = own ? "custom" : inWords(Number(length));
    menu.value = own ? length : "custom";
    if (length === known) return;
    known = length;
    clearTimeout(timer);
    timer = setTimeout(tell, SETTLES);
  };
}

function take(shown, said) {
  if (said === "all") shown.showAll();
  else if (said !== null && /^\d+(\.\d+)?$/.test(said)) shown.resize(Number(said));
}

function lengthOf(shown) {
  return shown.whole ? "all" : String(Number(shown.length.toPrecision(4)));
}

const UNITS = [
  ["d", 86400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

export function inWords(seconds) {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? UNITS.at(-1);
  return `${Number((seconds / size).toPrecision(3))} ${unit}`;
}
