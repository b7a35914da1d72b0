# SPDX-License-Identifier: BSD-3-Clause
"""What Doxygen read of a comment, as lines of a man page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

_COLUMNS = 78
#: Constants and calls of MPI and of Nereus.
_CONSTANT = re.compile(r"\b(?:NEREUS|MPI)_\w*\w\b")
_SIGNS = {"\\": "\\e", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga"}
#: A dash between two letters joins words; any other one is typed as it is.
_TYPED_DASH = re.compile(r"(?<![A-Za-z])-|-(?![A-Za-z])")


def plain(text: str) -> str:
    """Escaped, with constants in bold."""
    return _CONSTANT.sub(r"\\fB\\%\g<0>\\fP", _signs(_TYPED_DASH.sub("\0", text)))


def literal(text: str) -> str:
    """Escaped: it can be copied into a shell or a program."""
    return _signs(text.replace("-", "\0")).replace("'", "\\(aq")


def _signs(text: str) -> str:
    """NUL is a dash that is typed."""
    told = "".join(_SIGNS.get(each, each if each.isascii() else f"\\[u{ord(each):04X}]") for each in text)
    return told.replace("\0", "\\-")


def filled(text: str) -> Iterator[str]:
    """Lines that fit; none begins like a request."""
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > _COLUMNS:
            yield _guarded(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield _guarded(line)


def _guarded(line: str) -> str:
    return f"\\&{line}" if line.startswith((".", "'")) else line


def term(name: str, paragraphs: Sequence[str]) -> Iterator[str]:
    """A name in a list, and what it is."""
    yield ".TP"
    yield name
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ".IP"
        yield from filled(paragraph)


@dataclass(frozen=True)
class Listed:
    """One parameter, or one of what a function returns."""

    names: tuple[str, ...]
    direction: str
    paragraphs: tuple[str, ...]


@dataclass
class Comment:
    """The parts of a comment, in roff. `mentions`: names of what it links to."""

    paragraphs: list[str] = field(default_factory=list)
    parameters: list[Listed] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    codes: list[Listed] = field(default_factory=list)
    mentions: set[str] = field(default_factory=set)


#: A paragraph that is printed as it stands begins with this.
VERBATIM = "\0"


@dataclass(frozen=True)
class Reader:
    """Reads comments of one item, whose name is `own`. `italic`: its parameters. `pages`: what has a page."""

    own: str
    italic: frozenset[str]
    pages: frozenset[str]

    def read(self, text: Iterable[Element]) -> Comment:
        comment = Comment()
        for para in text:
            self._para(para, comment)
        return comment

    def _para(self, para: Element, comment: Comment) -> None:
        line = self._words(para.text or "", comment.mentions)
        for child in para:
            if child.tag in ("parameterlist", "simplesect", "verbatim"):
                _add(comment.paragraphs, line)
                line = ""
                self._block(child, comment)
            else:
                line += self._inline(child, comment.mentions)
            line += self._words(child.tail or "", comment.mentions)
        _add(comment.paragraphs, line)

    def _block(self, block: Element, comment: Comment) -> None:
        kind = block.get("kind")
        if block.tag == "verbatim":
            comment.paragraphs.append(VERBATIM + (block.text or ""))
        elif kind == "return":
            comment.returned += self._paragraphs(block, comment.mentions)
        elif kind in ("param", "retval"):
            into = comment.parameters if kind == "param" else comment.codes
            into += [self._listed(each, comment.mentions) for each in block.findall("parameteritem")]
        else:
            raise ValueError(f"{self.own}: a comment holds {block.tag} {kind or ''}, which no page shows yet")

    def _listed(self, item: Element, mentions: set[str]) -> Listed:
        names = item.findall("parameternamelist/parametername")
        description = item.find("parameterdescription")
        text = () if description is None else self._paragraphs(description, mentions)
        return Listed(
            tuple("".join(each.itertext()) for each in names), names[0].get("direction", ""), tuple(text)
        )

    def _paragraphs(self, element: Element, mentions: set[str]) -> list[str]:
        inner = Comment(mentions=mentions)
        for para in element.findall("para"):
            self._para(para, inner)
        return inner.paragraphs

    def _inline(self, element: Element, mentions: set[str]) -> str:
        text = "".join(element.itertext())
        if element.tag == "ref":
            return self._link(text, mentions)
        if element.tag == "computeroutput":
            first = re.match(r"\*?(\w*)", text)
            return f"\\f{'I' if first and first[1] in self.italic else 'B'}{literal(text)}\\fP"
        if element.tag == "ndash":
            return "\\-\\-"
        raise ValueError(f"{self.own}: a comment holds {element.tag}, which no page shows yet")

    def _words(self, text: str, mentions: set[str]) -> str:
        """Doxygen links names of functions; those of types are found here."""
        parts = re.split(r"\b(nereus_\w*\w)\b", text)
        return "".join(
            self._link(part, mentions) if number % 2 else plain(part) for number, part in enumerate(parts)
        )

    def _link(self, text: str, mentions: set[str]) -> str:
        name = text.removesuffix("()")
        if name == self.own:
            return f"\\fB{name}\\fP{text.removeprefix(name)}"
        if name not in self.pages:
            return plain(text)
        mentions.add(name)
        return f"\\fB\\%{name}\\fP(3)"


def _add(paragraphs: list[str], text: str) -> None:
    if text.strip():
        paragraphs.append(" ".join(text.split()))
