# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm whose nodes are namespaces of this machine."""

import contextlib
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from nodes import WITHIN, CannotStart, Nodes, node, started
from slurm_accounting import CONF as ACCOUNTING
from slurm_accounting import register, start_accounting

from nereus.bench.local_hosts import Wanted, local_hosts

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

_CONF = """\
ClusterName={cluster}
SlurmctldHost={controller}
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=15
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
{accounting}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=permit_job_expansion,sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
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


@dataclass
class SlurmCluster(Nodes):
    """Four nodes, and a host with the controller, where users are logged in."""

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
        """Of a user who is logged in on some host."""
        return {**super().environment, "SLURM_CONF": str(self.folder / "slurm.conf")}

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

    def start_controller(self) -> None:
        """Also after it was killed."""
        words = self.words_on(self.login, "slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.controller = started(words, self.environment)

    def stop_controller(self) -> None:
        """Nobody answers for Slurm any more."""
        assert self.controller is not None
        self.on(self.login, "kill", (self.folder / "slurmctld.pid").read_text().strip())
        self.controller.wait(WITHIN)

    def start_slurmd(self, node: str) -> None:
        """Also after it was killed."""
        words = self.words_on(node, "slurmd", "-D", "-N", node, "-f", self.folder / "slurm.conf")
        self.slurmds[node] = started(words, self.environment)

    def kill_slurmd(self, node: str) -> None:
        """What it has started there goes on."""
        self.on(node, "kill", "-KILL", (self.folder / f"slurmd-{node}.pid").read_text().strip())
        self.slurmds[node].wait(WITHIN)


def missing_programs() -> list[str]:
    """Programs of Slurm, and what makes hosts, that are not installed here."""
    return [name for name in (*PROGRAMS, "ip", "nsenter") if shutil.which(name) is None]


@contextlib.contextmanager
def slurm_cluster(accounts: bool = False) -> Iterator[SlurmCluster]:
    """All nodes idle; nothing is left at the end of the block. CannotStart where that cannot be.

    `accounts`: with slurmdbd, without which a job gets and gives back hosts only once.
    """
    # Not in /tmp, which each node has for itself.
    folder = Path(tempfile.mkdtemp(prefix="nereus-", dir="/var/tmp"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        hosts = stack.enter_context(local_hosts(Wanted("nsl", NODES + CONTROLLER)))
        cluster = SlurmCluster(folder, hosts)
        for host in hosts.names:
            stack.enter_context(node(cluster, host))
        stack.enter_context(_munge(folder))
        _configure(cluster, accounts)
        if accounts:
            start_accounting(cluster, cluster.login)
            register(cluster, cluster.login, cluster.hosts.prefix)
        cluster.start_controller()
        for name in cluster.nodes:
            cluster.start_slurmd(name)
        try:
            cluster.wait_until(lambda: _all_idle(cluster), "nodes are not idle")
        except AssertionError:
            raise CannotStart(_last_error(folder)) from None
        yield cluster


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


def _configure(cluster: SlurmCluster, accounts: bool) -> None:
    folder = cluster.folder
    for name in ("state", *(f"spool/{host}" for host in cluster.nodes)):
        (folder / name).mkdir(parents=True)
    values = {"cluster": cluster.hosts.prefix, "controller": cluster.login, "folder": folder}
    accounting = ACCOUNTING if accounts else "AccountingStorageType=accounting_storage/none"
    values["accounting"] = accounting.format(**values).strip()
    text = _CONF.format(**values, nodes=",".join(cluster.nodes), processors=PROCESSORS)
    (folder / "slurm.conf").write_text(text)


def _last_error(folder: Path) -> str:
    lines = [line for log in sorted(folder.glob("slurm*.log")) for line in log.read_text().splitlines()]
    errors = [line for line in lines if "error" in line]
    return errors[-1] if errors else "no error is in its logs"


def _all_idle(cluster: SlurmCluster) -> bool:
    done = cluster.on(cluster.login, "sinfo", "--noheader", "--Node", "--states=idle", "--format=%N")
    return len(done.stdout.split()) == len(cluster.nodes)
