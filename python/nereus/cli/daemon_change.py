# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon change - another policy, or other parameters, while the daemon and its jobs run."""

from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json
from nereus.daemon import ask_daemon


def change(
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="The policy that decides from now on.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the policies.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Give this user's daemon another policy, or other parameters, until it ends; its jobs go on.

    Jobs that write go on writing; those that wait may write if the new policy lets them. Resizes that were
    told to jobs are carried out, and cores that were lent come back.

    Example: nereus daemon change --policy io-based --set io_weight=4
    """
    if policy is None and not settings:
        raise Refused("nothing to change: --policy NAME or --set NAME=VALUE is needed")
    answer = ask_daemon({"kind": "change", "policy": policy, "parameters": settings or []})
    if as_json:
        show_json({"policy": answer["policy"], "parameters": settings or []})
    else:
        note(f"policy {answer['policy']}" + "".join(f", {each}" for each in settings or []))
