# SPDX-License-Identifier: BSD-3-Clause
"""CURVE for our sockets on the network: pairs of keys, files of keys, and who is let in."""

import json
import os
import signal
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq

from nereus.supervisor.sockets import Socket

_DOMAIN = "nereus"


@dataclass(frozen=True, repr=False)
class Pair:
    """A public key and its secret, as ZeroMQ writes them."""

    public: str
    secret: str


def new_pair() -> Pair:
    """One that nobody else has."""
    public, secret = zmq.curve_keypair()
    return Pair(public.decode("ascii"), secret.decode("ascii"))


def write_keys(path: Path, keys: dict[str, Any]) -> None:
    """A new file that only its owner can read; FileExistsError where one is there already."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(keys, file, indent=2)
        file.write("\n")


class Gate:
    """Hears the sockets of one context, in a thread of its own, and lets in who has one of some keys."""

    def __init__(self, context: "zmq.Context[Socket]", clients: Collection[str]) -> None:
        """`clients`: public keys. To be closed before the context ends."""
        from zmq.auth.thread import ThreadAuthenticator  # brings asyncio, and few jobs have other hosts

        self._authenticator = ThreadAuthenticator(context)
        # Signals are the owner's: they end its waits.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._authenticator.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
        self._authenticator.configure_curve_callback(_DOMAIN, credentials_provider=_Known(clients))

    def guard(self, router: Socket, pair: Pair) -> None:
        """Before it listens: nobody else reaches this socket."""
        router.curve_server = True
        router.curve_publickey, router.curve_secretkey = pair.public.encode(), pair.secret.encode()
        router.zap_domain = _DOMAIN.encode()

    def close(self) -> None:
        """Let nobody in any more."""
        self._authenticator.stop()


class _Known:
    """Who has one of these keys is heard."""

    def __init__(self, clients: Collection[str]) -> None:
        self._clients = {key.encode("ascii") for key in clients}

    def callback(self, domain: str, key: bytes) -> bool:
        return key in self._clients
