// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: as the system has it, or as it was chosen here. The dark colours are those of the style sheet's
// `@media (prefers-color-scheme: dark)`: what is chosen changes when that rule holds.

const SYSTEM = "(prefers-color-scheme: dark)";
const RULES = { system: SYSTEM, light: "not all", dark: "all" };
const NEXT = { system: "light", light: "dark", dark: "system" };
const KEY = "nereus colours";

export function bindTheme(button) {
  let chosen = remembered();
  const show = () => {
    for (const rule of darkRules()) rule.media.mediaText = RULES[chosen];
    button.textContent = `colours: ${chosen}`;
    button.title = `Light or dark: ${chosen}; press for ${NEXT[chosen]}`;
  };
  button.addEventListener("click", () => {
    chosen = NEXT[chosen];
    remember(chosen);
    show();
  });
  show();
}

let found = null;

// Found once: afterwards they say something else.
function darkRules() {
  found ??= [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && rule.media.mediaText === SYSTEM);
  return found;
}

// A browser that keeps nothing, as in some private windows, refuses.
function remembered() {
  try {
    const kept = localStorage.getItem(KEY);
    return Object.hasOwn(RULES, kept) ? kept : "system";
  } catch {
    return "system";
  }
}

function remember(chosen) {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // It holds for this page only.
  }
}
