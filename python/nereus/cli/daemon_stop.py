# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon stop - ends the daemon of this user."""

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import note, show_json
from nereus.daemon import ask_daemon


def stop(as_json: JsonOption = False) -> None:
    """End this user's daemon; its jobs continue without one, and another daemon knows them from the store.

    Example: nereus daemon stop
    """
    answer = ask_daemon({"kind": "stop"})
    if as_json:
        show_json({"pid": answer["pid"]})
    else:
        note(f"process {answer['pid']} ends")
