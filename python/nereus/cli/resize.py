# SPDX-License-Identifier: BSD-3-Clause
"""nereus resize JOB RANKS - ask a running job for another size."""

from typing import Annotated, Any

import typer

from nereus.analysis.report.units import seconds_text
from nereus.cli.elsewhere import AtOption, AtShellOption, carried_out_elsewhere
from nereus.cli.job_question import ask_job
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, say, show_json, warn
from nereus.cli.resize_options import GivenOptions, takes_resize_options
from nereus.cli.resize_size import wanted_size
from nereus.launch import read_hosts
from nereus.methods import PROCESS_STRATEGIES, RESTART, transfer_conflict
from nereus.methods.strategies import conflict_in
from nereus.supervisor import OK, PENDING, REDUCED, RESIZED, UNCHANGED, find

_GOOD = {OK, RESIZED, UNCHANGED, PENDING, REDUCED}


@takes_resize_options
def resize(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="Its name (nereus jobs), or how its key begins.")],
    options: GivenOptions,
    size: Annotated[
        str | None,
        typer.Argument(
            metavar="RANKS|+Nnodes",
            show_default=False,
            help="Wanted processes; or N more hosts of the resource manager, with processes in all slots.",
        ),
    ] = None,
    hosts: Annotated[
        str | None, typer.Option(metavar="n3:2,...", help="Hosts to add to the job's list for good.")
    ] = None,
    grow_to: Annotated[
        str | None,
        typer.Option(
            metavar="n3,n4", help="Get these hosts from the resource manager, and fill their slots."
        ),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            metavar="n3,n4|N",
            help="Leave these hosts, or the N that came last, and give them back to the resource manager.",
        ),
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until it is done or rolled back.")] = True,
    timeout: Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds to wait at most.")] = 300.0,
    as_json: JsonOption = False,
    at: AtOption = None,
    rsh: AtShellOption = None,
) -> None:
    """Ask a running job for another number of processes; what is not given is as the job has it.

    Example: nereus resize cg-1 8 --process-method merge
    """
    wanted = wanted_size(size, grow_to, release)
    read_hosts(hosts or "")
    _check_strategies(options.get("process-strategies"))
    _check_transfer(
        *(options.get(name) for name in ("process-method", "transfer-method", "transfer-strategy"))
    )
    if hosts is not None:
        if wanted.hosts:
            raise Refused(f"--hosts = {hosts}: the hosts are the resource manager's here; see --grow-to")
        options["hosts"] = hosts
    carried_out_elsewhere(context, at, rsh, timeout)
    question = {**wanted.question(timeout if wait else None), "options": options, "wait": wait}
    found = find(job, lambda text: warn([text]))
    raise typer.Exit(_present(ask_job(found, question, timeout), wanted.ranks, as_json))


def _check_strategies(text: str | None) -> None:
    """Refuse what the job would not understand either."""
    words = [] if text in {None, "none"} else str(text).split("+")
    wrong = next((word for word in words if word not in PROCESS_STRATEGIES), None)
    conflict = conflict_in([word for word in PROCESS_STRATEGIES for same in words if same == word])
    if wrong is not None:
        allowed = f"none, or some of {', '.join(PROCESS_STRATEGIES)} with + between them"
        raise Refused(f"--process-strategies = {text}: {wrong or 'an empty word'}: allowed is {allowed}")
    if conflict is not None:
        raise Refused(f"--process-strategies = {text}: {conflict}")


def _check_transfer(process_method: str | None, method: str | None, strategy: str | None) -> None:
    conflict = transfer_conflict(process_method, method, strategy)
    if conflict is not None:
        raise Refused(f"--transfer-method = {method}: {conflict}")


def _present(answer: dict[str, Any], ranks: int | None, as_json: bool) -> int:
    """Tell the outcome; the exit code."""
    result = {key: value for key, value in answer.items() if key not in {"version", "kind", "never"}}
    good, text = outcome(answer, ranks)
    if as_json:
        show_json(result)
    elif good:
        say(text)
    else:
        complain(text)
    return 0 if good else 2 if answer.get("never") else 1


def outcome(answer: dict[str, Any], ranks: int | None) -> tuple[bool, str]:
    """Whether it is as was asked for, and the outcome in a sentence."""
    if answer.get("kind") == "resized" and answer.get("code") in _GOOD:
        return True, _sentence(answer, ranks)
    name = answer.get("name")
    return False, f"{answer.get('message') or 'the job was not resized'}" + (f" ({name})" if name else "")


def _sentence(answer: dict[str, Any], ranks: int | None) -> str:
    code, message = answer["code"], answer.get("message") or ""
    if code == RESIZED:
        return _resized(answer.get("report") or {}, ranks)
    if code == UNCHANGED:
        return message or "unchanged: the job has that size already"
    if not answer.get("request"):
        return message
    noted = f"noted as request {answer.get('request')}"
    return f"{noted}: {message}" if message else noted


def _resized(report: dict[str, Any], ranks: int | None) -> str:
    made = [report.get("process_method"), *(report.get("process_strategies") or [])]
    restarts = report.get("process_method") == RESTART
    moved = [] if restarts else [report.get("transfer_method"), report.get("transfer_strategy")]
    texts = (_joined(made, " + "), _joined(moved, " "), _prediction(report))
    how = ", ".join(text for text in texts if text)
    size = (
        f"{report['from']} → {report['to']} ranks"
        if "from" in report and "to" in report
        else f"{ranks} ranks"
    )
    pause, making = (seconds_text(_number(report.get(key))) for key in ("pause_seconds", "process_seconds"))
    done = f"resized {size}: pause {pause} (processes {making}" + (f", {how})" if how else ")")
    placed = report.get("placed")  # a job of an older library does not tell
    return f"{done}; {placed}" if placed else done


def _prediction(report: dict[str, Any]) -> str:
    """What `auto` expected the transfer to take, and what it took; "" where it chose nothing."""
    predicted = _number(report.get("predicted_seconds"))
    if predicted is None or predicted < 0:
        return ""
    parts = [_number(report.get(key)) or 0.0 for key in ("constant_seconds", "variable_seconds")]
    return f"predicted {seconds_text(predicted)}, took {seconds_text(sum(parts))}"


def _joined(words: list[Any], between: str) -> str:
    return between.join(word for word in words if isinstance(word, str))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
