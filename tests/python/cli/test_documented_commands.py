# SPDX-License-Identifier: BSD-3-Clause
"""Command lines in documents and helps name commands and options that there are, and are run by tests.

Those in `console` blocks tests/system/test_documents.py runs. For all others there is a reason not to.
"""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from nereus.cli.lazy import HELP_COMMAND
from nereus.cli.main import app

# Indented or in a block of code, or behind "Example:" in a help; a name in running text is in backquotes.
_LINE = re.compile(
    r"^(?: {4}|\$ |\s*Example: )(?:\w+=\S+ )*(?:\.venv/bin/)?(nereus(?: .*)?)$|`(nereus [a-z][^`]*)`",
    re.MULTILINE,
)
# Blocks of code, and what is indented, with commands of ours and launchers.
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(
    r"^(?: {4})?(?:\$ )?((?:\w+=\S+ )*(?:\S*/)?(?:nereus(?:-\w+)?|mpiexec|mpirun) .+)$", re.MULTILINE
)
#: Why a line is not run as it stands, by what it has in it or by its page.
NOT_RUN = {
    r" \[-|…": "a template: what is in brackets may be left out",
    r"\./app|\./application|APP\b": "the program is the reader's",
    r"n1:|--at n1|keys\b": "other hosts, or keys of a daemon for them, are needed",
    r"(resize|save) (\w+-1|mine)\b": "the name of a job that runs, in another terminal",
    r"nereus (daemon|page|top)\b": "runs until it is ended, or looks at what runs",
    r"nereus trace traced --for": "of a job that runs; test_trace_limits.py has one record",
    r"--daemon events\.jsonl": "of a daemon and jobs that ran meanwhile; test_trace.py exports such",
    r"cluster\.toml|day\.swf|january|audikw_1|nereus-monitor-1f": "the file is the reader's",
    r"[ =](run\.json|measured\.jsonl)": "the file is the reader's",
    r"build/(mine|mpich)|mine/sums": "of a build tree, or of the file that the reader changes step by step",
    r"--mpi NAME": "of a build that the reader made",
    r"nereus build ": "the MPI is the reader's; test_build_from_wheel.py runs it with those of the tests",
    r"nereus/bin/nereus demo": "of an environment that the reader made; test_wheel.py runs it in one",
    r"--mpi openmpi|OMPI_|--sensor components": "Open MPI's launcher refuses root, and may not be there",
    r"simulate (transfer|placement) ": "needs SimGrid, which may not be there",
    r"docs/measured/|docs/pictures/": "takes minutes or hours, and is how figures and pictures were made",
    r"--plot |--bars |overhead\.png": "takes minutes",
    r"nereus study |report studies/": "takes minutes",
    r"report results/|use-case-[abc]|--cores 210": "takes long, or needs what such a line makes",
    r"NEREUS_VERIFY=on mpiexec": "stands for any program",
}
_OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")


def command_lines(text: str) -> Iterator[str]:
    """All of a document, each up to what is the program's that it starts."""
    for found in _LINE.finditer(text):
        yield re.split(r" -- | #|  +|[|;]", found[1] or found[2])[0]


def not_in_console_blocks(text: str) -> list[str]:
    """Command lines of a document that test_documents.py does not run."""
    plain = _FENCED.sub(lambda block: "" if block[1] else block[2], text)
    return [found[1] for found in _TYPED.finditer(plain)]


def _command_in(group: Any, name: str) -> Any:
    """None where it has none of that name."""
    return group.resolve_command(typer.Context(group), [name])[1] if name in group.commands else None


def wrong_in(line: str) -> list[str]:
    """Words of a line that `nereus` does not know as what they stand for."""
    root: Any = get_command(app)
    command, words = root, line.split()[1:]
    words = words[1:] if words[:1] == [HELP_COMMAND] else words
    while words and hasattr(command, "get_command"):
        inner = _command_in(command, words[0])
        if inner is None and command is root and words[0].isalpha() and words[0].islower():
            return [words[0]]
        if inner is None:  # a group's usual command, or a placeholder
            command = _command_in(command, "scenario") or command
            break
        command, words = inner, words[1:]
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    return [option for option in _OPTION.findall(" ".join(words)) if option not in known]


def test_documents_and_helps_name_existing_commands_and_options(tracked: dict[str, str]) -> None:
    texts = {path: text for path, text in tracked.items() if path.endswith(".md") or "/cli/" in path}
    lines = [
        (path, line) for path, text in texts.items() for line in command_lines(text) if "tests/" not in path
    ]
    assert len(lines) > 100
    assert [(path, line, wrong) for path, line in lines if (wrong := wrong_in(line))] == []


def test_runnable_commands_are_in_console_blocks(tracked: dict[str, str]) -> None:
    documents = {path: text for path, text in tracked.items() if re.match(r"(docs/|examples/)?.*\.md$", path)}
    lines = [
        f"{path}: {line}"
        for path, text in documents.items()
        if path.startswith(("docs/", "examples/", "README"))
        for line in not_in_console_blocks(text)
    ]
    assert [line for line in lines if not any(re.search(reason, line) for reason in NOT_RUN)] == []
    assert [reason for reason in NOT_RUN if not any(re.search(reason, line) for line in lines)] == []


def test_commands_outside_of_console_blocks_are_found() -> None:
    text = (
        "    nereus run -n 2 -- a\n    nereus: a message\n    VERBOSE=1 .venv/bin/mpiexec -n 2 b\n"
        "```\n$ nereus jobs --json\n```\n```console\n$ nereus resize a 2\n```\nWith nereus run it works\n"
    )
    found = ["nereus run -n 2 -- a", "VERBOSE=1 .venv/bin/mpiexec -n 2 b", "nereus jobs --json"]
    assert not_in_console_blocks(text) == found


def test_wrong_names_are_found() -> None:
    text = (
        "    nereus run -n 2 --hostz a -- ./app --own\n"
        "the `nereus emulte FILE` and `nereus simulate x --json`\n"
        "$ nereus jobs"
    )
    lines = list(command_lines(text))
    assert lines == [
        "nereus run -n 2 --hostz a",
        "nereus emulte FILE",
        "nereus simulate x --json",
        "nereus jobs",
    ]
    assert [wrong_in(line) for line in lines] == [["--hostz"], ["emulte"], [], []]
