# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon - decides when each of many jobs may write, and which cores it gets."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.cli.host_limits import check_beside, host_limits, in_words, pilot
from nereus.cli.lazy import Home, group_of
from nereus.cli.messages import Refused, note, say, show_json, show_json_line

if TYPE_CHECKING:
    from nereus.daemon.daemon import Daemon, Settings
    from nereus.daemon.events import Event
    from nereus.daemon.state import HostLimits, Pilot

_USUAL = "blocking"
_ADDRESS = re.compile(r"tcp://[^:/\s]+:(\*|\d{1,5})\Z")

daemon = group_of(
    {
        "status": Home("nereus.cli.daemon_status"),
        "events": Home("nereus.cli.daemon_events"),
        "period": Home("nereus.cli.daemon_period"),
        "change": Home("nereus.cli.daemon_change"),
        "stop": Home("nereus.cli.daemon_stop"),
    }
)


def _make_keys(folder: Path, as_json: bool) -> None:
    from nereus.daemon.keys import make_keys

    make_keys(folder)
    show_json({"folder": str(folder)}) if as_json else say(str(folder))


@daemon.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.py:CLASS", help="The policy that decides; see docs/reference/daemon.md."
        ),
    ] = _USUAL,
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="Time each job on some numbers of ranks before the policy decides."),
    ] = False,
    cores: Annotated[
        int | None, typer.Option(min=1, max=2**31 - 1, help="Cores of this host to give out.")
    ] = None,
    hosts: Annotated[
        str | None, typer.Option(metavar="a:4,b:4", help="Hosts with their cores to give out.")
    ] = None,
    allocation: Annotated[
        str | None,
        typer.Option(
            metavar="slurm", help="Jobs get hosts of this job in Slurm; with --max-nodes, further ones."
        ),
    ] = None,
    max_nodes: Annotated[
        int | None, typer.Option(help="With --allocation: hosts that jobs may get, at one time.")
    ] = None,
    max_node_hours: Annotated[
        float | None, typer.Option(help="With --allocation: hours for which they may have them, in all.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the policies.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of the state that outlives the daemon.", show_default=False),
    ] = None,
    metrics: Annotated[
        str, typer.Option(metavar="PORT|off", help="OpenMetrics on 127.0.0.1; 0: any port.")
    ] = "off",
    listen: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Also accept jobs with keys there.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keys of --make-keys, for --listen.")
    ] = None,
    make_keys: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Make keys in a new folder, then exit."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Each event as a line of JSON; of --make-keys one document.")
    ] = False,
) -> None:
    """Decide when each of this user's jobs may write, and which cores it gets, until Ctrl-C or SIGTERM.

    Example: nereus daemon --policy phase-shifting --set uncertainty=0.2
    """
    if make_keys is not None:
        _check_alone(context)
        _make_keys(make_keys, as_json)
        return
    if context.invoked_subcommand is not None:
        return
    limits = host_limits(allocation, max_nodes, max_node_hours)
    if allocation is not None:
        check_beside(cores=cores, hosts=hosts, keys=keys)
    shared = pilot() if allocation is not None and limits is None else None
    given = settings or []
    chosen = _settings(policy, sweep, cores, hosts, given, store, metrics, listen, keys, limits, shared)
    _serve(chosen, _print_json if as_json else _print_text)


def _check_alone(context: typer.Context) -> None:
    """Nothing else is done where keys are made."""
    given = [
        each.opts[0]
        for each in context.command.params
        if each.name and str(getattr(context.get_parameter_source(each.name), "name", "")) == "COMMANDLINE"
    ]
    others = [name for name in given if name not in ("--make-keys", "--json")]
    if context.invoked_subcommand is not None:
        others.append(context.invoked_subcommand)
    if others:
        raise Refused(f"--make-keys: allowed without {', '.join(others)}")


def _settings(
    policy: str,
    sweep: bool,
    cores: int | None,
    hosts: str | None,
    settings: list[str],
    store: Path | None,
    metrics: str,
    listen: str | None,
    keys: Path | None,
    limits: "HostLimits | None",
    shared: "Pilot | None",
) -> "Settings":
    from nereus.cli.parameters import parameters_of
    from nereus.daemon.daemon import Settings
    from nereus.daemon.places import cores_of
    from nereus.daemon.store import usual_place
    from nereus.launch import Host, read_hosts
    from nereus.policy.loading import load
    from nereus.policy.sweep import Sweep

    if cores is not None and hosts is not None:
        raise Refused("--cores and --hosts: one of them is allowed")
    _check_listening(listen, keys, limits is not None or shared is not None)
    given = read_hosts(hosts or "") or ((Host("", cores),) if cores is not None else ())
    return Settings(
        policy=Sweep(load(policy)) if sweep else load(policy),
        policy_name=f"{policy} behind a sweep" if sweep else policy,
        cores=shared.hosts if shared is not None else cores_of(given) if limits is None else {},
        store=(store or usual_place()).absolute(),
        parameters=parameters_of(settings),
        listen=listen,
        keys=keys,
        metrics=_port(metrics),
        limits=limits,
        pilot=shared,
    )


def _check_listening(listen: str | None, keys: Path | None, makes_keys: bool) -> None:
    if (listen is None) != (keys is None) and not makes_keys:
        raise Refused("--listen and --keys: both or none are allowed; nereus daemon --make-keys makes keys")
    if listen is not None and not _ADDRESS.match(listen):
        raise Refused(f"--listen = {listen}: allowed is tcp://HOST:PORT, or tcp://HOST:* for any port")


def _port(text: str) -> int | None:
    if text == "off":
        return None
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65536):
        raise Refused(f"--metrics = {text}: allowed is off, or a port of 0 .. 65535")
    return int(text)


def _serve(settings: "Settings", show: "Callable[[Event], None]") -> None:
    from nereus.daemon.daemon import Daemon
    from nereus.launch import Stopping

    with Stopping() as stopping:
        daemon = Daemon(settings, show)
        try:
            _introduce(daemon, settings)
            daemon.serve(lambda: stopping.signal is not None)
        finally:
            daemon.close()


def _introduce(daemon: "Daemon", settings: "Settings") -> None:
    from nereus.supervisor.site_record import record_path

    about = daemon.about
    note(f"policy {settings.policy_name}, {_given_out(settings)}, store {settings.store}")
    if settings.pilot is not None:
        note(f"jobs in the job {settings.pilot.job} find it at {about['listen']}; start them on this host")
    elif settings.limits is not None:
        note(f"jobs in Slurm find it at {about['listen']}, by {record_path()}")
    else:
        far = f", and at {about['listen']}" if about["listen"] else ""
        note(f"jobs find it by NEREUS_CONTROLLER=ipc://{daemon.line}{far}")
    if about["metrics"] is not None:
        note(f"metrics: http://127.0.0.1:{about['metrics']}/metrics")


def _given_out(settings: "Settings") -> str:
    if settings.limits is not None:
        return in_words(settings.limits)
    hosts = f" of {len(settings.cores)} hosts" if settings.pilot is not None else ""
    return f"{sum(settings.cores.values())} cores{hosts}"


def _print_json(event: "Event") -> None:
    show_json_line(event.document())


def _print_text(event: "Event") -> None:
    """What people are told: sentences of the coordinator, and what is wrong."""
    if "text" in event.about and event.kind in {"note", "trouble"}:
        note(f"{event.job}: {event.about['text']}" if event.job else str(event.about["text"]))
