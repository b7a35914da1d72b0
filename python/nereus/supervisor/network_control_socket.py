# SPDX-License-Identifier: BSD-3-Clause
"""The control socket of a job on the network: its user's programs on other hosts ask there, by its record."""

import socket
import time

import zmq

from nereus.launch.error import LaunchError
from nereus.launch.hosts import is_here
from nereus.supervisor.control_socket import RequestSocket
from nereus.supervisor.curve import new_pair
from nereus.supervisor.identity import Identity
from nereus.supervisor.job_record import JobRecord
from nereus.supervisor.job_records import WrittenRecord
from nereus.supervisor.link_socket import own_address
from nereus.supervisor.sockets import Sockets
from nereus.supervisor.supervision import Supervision


class NetworkControlSocket(RequestSocket):
    """It hears who has a key that is made for this job and stands in the job's record, and nobody else."""

    def __init__(self, sockets: Sockets, job: Identity, start: Supervision) -> None:
        """Listen, then write the record; LaunchError where either cannot be."""
        server, client = new_pair(), new_pair()
        self.socket = sockets.router(network=True)
        try:
            sockets.guard(self.socket, server, [client.public])
            others = [host.name for host in start.launch.reach.hosts if not is_here(host.name)]
            address = own_address(others)
            port = self.socket.bind_to_random_port(f"tcp://{address}")
            where = {"host": socket.gethostname(), "address": address, "port": port}
            keys = {"server": server.public, "public": client.public, "secret": client.secret}
            around: dict[str, str | None] = {"resource_manager": None, "resource_manager_job": None}
            if start.manager is not None and start.manager.job:
                around = {"resource_manager": start.manager.kind, "resource_manager_job": start.manager.job}
            about = {"job": job.key, "name": job.name, "started_unix": time.time()}
            self._record = WrittenRecord(JobRecord.of_this_process(**about, **where, **keys, **around))
        except BaseException as problem:
            self.socket.close(linger=0)
            if isinstance(problem, zmq.ZMQError | zmq.ZMQBindError | OSError):
                raise LaunchError(str(problem)) from problem
            raise

    def hears(self, content: zmq.Frame) -> bool:
        """Nobody else's connection was let in."""
        return True

    def close(self) -> None:
        """Nobody is to find it any more, and who asked gets the last answers."""
        self._record.remove()
        super().close()
