# SPDX-License-Identifier: BSD-3-Clause
"""A slurmdbd with a database of its own, without which Slurm lets a job get and give back hosts only once."""

import shutil
from collections.abc import Callable

from nodes import CannotStart, Nodes, started

PROGRAMS = ("slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db")
PORT = 26819
#: What slurm.conf needs; {controller}: where slurmdbd runs.
CONF = f"""\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={{controller}}
AccountingStoragePort={PORT}
AccountingStoragePass={{folder}}/munge.socket
"""
_SLURMDBD_CONF = f"""\
AuthType=auth/munge
AuthInfo=socket={{folder}}/munge.socket
DbdHost={{controller}}
DbdPort={PORT}
SlurmUser=root
PidFile={{folder}}/slurmdbd.pid
LogFile={{folder}}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
"""
_SMALL = ("--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0")


def missing_programs() -> list[str]:
    """Those that are not installed here."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def start_accounting(nodes: Nodes, controller: str) -> None:
    """On the controller's host, with which both end; CannotStart where they do not start."""
    folder = nodes.folder
    database, socket = folder / "database", folder / "database.socket"
    user = ["--no-defaults", "--user=root", f"--datadir={database}"]
    made = nodes.on(controller, "mariadb-install-db", *user, "--auth-root-authentication-method=normal")
    if made.returncode != 0:
        raise CannotStart(f"no database: {made.stderr.strip()[-200:]}")
    conf = folder / "slurmdbd.conf"
    conf.write_text(_SLURMDBD_CONF.format(folder=folder, controller=controller))
    conf.chmod(0o600)
    named = {"SLURM_CONF": str(folder / "slurm.conf"), "MYSQL_UNIX_PORT": str(socket)}
    served = ["mariadbd", *user, f"--socket={socket}", "--skip-networking", *_SMALL]
    started(nodes.words_on(controller, *served), nodes.environment)
    _wait(nodes, socket.exists, "the database does not start")
    started(nodes.words_on(controller, "slurmdbd", "-D"), nodes.environment | named)
    _wait(nodes, lambda: _listens(nodes, controller), "slurmdbd does not start")


def register(nodes: Nodes, controller: str, cluster: str) -> None:
    """Make the cluster known to slurmdbd, before its controller starts."""
    conf = str(nodes.folder / "slurm.conf")
    nodes.on(controller, "sacctmgr", "-i", "-Q", "add", "cluster", cluster, SLURM_CONF=conf)


def _listens(nodes: Nodes, controller: str) -> bool:
    return nodes.on(controller, "bash", "-c", f"exec 3<>/dev/tcp/{controller}/{PORT}").returncode == 0


def _wait(nodes: Nodes, condition: Callable[[], bool], what: str) -> None:
    try:
        nodes.wait_until(condition, what)
    except AssertionError:
        raise CannotStart(what) from None
