# SPDX-License-Identifier: BSD-3-Clause
"""What a job's record says: where the job's supervisor is asked from other hosts, and by which keys.

Format: docs/formats/job.md.
"""

import json
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from nereus.launch.error import LaunchError
from nereus.launch.processes import Process, this_process
from nereus.supervisor.curve import Pair, is_key
from nereus.supervisor.job_names import is_job_name
from nereus.supervisor.key_folder import origin
from nereus.supervisor.messages import HostName, Member
from nereus.supervisor.network_address import NetworkAddress

VERSION = 1


def _a_name(text: str) -> str:
    if not is_job_name(text):
        raise ValueError("is no name of a job")
    return text


def _a_key(text: str) -> str:
    if not is_key(text):
        raise ValueError("40 characters of a key are allowed")
    return text


def _an_address(text: str) -> str:
    """ValueError where it is none."""
    return str(IPv4Address(text))


_Key = Annotated[str, AfterValidator(_a_key)]
_Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]


class JobRecord(BaseModel):
    """All that is needed to ask one job, by this user alone: whoever has it may resize the job."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", hide_input_in_errors=True)

    version: Literal[1]
    job: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    name: Annotated[str, AfterValidator(_a_name)]
    #: The host of the supervisor, as people call it, and by which address it is reached.
    host: HostName
    address: Annotated[str, AfterValidator(_an_address)]
    port: Annotated[int, Field(ge=1, le=65535)]
    server: _Key
    public: _Key
    secret: Annotated[_Key, Field(repr=False)]
    #: Who gave it its hosts, and what that calls the job around it.
    resource_manager: _Word | None
    resource_manager_job: _Word | None
    started_unix: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
    #: The supervisor, and of which start of which host its number is.
    supervisor: Member
    origin: Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}-[0-9]{1,20}$")]

    @classmethod
    def of_this_process(cls, **about: Any) -> Self:
        """For a job whose supervisor we are; LaunchError where it could not be read again."""
        own = this_process()
        supervisor = {"pid": own.pid, "started": own.started}
        return cls.checked({"version": VERSION, **about, "supervisor": supervisor, "origin": origin()})

    @classmethod
    def checked(cls, value: object) -> Self:
        """LaunchError says what is wrong with it, without its keys."""
        if not isinstance(value, dict):
            raise LaunchError("holds no object")
        version = value.get("version")
        if type(version) is not int:
            raise LaunchError("version: a whole number is required")
        if version != VERSION:
            raise LaunchError(f"is of version {version}; this Nereus reads version {VERSION}")
        try:
            return cls.model_validate(value)
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise LaunchError(f"{where}: {first['msg']}") from None

    @classmethod
    def read(cls, content: bytes) -> Self:
        """LaunchError where it is none."""
        try:
            value = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            raise LaunchError("is no JSON document") from None
        return cls.checked(value)

    def written(self) -> bytes:
        return json.dumps(self.model_dump(), indent=2).encode("ascii") + b"\n"

    @property
    def network_address(self) -> NetworkAddress:
        return NetworkAddress(self.address, self.port, self.server, Pair(self.public, self.secret))

    @property
    def process(self) -> Process | None:
        """The supervisor, where its number means something here."""
        if self.origin != origin():
            return None
        return Process(self.supervisor.pid, self.supervisor.started)
