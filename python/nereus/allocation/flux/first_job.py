# SPDX-License-Identifier: BSD-3-Clause
"""The job of Flux that we run in: a job of an instance, or an instance of its own (flux-batch(1)).

Hosts come and go in the instance that has the job in its queue: around a job, the one that FLUX_URI names;
around an instance, its parent.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from nereus.allocation.call import Answer, wait
from nereus.allocation.contract import AllocationError
from nereus.allocation.flux.client import Call
from nereus.allocation.flux.job_id import id_of
from nereus.allocation.flux.jobspec import Limits, read_limits
from nereus.allocation.flux.ranges import names_in
from nereus.allocation.flux.resources import read_resources
from nereus.launch.hosts import Host

_WITHIN = 10.0


@dataclass(frozen=True)
class FluxJob:
    """`id`: in the instance at `uri`; "": an instance that no other one has in its queue."""

    uri: str
    id: str
    #: With their slots, in the order of the ranks by which Flux calls them.
    hosts: tuple[Host, ...]
    limits: Limits = field(default_factory=Limits)
    #: All that the instance at `uri` has, whoever uses them.
    known: tuple[str, ...] = ()

    @property
    def lines(self) -> str:
        """For `start_on_host`: how each host is called."""
        return "".join(f"{host.name} {self.id or '-'} {rank}\n" for rank, host in enumerate(self.hosts))


def flux_job(environment: Mapping[str, str] = os.environ) -> FluxJob | None:
    """The one of which this is the environment, None outside; AllocationError where it cannot be told of.

    Waits for commands of Flux.
    """
    own = environment.get("FLUX_URI", "")
    if not own:
        return None
    uri, text = own, environment.get("FLUX_JOB_ID", "")
    if not text:
        uri, text = _attribute("parent-uri", own), _attribute("jobid", own)
    if not (uri and text):
        answer = _asked(["resource", "R"], own)
        return FluxJob(own, "", read_resources(answer.out, "the Flux instance"))
    number = id_of(text, "the job of Flux that we run in")
    whose = f"the Flux job {number}"
    hosts = read_resources(_asked(["job", "info", number, "R"], uri).out, whose)
    limits = read_limits(_asked(["job", "info", number, "jobspec"], uri).out, whose)
    slots = tuple(Host(host.name, max(1, host.slots // limits.cores_each)) for host in hosts)
    return FluxJob(uri, number, slots, limits, names_in(_attribute("hostlist", uri)))


def _attribute(name: str, uri: str) -> str:
    """Of a broker; "": it has none of that name."""
    answer = wait(Call(["getattr", name], uri, _WITHIN), _WITHIN)
    if answer.code is None or (not answer.is_good and "No such file" not in answer.reason):
        raise _silent(answer)
    return answer.out.strip() if answer.is_good else ""


def _asked(words: list[str], uri: str) -> Answer:
    answer = wait(Call(words, uri, _WITHIN), _WITHIN)
    if not answer.is_good:
        raise _silent(answer)
    return answer


def _silent(answer: Answer) -> AllocationError:
    return AllocationError(f"Flux does not tell of the job that we run in: {answer.reason}")
