# SPDX-License-Identifier: BSD-3-Clause
"""Where a supervisor is asked from other hosts, and the keys for that."""

from dataclasses import dataclass

from nereus.supervisor.curve import Pair
from nereus.supervisor.sockets import Socket


@dataclass(frozen=True)
class NetworkAddress:
    """`server`: the public key of the supervisor's control socket; `client`: the pair that may ask there."""

    host: str
    port: int
    server: str
    client: Pair

    def connect(self, dealer: Socket) -> None:
        """Nobody else takes what it sends, nor answers."""
        dealer.curve_serverkey = self.server.encode()
        dealer.curve_publickey, dealer.curve_secretkey = (
            self.client.public.encode(),
            self.client.secret.encode(),
        )
        dealer.connect(f"tcp://{self.host}:{self.port}")
