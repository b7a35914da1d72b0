# SPDX-License-Identifier: BSD-3-Clause
"""CURVE for our sockets on the network: pairs of keys, files of keys, and who is let in."""

import json
import os
import signal
import struct
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq
from zmq.utils import z85


@dataclass(frozen=True, repr=False)
class Pair:
    """A public key and its secret, as ZeroMQ writes them."""

    public: str
    secret: str


def new_pair() -> Pair:
    """One that nobody else has."""
    public, secret = zmq.curve_keypair()
    return Pair(public.decode("ascii"), secret.decode("ascii"))


def is_key(text: str) -> bool:
    """Whether it is 32 bytes as ZeroMQ writes them (its RFC 32)."""
    with suppress(LookupError, ValueError, struct.error):
        return len(z85.decode(text)) == 32  # type: ignore[no-untyped-call]
    return False


def write_keys(path: Path, keys: dict[str, Any]) -> None:
    """A new file that only its owner can read; FileExistsError where one is there already."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(keys, file, indent=2)
        file.write("\n")


class Gate:
    """Hears the sockets of one context, in a thread of its own, and lets in who has one of their keys."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]") -> None:
        """There is one of a context; it is to be closed before the context ends."""
        from zmq.auth.thread import ThreadAuthenticator  # brings asyncio, and few jobs have other hosts

        self._authenticator = ThreadAuthenticator(context)
        # Signals are the owner's: they end its waits.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._authenticator.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
        self._guarded = 0

    def guard(self, router: "zmq.Socket[bytes]", pair: Pair, clients: Collection[str]) -> None:
        """Before it listens: nobody reaches this socket but who has one of these public keys."""
        self._guarded += 1
        domain = f"nereus-{self._guarded}"
        self._authenticator.configure_curve_callback(domain, credentials_provider=_Known(clients))
        router.curve_server = True
        router.curve_publickey, router.curve_secretkey = pair.public.encode(), pair.secret.encode()
        router.zap_domain = domain.encode()

    def close(self) -> None:
        """Let nobody in any more."""
        self._authenticator.stop()


class _Known:
    """Who has one of these keys is heard."""

    def __init__(self, clients: Collection[str]) -> None:
        self._clients = {key.encode("ascii") for key in clients}

    def callback(self, domain: str, key: bytes) -> bool:
        return key in self._clients
