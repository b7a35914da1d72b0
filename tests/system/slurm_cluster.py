# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm whose nodes are namespaces of this machine.

Each has a network, a name, processes, /tmp and /dev/shm of its own; all other files are common to them, as on
a cluster with a shared file system.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = (
    "slurmctld",
    "slurmd",
    "munged",
    "salloc",
    "sbatch",
    "squeue",
    "scontrol",
    "scancel",
    "srun",
    "sinfo",
)
NODES, CONTROLLER = "abcd", "l"
PROCESSORS = 2
WITHIN = 100.0

# The first process of a node. Folders that all nodes see and that lie below /tmp are mounted again.
_NODE = """\
hostname "$1"; mount --bind "$2" /etc/hosts; keep=$3; shift 3
n=0; for folder in "$@"; do n=$((n+1)); mkdir -p "$keep/$n"; mount --bind "$folder" "$keep/$n"; done
mount -t tmpfs tmpfs /tmp; chmod 1777 /tmp
n=0; for folder in "$@"; do n=$((n+1)); mkdir -p "$folder"; mount --move "$keep/$n" "$folder"; done
mount -t tmpfs tmpfs /dev/shm; chmod 1777 /dev/shm
echo ready
exec sleep infinity
"""
_CONF = """\
ClusterName={cluster}
SlurmctldHost={controller}
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=300
KillWait=5
CompleteWait=0
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
NodeName={nodes} CPUs={processors} RealMemory=1000 State=UNKNOWN
PartitionName=p Nodes={nodes} Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
"""


class CannotStart(Exception):
    """Such a cluster cannot be had here; the text says why."""


