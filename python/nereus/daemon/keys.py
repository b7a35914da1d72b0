# SPDX-License-Identifier: BSD-3-Clause
"""Keys for jobs that come over the network: CURVE pairs in files that only their owner can read."""

from pathlib import Path
from typing import Annotated

import zmq
from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from nereus.daemon.error import DaemonError
from nereus.launch.private_folder import is_private
from nereus.reading import content_of
from nereus.supervisor.curve import is_key, new_pair, write_keys

SERVER, CLIENT = "server.json", "client.json"


def _is_key(text: str) -> str:
    if is_key(text):
        return text
    raise ValueError("40 characters of a key are allowed")


Key = Annotated[str, AfterValidator(_is_key)]


class ServerKeys(BaseModel):
    """The daemon's: its pair, and the public keys of those whom it hears."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    public: Key
    secret: Key
    clients: list[Key]

    @model_validator(mode="after")
    def _is_a_pair(self) -> "ServerKeys":
        if zmq.curve_public(self.secret.encode()) != self.public.encode():
            raise ValueError("the public key is not that of the secret one")
        return self


class ClientKeys(BaseModel):
    """A job's: its pair, and by which key it knows the daemon."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    public: Key
    secret: Key
    server: Key


def make_keys(folder: Path) -> None:
    """A pair for the daemon and one for jobs; a folder that is there already is refused."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise DaemonError(
            f"--make-keys = {folder}: is there already; keys are made in a new folder"
        ) from None
    except OSError as problem:
        raise DaemonError(f"--make-keys = {folder}: {problem.strerror}") from None
    server, client = new_pair(), new_pair()
    known = ServerKeys(public=server.public, secret=server.secret, clients=[client.public])
    own = ClientKeys(public=client.public, secret=client.secret, server=server.public)
    write_keys(folder / SERVER, known.model_dump())
    write_keys(folder / CLIENT, own.model_dump())


def read_keys(folder: Path) -> ServerKeys:
    path = folder / SERVER
    if folder.is_dir() and not is_private(folder):
        raise DaemonError(f"--keys = {folder}: must be yours and no others' (mode 700)")
    try:
        return ServerKeys.model_validate_json(content_of(path))
    except OSError as problem:
        raise DaemonError(f"--keys = {path}: {problem.strerror}; --make-keys makes them") from None
    except ValueError:
        raise DaemonError(f"--keys = {path}: are no keys of --make-keys") from None
