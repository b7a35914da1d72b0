# SPDX-License-Identifier: BSD-3-Clause
"""A real Flux whose nodes are namespaces of this machine: one broker on each, as a system instance has it."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from nodes import CannotStart, Nodes, node

from nereus.bench.local_hosts import Wanted, local_hosts

NODES = "abcd"
CORES = 2
# An instance of a user's takes many commands of Flux to start and to end.
_WITHIN = 300.0
# Each node has a /tmp of its own.
_RUNS_IN = "/tmp/flux-of-node"
_CONF = """\
[bootstrap]
curve_cert = "{folder}/curve.cert"
default_port = 8050
default_bind = "tcp://eth0:%p"
default_connect = "tcp://%h:%p"
hosts = [{hosts}]

[resource]
noverify = true

[[resource.config]]
hosts = "{names}"
cores = "0-{last_core}"
"""


@dataclass
class FluxCluster(Nodes):
    """Four nodes; users are logged in on the first, and on any other."""

    #: How names begin of files that may be left on nodes where Flux killed processes of the present test.
    left_by_kills: tuple[str, ...] = ()
    brokers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Their names."""
        return self.hosts.names

    @property
    def environment(self) -> dict[str, str]:
        """Of a user who is logged in on some host."""
        # Names of hosts are all that brokers of users' instances can tell addresses by.
        return {**super().environment, "FLUX_URI": f"local://{_RUNS_IN}/local", "FLUX_IPADDR_HOSTNAME": "1"}

    def asked(self, *words: str) -> str:
        """What a command of Flux prints."""
        done = self.on(self.nodes[0], "flux", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @property
    def jobs(self) -> list[str]:
        """Numbers of those that wait or run."""
        return self.asked("jobs", "--no-header", "--format={id.f58plain}").split()

    @property
    def idle(self) -> set[str]:
        """Letters of nodes without a job."""
        listed = self.asked("resource", "list", "--states=free", "--no-header", "--format={nodelist}")
        names = self.asked("hostlist", "--expand", listed).split() if listed else []
        return {name[-1] for name in names}


@contextlib.contextmanager
def flux_cluster() -> Iterator[FluxCluster]:
    """All nodes idle; nothing is left at the end of the block. CannotStart where that cannot be."""
    # Not in /tmp, which each node has for itself.
    folder = Path(tempfile.mkdtemp(prefix="nereus-", dir="/var/tmp"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        hosts = stack.enter_context(local_hosts(Wanted("nfl", NODES)))
        program = shutil.which("flux")
        assert program is not None
        seen = (Path(program).resolve().parents[1],)
        cluster = FluxCluster(folder, hosts, seen=seen, usual=(Path(_RUNS_IN).name,), within=_WITHIN)
        for host in hosts.names:
            stack.enter_context(node(cluster, host))
        _configure(cluster)
        stack.callback(_stop, cluster)
        for host in hosts.names:
            cluster.brokers.append(_broker(cluster, host))
        try:
            cluster.wait_until(lambda: _all_idle(cluster), "nodes are not idle")
        except AssertionError:
            raise CannotStart(_last_error(folder)) from None
        yield cluster


def _configure(cluster: FluxCluster) -> None:
    folder = cluster.folder
    certificate = cluster.on(cluster.nodes[0], "flux", "keygen", folder / "curve.cert")
    if certificate.returncode != 0:
        raise CannotStart(certificate.stderr.strip())
    (folder / "conf").mkdir()
    hosts = ", ".join(f'{{host = "{name}"}}' for name in cluster.nodes)
    names = ",".join(cluster.nodes)
    text = _CONF.format(folder=folder, hosts=hosts, names=names, last_core=CORES - 1)
    (folder / "conf" / "system.toml").write_text(text)


def _broker(cluster: FluxCluster, host: str) -> "subprocess.Popen[bytes]":
    """It ends with the node that it runs on."""
    script = f"mkdir -m 700 {_RUNS_IN} && exec flux broker --config-path={cluster.folder}/conf "
    settings = f"-Srundir={_RUNS_IN} -Slocal-uri=local://{_RUNS_IN}/local "
    environment = {name: value for name, value in cluster.environment.items() if name != "FLUX_URI"}
    with (cluster.folder / f"broker-{host}.log").open("wb") as log:
        return subprocess.Popen(
            cluster.words_on(host, "sh", "-c", f"{script}{settings} sleep infinity"),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _stop(cluster: FluxCluster) -> None:
    for broker in cluster.brokers:
        broker.kill()
        broker.wait()


def _last_error(folder: Path) -> str:
    lines = [line for log in sorted(folder.glob("broker-*.log")) for line in log.read_text().splitlines()]
    return lines[-1] if lines else "no error is in its logs"


def _all_idle(cluster: FluxCluster) -> bool:
    words = ("flux", "resource", "list", "--states=free", "--no-header", "--format={nnodes}")
    return cluster.on(cluster.nodes[0], *words).stdout.strip() == str(len(cluster.nodes))