@dataclass
class SlurmCluster:
    """Four nodes, and a host with the controller, where users are logged in."""

    folder: Path
    hosts: LocalHosts
    first_processes: dict[str, int] = field(default_factory=dict)
    controller: "subprocess.Popen[bytes] | None" = None
    slurmds: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    #: How names begin of files that may be left on nodes where Slurm killed processes of the present test.
    left_by_kills: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Their names."""
        return self.hosts.names[: len(NODES)]

    @property
    def login(self) -> str:
        """The host of the controller."""
        return self.hosts.names[-1]

    @property
    def environment(self) -> dict[str, str]:
        """Of a user who is logged in on some host, with a home folder that all hosts share."""
        kept = ("PATH", "LANG", "NEREUS_BUILDS", "NEREUS_SYSTEM_TEST")
        own = {name: os.environ[name] for name in kept if name in os.environ}
        path = f"{Path(os.sys.executable).parent}:{own.get('PATH', '/usr/bin:/bin')}"  # type: ignore[attr-defined]
        return {**own, "PATH": path, "HOME": str(self.home), "SLURM_CONF": str(self.folder / "slurm.conf")}

    @property
    def home(self) -> Path:
        """The user's."""
        return self.folder / "home"

    def words_on(self, host: str, *words: str | Path) -> list[str]:
        """What runs a command on a host, as a user logged in there."""
        target = str(self.first_processes[host])
        spaces = ["--net", "--uts", "--mount", "--pid", "--ipc"]
        return ["nsenter", "--target", target, *spaces, f"--wd={self.folder}", "--", *map(str, words)]

    def on(self, host: str, *words: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command on a host to its end."""
        return subprocess.run(
            self.words_on(host, *words),
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def asked(self, *words: str) -> str:
        """What a command of Slurm prints."""
        done = self.on(self.login, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @property
    def jobs(self) -> list[str]:
        """Numbers of those that wait or run."""
        return self.asked("squeue", "--noheader", "--format=%A").split()

    @property
    def idle(self) -> set[str]:
        """Letters of nodes without a job."""
        names = self.asked("sinfo", "--noheader", "--Node", "--states=idle", "--format=%N").split()
        return {name[-1] for name in names}

    def files_on(self, host: str) -> list[str]:
        """What is in the folders that it has alone, but for what all hosts see."""
        listed = self.on(host, "ls", "-A", "/tmp", "/dev/shm").stdout.split()
        shared = {path.parts[2] for path in _below_tmp(self.folder)}
        found = [name for name in listed if not name.endswith(":") and name not in shared]
        # Hydra leaves its files where proxies are killed; the other is the user's folder of control sockets.
        usual = ("hydra_hwloc_xmlfile_", f"nereus-{os.getuid()}")
        return [name for name in found if not name.startswith(usual)]

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Look again and again; fails where it does not come true."""
        deadline = time.monotonic() + WITHIN
        while not condition():
            assert time.monotonic() < deadline, f"waited too long: {what}"
            time.sleep(0.05)

    def start_controller(self) -> None:
        """Also after it was killed."""
        words = self.words_on(self.login, "slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.controller = _daemon(words, self.environment)

    def stop_controller(self) -> None:
        """Nobody answers for Slurm any more."""
        assert self.controller is not None
        self.on(self.login, "kill", (self.folder / "slurmctld.pid").read_text().strip())
        self.controller.wait(WITHIN)

    def start_slurmd(self, node: str) -> None:
        """Also after it was killed."""
        words = self.words_on(node, "slurmd", "-D", "-N", node, "-f", self.folder / "slurm.conf")
        self.slurmds[node] = _daemon(words, self.environment)

    def kill_slurmd(self, node: str) -> None:
        """What it has started there goes on."""
        self.on(node, "kill", "-KILL", (self.folder / f"slurmd-{node}.pid").read_text().strip())
        self.slurmds[node].wait(WITHIN)


def missing_programs() -> list[str]:
    """Programs of Slurm, and what makes hosts, that are not installed here."""
    return [name for name in (*PROGRAMS, "ip", "nsenter") if shutil.which(name) is None]


@contextlib.contextmanager
def slurm_cluster() -> Iterator[SlurmCluster]:
    """All nodes idle; nothing is left at the end of the block. CannotStart where that cannot be."""
    # Not in /tmp, which each node has for itself.
    folder = Path(tempfile.mkdtemp(prefix="nereus-", dir="/var/tmp"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        hosts = stack.enter_context(local_hosts(Wanted("nsl", NODES + CONTROLLER)))
        cluster = SlurmCluster(folder, hosts)
        for host in hosts.names:
            stack.enter_context(_node(cluster, host))
        stack.enter_context(_munge(folder))
        _configure(cluster)
        cluster.start_controller()
        for node in cluster.nodes:
            cluster.start_slurmd(node)
        try:
            cluster.wait_until(lambda: _all_idle(cluster), "nodes are not idle")
        except AssertionError:
            raise CannotStart(_last_error(folder)) from None
        yield cluster


def _below_tmp(folder: Path) -> list[Path]:
    return [path for path in (folder, ROOT) if path.is_relative_to("/tmp")]


@contextlib.contextmanager
def _node(cluster: SlurmCluster, host: str) -> Iterator[None]:
    """A host's first process; all that runs there ends with it."""
    # Not by ip: it mounts a /sys without control groups, and slurmd needs them.
    keep = cluster.folder / "keep" / host
    keep.mkdir(parents=True)
    table = cluster.hosts.enter.with_name("hosts")
    spaces = ["unshare", "--uts", "--mount", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"]
    inside = ["/bin/bash", "-c", _NODE, "node", host, *map(str, (table, keep, *_below_tmp(cluster.folder)))]
    with subprocess.Popen(
        ["nsenter", f"--net=/run/netns/{host}", *spaces, *inside],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as outer:
        try:
            assert outer.stdout is not None
            if outer.stdout.readline() != b"ready\n":
                raise CannotStart("namespaces cannot be made")
            children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
            cluster.first_processes[host] = int(children[0])
            yield
        finally:
            outer.send_signal(signal.SIGKILL)


@contextlib.contextmanager
def _munge(folder: Path) -> Iterator[None]:
    """By which Slurm's programs know one another."""
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    files = {"key-file": key, "socket": folder / "munge.socket"}
    files |= {name: folder / f"munge.{name[:3]}" for name in ("pid-file", "log-file", "seed-file")}
    options = [f"--{name}={path}" for name, path in files.items()]
    folder.chmod(0o755)
    with subprocess.Popen(
        ["munged", "--foreground", "--force", *options], stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def _configure(cluster: SlurmCluster) -> None:
    folder = cluster.folder
    for name in ("home", "state", *(f"spool/{node}" for node in cluster.nodes)):
        (folder / name).mkdir(parents=True)
    values = {"cluster": cluster.hosts.prefix, "controller": cluster.login, "folder": folder}
    text = _CONF.format(**values, nodes=",".join(cluster.nodes), processors=PROCESSORS)
    (folder / "slurm.conf").write_text(text)


def _daemon(words: list[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """It ends with the node that it runs on."""
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(words, env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere)


def _last_error(folder: Path) -> str:
    lines = [line for log in sorted(folder.glob("slurm*.log")) for line in log.read_text().splitlines()]
    errors = [line for line in lines if "error" in line]
    return errors[-1] if errors else "no error is in its logs"


def _all_idle(cluster: SlurmCluster) -> bool:
    done = cluster.on(cluster.login, "sinfo", "--noheader", "--Node", "--states=idle", "--format=%N")
    return len(done.stdout.split()) == len(cluster.nodes)
