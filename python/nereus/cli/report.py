# SPDX-License-Identifier: BSD-3-Clause
"""nereus report PATH - look at the results of a run, of a study, or of the monitor again, or at epochs."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.monitor.kinds import is_prof, is_recording
from nereus.analysis.report import draw, read, table, write_csv, write_proteo
from nereus.analysis.study import is_study
from nereus.analysis.trace.kinds import RECORD, is_trace
from nereus.cli.epochs_report import report_epochs
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show, show_json
from nereus.epochs import is_folder_of_epochs


def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="Results of a run or a study, a record of the monitor, a .prof file, a folder of a trace or "
            "of epochs.",
        ),
    ],
    csv: Annotated[
        bool, typer.Option("--csv", help="Write the tables of a run, a study or a record.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the picture of a run or a record (PNG).")
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Another run, drawn below on the same axes; can be repeated."),
    ] = None,
    proteo: Annotated[
        bool, typer.Option("--proteo", help="Write Proteo's text files of a run into DIR.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report of a study as one page.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw the figures of a study there (PNG).")
    ] = None,
    prof: Annotated[
        Path | None, typer.Option(metavar="NAME", help="Write a record as Open MPI does: NAME.RANK.prof.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the results of a run or of a study, or what was recorded of one, also where it did not finish.

    Of a folder of `nereus trace` the record in it; of one in which `nereus run --save` keeps epochs: which
    there are, and what is in them.

    Example: nereus report results/cg --csv --picture cg.png
    """
    if is_trace(folder):
        folder /= RECORD
    of_study = {"--html": html is not None, "--plot": plot is not None}
    try:
        if is_recording(folder) or is_prof(folder):
            _refuse("a record", of_study | {"--proteo": proteo, "--beside": bool(beside)})
            from nereus.cli.monitor_report import report_recording

            written = report_recording(folder, csv, picture, prof, as_json)
        elif is_folder_of_epochs(folder):
            of_runs = {"--csv": csv, "--picture": picture is not None, "--beside": bool(beside)}
            _refuse("epochs", of_study | of_runs | {"--proteo": proteo, "--prof": prof is not None})
            report_epochs(folder, as_json)
            written = []
        elif is_study(folder):
            of_others = {"--picture": picture is not None, "--beside": bool(beside), "--proteo": proteo}
            _refuse("a study", of_others | {"--prof": prof is not None})
            from nereus.cli.study_report import report_study  # runs are shown sooner without it

            written = report_study(folder, csv, html, plot, as_json)
        else:
            _refuse("a run", of_study | {"--prof": prof is not None})
            if beside and picture is None:
                raise Refused("--beside: allowed only with --picture, which draws the runs below each other")
            written = _report_run(folder, csv, picture, beside or [], proteo, as_json)
    except BrokenPipeError:
        raise  # of stdout: whoever reads it has enough
    except OSError as problem:
        raise Refused(f"{problem.filename}: cannot be written: {problem.strerror}") from problem
    for path in written:
        note(f"written: {path}")


def _refuse(kind: str, options: dict[str, bool]) -> None:
    for option, given in options.items():
        if given:
            raise Refused(f"{option}: PATH holds {kind}, which has no such output")


def _report_run(
    folder: Path, csv: bool, picture: Path | None, others: list[Path], proteo: bool, as_json: bool
) -> list[Path]:
    results, *more = (read(each) for each in (folder, *others))
    files = folder if folder.is_dir() else folder.parent
    if as_json:
        show_json(results.document())
    else:
        show(table(results))
    written = [
        *(write_csv(results, files) if csv else []),
        *(write_proteo(results, files) if proteo else []),
    ]
    if picture is not None:
        draw([results, *more], picture)
        written.append(picture)
    return written
