// SPDX-License-Identifier: BSD-3-Clause
// Keys for what the page can do, and the list of them. Not while somebody types, nor with Ctrl, Alt or ⌘, which are
// the browser's.

const NO_TYPING = new Set(["checkbox", "radio", "button"]);

// `table`: rows of {keys, told, act}. `help` is the dialog with the list, `button` opens it, too.
export function bindKeys(table, help, button) {
  const open = () => {
    if (!help.open) help.showModal();
  };
  const rows = [...table, { keys: ["?"], told: "this list of keys", act: open }];
  const acts = new Map(rows.flatMap(({ keys, act }) => keys.map((key) => [key, act])));
  help.querySelector("dl").replaceChildren(...rows.flatMap(inList));
  button.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open || isTyping(event)) return;
    const act = acts.get(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

// Escape leaves a field, too.
function isTyping({ target, key }) {
  if (target.closest?.("textarea, select") || target.isContentEditable) return true;
  const field = target.closest?.("input");
  return Boolean(field) && !NO_TYPING.has(field.type) && key !== "Escape";
}

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

function inList({ keys, told }) {
  const term = document.createElement("dt");
  const shown = keys.map((key) => {
    const made = document.createElement("kbd");
    made.textContent = SIGNS[key] ?? key;
    return made;
  });
  term.append(...shown.flatMap((each, index) => (index > 0 ? [" ", each] : [each])));
  const text = document.createElement("dd");
  text.textContent = told;
  return [term, text];
}
