# SPDX-License-Identifier: BSD-3-Clause
"""Man pages of the C API: of each function and each type, and nereus(3), which lists them.

An enumerator's name leads to the page of its enumeration.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from c_api import Header, Item, read_headers
from roff import VERBATIM, Comment, Listed, Reader, filled, literal, term

_OVERVIEW = "nereus"
_CODES = "nereus_code"
_ERROR = "NEREUS_ERR_"


@dataclass(frozen=True)
class Page:
    """`members`: what is said of each."""

    item: Item
    comment: Comment
    members: tuple[tuple[str, Comment], ...]

    @property
    def summary(self) -> str:
        return short(self.comment.paragraphs[0]) if self.comment.paragraphs else ""


def short(paragraph: str) -> str:
    """Its first sentence as `whatis` shows it: no capital, no stop, no fonts."""
    sentence = re.split(r"\.(?: (?=[A-Z])|$)", re.sub(r"\\f[BIP]|\\%", "", paragraph))[0]
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def write_pages(xml: Path, folder: Path, day: str) -> list[Path]:
    """Into folder/man3. Returns the pages, without names that lead to one."""
    into = folder / "man3"
    into.mkdir(parents=True, exist_ok=True)
    headers = read_headers(xml)
    names = frozenset(item.name for header in headers for item in header.items)
    pages = [_page(item, names) for header in headers for item in header.items]
    for page in pages:
        if page.item.kind == "enum":
            for name, _ in page.members:
                (into / f"{name}.3").write_text(f".so man3/{page.item.name}.3\n")
    overview = _overview(headers, {page.item.name: page for page in pages}, names)
    return [
        _write(into, _OVERVIEW, day, overview),
        *(_write(into, page.item.name, day, _lines(page, pages)) for page in pages),
    ]


def _page(item: Item, names: frozenset[str]) -> Page:
    reader = Reader(item.name, frozenset(item.parameters), names)
    members = tuple((member.name, reader.read(member.text)) for member in item.members)
    return Page(item, reader.read(item.text), members)


def _write(folder: Path, name: str, day: str, lines: Iterator[str]) -> Path:
    file = folder / f"{name}.3"
    heading = f'.TH {name.upper()} 3 "{day}" "nereus" "C Functions"'
    file.write_text("\n".join([heading, *lines]) + "\n")
    return file


def _lines(page: Page, pages: Sequence[Page]) -> Iterator[str]:
    item, comment = page.item, page.comment
    yield ".SH NAME"
    yield from filled(f"{item.name} \\- {page.summary}")
    yield from _synopsis([item.header], [_declared(item, line) for line in item.declaration])
    yield ".SH DESCRIPTION"
    yield from _paragraphs(comment.paragraphs)
    for name, said in page.members:
        font = "B" if item.kind == "enum" else "I"
        yield from term(f".{font} {name}", said.paragraphs)
    if comment.parameters:
        yield ".SH PARAMETERS"
        for listed in comment.parameters:
            yield from _listed(listed, "I")
    yield from _returned(comment)
    yield from _see_also([f"{_OVERVIEW} (1)", *(f"{name} (3)" for name in sorted(_related(page, pages)))])


def _synopsis(headers: Sequence[str], declaration: Sequence[str] = ()) -> Iterator[str]:
    yield ".SH SYNOPSIS"
    yield ".nf"
    yield from (f".B #include <nereus/{header}>" for header in headers)
    if declaration:
        yield ".PP"
        yield from declaration
    yield ".fi"


def _declared(item: Item, line: str) -> str:
    """In bold, names of parameters in italics."""
    told = literal(line)
    for name in item.parameters:
        told = re.sub(rf"(?<=[ *]){name}(?=[,)])", rf"\\fI{name}\\fB", told)
    return f"\\fB{told}\\fP"


def _paragraphs(paragraphs: Sequence[str]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ".PP"
        if paragraph.startswith(VERBATIM):
            yield ".nf"
            yield from map(literal, paragraph.removeprefix(VERBATIM).rstrip().splitlines())
            yield ".fi"
        else:
            yield from filled(paragraph)


def _listed(listed: Listed, font: str) -> Iterator[str]:
    names = ", ".join(f"\\f{font}{name}\\fP" for name in listed.names)
    direction = f" ({listed.direction.replace('inout', 'in, out')})" if listed.direction else ""
    yield from term(names + direction, listed.paragraphs)


def _returned(comment: Comment) -> Iterator[str]:
    errors = [each for each in comment.codes if each.names[0].startswith(_ERROR)]
    others = [each for each in comment.codes if each not in errors]
    if comment.returned or others:
        yield ".SH RETURN VALUE"
        yield from _paragraphs(comment.returned)
        for each in others:
            yield from _listed(each, "B")
    if errors:
        yield ".SH ERRORS"
        for each in errors:
            yield from _listed(each, "B")


def _related(page: Page, pages: Sequence[Page]) -> set[str]:
    """What it names, and what names it: functions in words, types in declarations."""
    names = {each.item.name for each in pages}
    own = page.item.name
    related = set(page.comment.mentions).union(*(said.mentions for _, said in page.members))
    related |= page.item.uses & names
    if page.comment.codes:
        related.add(_CODES)
    for each in pages:
        if own in (each.comment.mentions if page.item.kind == "function" else each.item.uses):
            related.add(each.item.name)
    return related - {own} | {_OVERVIEW}


def _see_also(entries: Sequence[str]) -> Iterator[str]:
    yield ".SH SEE ALSO"
    for number, entry in enumerate(entries, 1):
        yield f".BR \\%{entry}{',' if number < len(entries) else ''}"


def _overview(headers: Sequence[Header], pages: dict[str, Page], names: frozenset[str]) -> Iterator[str]:
    """Of all headers: what they say of themselves, and what each has."""
    comments = [Reader(_OVERVIEW, frozenset(), names).read(header.text) for header in headers]
    title, *text = comments[0].paragraphs
    yield ".SH NAME"
    yield f"{_OVERVIEW} \\- {short(title.partition(': ')[2])}"
    yield from _synopsis([header.name for header in headers if header.name == header.items[0].header])
    yield ".SH DESCRIPTION"
    yield from _paragraphs(text)
    yield ".SH FUNCTIONS AND TYPES"
    for header, comment in zip(headers, comments, strict=True):
        yield f".SS nereus/{header.name}"
        if header is not headers[0]:
            yield from _paragraphs(comment.paragraphs)
        for item in header.items:
            yield from term(f".BR \\%{item.name} (3)", [pages[item.name].summary])
    yield from _see_also([f"{_OVERVIEW} (1)"])
