# SPDX-License-Identifier: BSD-3-Clause
"""nereus export DIR... - make a file for other tools of traces."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report.units import bytes_text, count_text
from nereus.analysis.trace.decisions import read_decisions
from nereus.analysis.trace.export import FORMATS, Format
from nereus.analysis.trace.export import export as export_run
from nereus.analysis.trace.merging import merged
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json
from nereus.cli.new_folder import check_new
from nereus.cli.picture_file import check_picture


def export(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Folders of `nereus trace`: several of jobs that ran at a time."
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="perfetto, chrome, otf2, paraver or picture.")
    ] = "perfetto",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="If not given, DIR with the ending of the format."
        ),
    ] = None,
    daemon: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What `nereus daemon events --json` printed, for a lane of its own."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over FILE.")] = False,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
) -> None:
    """Make a file of a trace for other tools: a lane for each process, arrows for messages and resizes.

    Example: nereus export trace --to perfetto -o trace.pftrace
    """
    chosen = _format(to)
    file = output or _usual_file(folders[0], chosen)
    _check(file, chosen, force)
    if daemon is not None and not chosen.has_daemon:
        able = ", ".join(name for name, each in FORMATS.items() if each.has_daemon)
        raise Refused(f"--daemon = {daemon}: {to} has no place for it; allowed with {able}")
    run = merged([read_run(folder) for folder in folders])
    if daemon is not None:
        run = replace(run, decisions=read_decisions(daemon, run))
    for line in run.notes:
        note(line)
    try:
        export_run(run, chosen, file)
    except OSError as problem:
        raise Refused(f"--output = {file}: cannot be written: {problem.strerror}") from None
    if as_json:
        show_json(_document(run, chosen, file))
        return
    if run.unmatched:
        lonely = count_text(run.unmatched)
        note(f"ends of messages without an arrow, as the other one is not surely known: {lonely}")
    note(
        f"written: {file} ({bytes_text(_size(file))}): {count_text(run.calls)} calls, "
        f"{count_text(len(run.messages))} messages of {len(run.tracks)} processes; for {chosen.readers}",
        quiet,
    )


def _format(name: str) -> Format:
    chosen = FORMATS.get(name)
    if chosen is None:
        raise Refused(f"--to = {name}: allowed is {', '.join(FORMATS)}")
    if chosen.package and importlib.util.find_spec(chosen.package) is None:
        raise Refused(
            f"--to = {name}: needs the Python package {chosen.package}: pip install {chosen.package}"
        )
    return chosen


def _usual_file(folder: Path, chosen: Format) -> Path:
    place = folder.resolve()
    if not place.name:
        raise Refused(f"{folder}: is no folder of `nereus trace`")
    return place.with_name(place.name + chosen.suffix)


def _check(file: Path, chosen: Format, force: bool) -> None:
    if chosen.is_folder:
        check_new(file, "--output")
    if not chosen.is_folder and file.exists() and not file.is_file():
        raise Refused(f"--output = {file}: is no regular file")
    if chosen.beside and file.suffix != chosen.suffix:
        raise Refused(f"--output = {file}: the name must end in {chosen.suffix}")
    if chosen.name == "picture":
        check_picture(file, "--output")
    for each in (file, *(file.with_suffix(suffix) for suffix in chosen.beside)):
        if not chosen.is_folder and each.exists() and not force:
            raise Refused(f"{each}: exists; --force writes over it")
    if not file.absolute().parent.is_dir():
        raise Refused(f"--output = {file}: there is no such folder")


def _size(file: Path) -> int:
    """Of a folder that of all in it."""
    parts = [part for part in file.rglob("*") if part.is_file()] if file.is_dir() else [file]
    return sum(part.stat().st_size for part in parts)


def _document(run: Timeline, chosen: Format, file: Path) -> dict[str, object]:
    return {
        "file": str(file),
        "format": chosen.name,
        "processes": len(run.tracks),
        "calls": run.calls,
        "messages": len(run.messages),
        "message_ends_without_arrow": run.unmatched,
        "generations": sorted({span.generation for span in run.generations}),
        "rank_arrows": len(run.successions),
        "daemon_events": len(run.decisions),
        "overwritten_events": sum(track.overwritten for track in run.tracks),
        "notes": run.notes,
    }
