# SPDX-License-Identifier: BSD-3-Clause
"""nereus page - the daemon's jobs, or one job, in a browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, say, show_json_line, warn

if TYPE_CHECKING:
    from starlette.applications import Starlette


def page(
    job: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help="Its name (nereus jobs), or how its key begins: show it alone."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="On 127.0.0.1; 0: one that is free.")] = 0,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With JOB: its result file or measured file; if not given, the one that its command names.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve a live page of this user's daemon to browsers on this host, until Ctrl-C or SIGTERM.

    It shows each job's ranks, I/O phases, waits and resizes, and decisions with their origin and reason. The
    printed address is a key: whoever knows it can see the jobs, on this host.

    With JOB, a page of that job, which needs no daemon: its iterations, ranks and resizes, what its stages
    take, and, where it is monitored, how much each rank sends to each other.

    Example: nereus page --port 8707

    Example: nereus page cg-1
    """
    from nereus.daemon.page.server import LOCAL, listening, new_word, serve
    from nereus.launch import Stopping

    if results is not None and job is None:
        raise Refused(f"--results = {results}: is allowed with JOB alone")
    with Stopping() as stopping, _shown(job, results) as shown, listening(port) as at:
        word = new_word()
        address = f"http://{LOCAL}:{at.getsockname()[1]}/{word}/"
        show_json_line({"address": address}) if as_json else say(address)
        note("until Ctrl-C", quiet=as_json)
        serve(shown(word), at, lambda: stopping.signal is not None)


@contextmanager
def _shown(job: str | None, results: Path | None) -> "Iterator[Callable[[str], Starlette]]":
    """Makes the page of the daemon, or of that job, for a word."""
    from nereus.daemon.page.server import JOB_PAGE, application

    if job is None:
        from nereus.daemon.page.source import Source

        yield lambda word: application(word, Source())
        return
    from nereus.daemon.page.job.source import JobSource, sampled
    from nereus.supervisor import find

    found = find(job, lambda text: warn([text]))
    with sampled(JobSource(found, results=results)) as source:
        yield lambda word: application(word, source, first=JOB_PAGE)
