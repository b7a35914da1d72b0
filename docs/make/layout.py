# SPDX-License-Identifier: BSD-3-Clause
"""Lays out a checkout for Sphinx: its pages, and a page for each file or folder that they link to.

Pages keep their places, so that links between them stay what they are.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_FOREIGN = re.compile(r"[a-z]+:", re.IGNORECASE)
_PICTURES = {".png", ".svg"}
#: A page that no table of contents has.
_ORPHAN = "---\norphan: true\n---\n\n"
#: What pygments calls the language of a file, by its ending.
_LANGUAGES = {
    ".py": "python",
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".f90": "fortran",
    ".toml": "toml",
    ".json": "json",
    ".txt": "cmake",
    ".cff": "yaml",
}


@dataclass(frozen=True)
class Checkout:
    """`files`: those that git knows, relative to `root`."""

    root: Path
    files: frozenset[PurePosixPath]

    @classmethod
    def at(cls, root: Path) -> "Checkout":
        """Tests are no pages, and hold broken ones on purpose."""
        listed = subprocess.run(
            ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True
        ).stdout
        return cls(root, frozenset(map(PurePosixPath, listed.split("\n")[:-1])))

    def pages(self) -> list[PurePosixPath]:
        return sorted(file for file in self.files if file.suffix == ".md" and not _is_inner(file))

    def is_folder(self, path: PurePosixPath) -> bool:
        return any(path in file.parents for file in self.files)


def _is_inner(file: PurePosixPath) -> bool:
    return file.is_relative_to("docs/make")


@dataclass(frozen=True)
class Layout:
    """Writes below `into`."""

    checkout: Checkout
    into: Path

    def write(self) -> None:
        for page in self.checkout.pages():
            text = (self.checkout.root / page).read_text(encoding="utf-8")
            self._put(page, _LINK.sub(partial(self._link, page), text))

    def _link(self, page: PurePosixPath, link: re.Match[str]) -> str:
        """The same, or to the page that is made for what it goes to."""
        begin, target, anchor, end = link[1], link[2], link[3] or "", link[4]
        if _FOREIGN.match(target):
            return link[0]
        path = _normal(page.parent / target)
        if path in self.checkout.files:
            if path.suffix == ".md":
                return link[0]
            if path.suffix in _PICTURES:
                self._copy(path)
                return link[0]
            self._file_page(path)
            return f"{begin}{target}.md{end}"
        if self.checkout.is_folder(path):
            return f"{begin}{target.rstrip('/')}/{self._folder_page(path).name}{anchor}{end}"
        return link[0]  # Sphinx says that it leads nowhere

    def _file_page(self, file: PurePosixPath) -> None:
        self._copy(file)
        language = _LANGUAGES.get(file.suffix, "text")
        included = f"```{{literalinclude}} {file.name}\n:language: {language}\n```\n"
        self._put(file.with_name(file.name + ".md"), f"{_ORPHAN}# {file}\n\n{included}")

    def _folder_page(self, folder: PurePosixPath) -> PurePosixPath:
        """Its README, or a list of what is in it."""
        if folder / "README.md" in self.checkout.files:
            return folder / "README.md"
        lines = [f"{_ORPHAN}# {folder}\n"]
        for file in sorted(file for file in self.checkout.files if file.parent == folder):
            if file.suffix == ".md":
                lines.append(f"- [{file.name}]({file.name})")
            elif file.suffix not in _PICTURES:
                self._file_page(file)
                lines.append(f"- [{file.name}]({file.name}.md)")
        page = folder / "folder.md"
        self._put(page, "\n".join(lines) + "\n")
        return page

    def _put(self, file: PurePosixPath, text: str) -> None:
        path = self.into / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _copy(self, file: PurePosixPath) -> None:
        path = self.into / file
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.checkout.root / file, path)


def _normal(path: PurePosixPath) -> PurePosixPath:
    """Without `..`, of which there are never more than folders above."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            del parts[-1:]
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)


def headers(checkout: Checkout) -> Iterator[PurePosixPath]:
    """Of the C API, the main one first."""
    main = PurePosixPath("include/nereus/nereus.h")
    yield main
    yield from sorted(
        file for file in checkout.files if file.parent == main.parent and file.suffix == ".h" and file != main
    )
