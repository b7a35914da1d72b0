# SPDX-License-Identifier: BSD-3-Clause
"""nereus page - the daemon's jobs in a browser."""

from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import note, say, show_json_line


def page(
    port: Annotated[int, typer.Option(min=0, max=65535, help="On 127.0.0.1; 0: one that is free.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Serve a live page of this user's daemon to browsers on this host, until Ctrl-C or SIGTERM.

    It shows each job's ranks, I/O phases, waits and resizes, and decisions with their origin and reason. The
    printed address is a key: whoever knows it can see the jobs, on this host.

    Example: nereus page --port 8707
    """
    from nereus.daemon.page.server import LOCAL, application, listening, new_word, serve
    from nereus.daemon.page.source import Source
    from nereus.launch import Stopping

    with Stopping() as stopping, listening(port) as at:
        word = new_word()
        address = f"http://{LOCAL}:{at.getsockname()[1]}/{word}/"
        show_json_line({"address": address}) if as_json else say(address)
        note("until Ctrl-C", quiet=as_json)
        serve(application(word, Source()), at, lambda: stopping.signal is not None)
