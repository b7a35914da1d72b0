# SPDX-License-Identifier: BSD-3-Clause
"""What the headers declare and say, out of Doxygen's XML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

#: Lines of a declaration fit a terminal of 80 columns, within a page's margin.
_COLUMNS = 71
_MAIN = "nereus.h"


@dataclass(frozen=True)
class Member:
    """An enumerator, or a field of a structure, with what is said of it."""

    name: str
    text: tuple[Element, ...]


@dataclass(frozen=True)
class Item:
    """`header`: the one to include."""

    name: str
    kind: Literal["function", "enum", "struct", "typedef"]
    header: str
    declaration: tuple[str, ...]
    text: tuple[Element, ...]
    parameters: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()

    @property
    def uses(self) -> set[str]:
        """Names of types in its declaration."""
        return set(re.findall(r"\bnereus_\w+", " ".join(self.declaration))) - {self.name}


@dataclass(frozen=True)
class Header:
    name: str
    text: tuple[Element, ...]
    items: tuple[Item, ...]


def read_headers(xml: Path) -> list[Header]:
    """The main one first, the others by name; without those that declare nothing that has a page.

    What nereus.h includes, programs get by including nereus.h.
    """
    files = [_compound(file) for file in xml.glob("*_8h.xml")]
    files.sort(key=lambda file: (_name(file) != _MAIN, _name(file)))
    inner = {each.text for each in files[0].findall("includes")}
    headers = []
    for file in files:
        name = _name(file)
        items = tuple(_items(file, xml, _MAIN if f"nereus/{name}" in inner else name))
        if items:
            headers.append(Header(name, _text(file), items))
    return headers


def _compound(file: Path) -> Element:
    found = ElementTree.parse(file).getroot().find("compounddef")
    if found is None:
        raise ValueError(f"{file}: no compounddef")
    return found


def _name(element: Element) -> str:
    return element.findtext("name") or element.findtext("compoundname") or ""


def _text(element: Element) -> tuple[Element, ...]:
    """Paragraphs."""
    return tuple(element.findall("briefdescription/para")) + tuple(
        element.findall("detaileddescription/para")
    )


def _items(file: Element, xml: Path, header: str) -> Iterator[Item]:
    """In the order of the header."""
    structures = [_compound(xml / f"{each.get('refid')}.xml") for each in file.findall("innerclass")]
    named = {_name(each) for each in structures}
    found = [(_line(each), _structure(each, header)) for each in structures]
    for member in file.findall("sectiondef/memberdef"):
        kind = member.get("kind")
        if kind == "function":
            found.append((_line(member), _function(member, header)))
        elif kind == "enum":
            found.append((_line(member), _enumeration(member, header)))
        elif kind == "typedef" and _name(member) not in named:
            found.append((_line(member), _type_name(member, header)))
    yield from (item for _, item in sorted(found, key=lambda each: each[0]))


def _line(element: Element) -> int:
    location = element.find("location")
    return int(location.get("line", "0")) if location is not None else 0


def _typed(element: Element) -> str:
    """The type of a declaration, as people write it, up to the name."""
    kind = element.find("type")
    text = " ".join("".join(kind.itertext()).split()) if kind is not None else ""
    text = re.sub(r"(\w)\(\*", r"\1 (*", text.removesuffix(" "))
    return text if text.endswith("*") else text + " "


def _function(member: Element, header: str) -> Item:
    parameters = member.findall("param")
    names = tuple(each.findtext("declname") or "" for each in parameters)
    texts = [
        _typed(each).rstrip() if not name else _typed(each) + name
        for each, name in zip(parameters, names, strict=True)
    ]
    lines = _call(f"{_typed(member)}{_name(member)}(", texts, ");")
    return Item(
        _name(member),
        "function",
        header,
        lines,
        _text(member),
        parameters=tuple(filter(None, names)),
    )


def _call(begin: str, parameters: list[str], end: str) -> tuple[str, ...]:
    """Parameters stand behind the parenthesis, or all on lines of their own where one would not fit there."""
    pieces = [f"{each}," for each in parameters[:-1]] + [parameters[-1] + end]
    indent = " " * len(begin)
    lines = [begin + pieces[0]]
    if any(len(indent + piece) > _COLUMNS for piece in pieces):
        indent = " " * 8
        lines = [begin, indent + pieces[0]]
    for piece in pieces[1:]:
        if len(f"{lines[-1]} {piece}") > _COLUMNS:
            lines.append(indent + piece)
        else:
            lines[-1] += f" {piece}"
    return tuple(lines)


def _enumeration(member: Element, header: str) -> Item:
    values = [
        (_name(each), each.findtext("initializer") or "", _text(each)) for each in member.iter("enumvalue")
    ]
    lines = [f"    {name} {value},".replace(" ,", ",") for name, value, _ in values]
    lines[-1] = lines[-1].removesuffix(",")
    declaration = (f"enum {_name(member)} {{", *lines, "};")
    members = tuple(Member(name, text) for name, _, text in values)
    return Item(_name(member), "enum", header, declaration, _text(member), members=members)


def _structure(compound: Element, header: str) -> Item:
    name, fields = _name(compound), compound.findall("sectiondef/memberdef")
    lines = [f"    {_typed(each)}{_name(each)}{each.findtext('argsstring') or ''};" for each in fields]
    return Item(
        name,
        "struct",
        header,
        (f"typedef struct {name} {{", *lines, f"}} {name};"),
        _text(compound),
        members=tuple(Member(_name(each), _text(each)) for each in fields),
    )


def _type_name(member: Element, header: str) -> Item:
    name = _name(member)
    arguments = member.findtext("argsstring") or ""
    begin = f"typedef {_typed(member)}{name}"
    taken = arguments.removeprefix(")(").removesuffix(")").split(", ")
    lines = _call(f"{begin})(", taken, ");") if arguments else (f"{begin};",)
    return Item(name, "typedef", header, lines, _text(member))
