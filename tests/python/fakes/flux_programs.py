# SPDX-License-Identifier: BSD-3-Clause
"""The program `flux` of the Flux of tests, which says and does what that of flux-core 0.88 does.

Executed as: flux_programs.py FOLDER WORD...
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from slurm_state import CANCELLED, COMPLETED, PENDING, RUNNING, Cluster, Job, Store, compressed, grant, submit

_LOOK_EVERY = 0.01
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
#: Where the instance of a test is, and the one that a job of it can be.
OUTER, INNER = "local:///outer", "local:///inner"
_ENDED = (CANCELLED, COMPLETED)


def f58(number: int) -> str:
    """A job's number as Flux writes it to a terminal that has its letter."""
    text = ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        text = _DIGITS[digit] + text
    return f"\u0192{text}"


def fail(program: str, text: str) -> NoReturn:
    print(f"flux-{program}: {text}", file=sys.stderr)
    sys.exit(1)


def options_of(words: list[str], *names: str, switches: tuple[str, ...] = ()) -> Any:
    """Options with values, switches, and the `rest`; any others end the program."""
    parser = argparse.ArgumentParser("flux", allow_abbrev=False)
    for name in names:
        parser.add_argument(f"--{name}", default="")
    for switch in switches:
        parser.add_argument(f"--{switch}", action="store_true")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args(words)


def found(cluster: Cluster, text: str) -> Job:
    """The job of this number."""
    for job in cluster["jobs"].values():
        if f58(job["id"])[1:] == text[1:]:
            return job
    fail("job", f"job {text} not found")


def resources(cluster: Cluster, names: list[str]) -> str:
    """R, with the ranks that nodes have in the instance."""
    all_names = list(cluster["nodes"])
    given = [
        {
            "rank": str(all_names.index(name)),
            "children": {"core": f"0-{cluster['nodes'][name]['processors'] - 1}"},
        }
        for name in names
    ]
    execution = {"R_lite": given, "starttime": 1.0, "expiration": 0.0, "nodelist": [compressed(names)]}
    return json.dumps({"version": 1, "execution": execution})


def getattr_(store: Store, words: list[str]) -> int:
    cluster = store.read()
    first = next((job for job in cluster["jobs"].values() if job["name"] == "first"), None)
    is_inner = os.environ["FLUX_URI"] == INNER and first is not None
    known = {"hostlist": compressed(first["nodes"] if is_inner and first else list(cluster["nodes"]))}
    if is_inner and first:
        known |= {"jobid": f58(first["id"]), "parent-uri": OUTER}
    if words[0] not in known:
        fail("getattr", f"{words[0]}: No such file or directory")
    print(known[words[0]])
    return 0


def resource(store: Store, words: list[str]) -> int:
    options = options_of(words[1:], "states", "format", "queue", switches=("no-header",))
    cluster = store.read()
    if words[0] == "R":
        print(resources(cluster, list(cluster["nodes"])))
    elif words[0] == "list":
        print(options.format.format(nnodes=len(cluster["nodes"])))
    else:
        for name, node in cluster["nodes"].items():
            if node["drained"]:
                print(options.format.format(nodelist=name, reason=node["drained"]))
    return 0


def job_submit(store: Store, words: list[str]) -> int:
    spec = json.loads(sys.stdin.read() if words == ["-"] else Path(words[0]).read_text())
    system = spec["attributes"]["system"]
    slot = spec["resources"][0]["with"][0]
    constraints = json.dumps(system.get("constraints", {}))
    names = [
        name
        for part in re.findall(r'"hostlist": \[([^]]*)\]', constraints)
        for name in json.loads(f"[{part}]")
    ]
    with store.change() as cluster:
        unknown = [name for name in names if name not in cluster["nodes"]]
        if unknown:
            fail("job", f"host constraint contains invalid hosts: host '{unknown[0]}' not found")
        if system.get("queue", "main") != "main":
            fail("job", f"'{system['queue']}' is not a valid queue")
        wanted = {"nodes": 1, "names": names, "processors": slot["count"] * slot["with"][0]["count"]}
        fields = {"jobspec": json.dumps(spec), "time": str(system["duration"])}
        job = submit(cluster, system["job"]["name"], wanted, fields)
        job["reason"] = ""
        if max(node["processors"] for node in cluster["nodes"].values()) < wanted["processors"]:
            job.update({"state": CANCELLED, "reason": 'alloc\t"unsatisfiable request"'})
        print(f58(job["id"]))
    return 0


def job_wait_event(store: Store, words: list[str]) -> int:
    text, event = options_of(words, switches=("quiet",)).rest
    while True:
        job = found(store.read(), text)
        if job["state"] == PENDING:  # else there is nothing to write, and many programs wait
            job = _granted(store, text)
        has_run, has_ended = bool(job["nodes"]), job["state"] in _ENDED
        if has_run if event == "start" else has_ended:
            return 0
        if has_ended:
            fail("job", f"event '{event}' never received")
        time.sleep(_LOOK_EVERY)


def _granted(store: Store, text: str) -> Job:
    """The job of this number, which runs from now on if that can be."""
    with store.change() as cluster:
        job = found(cluster, text)
        is_granted = job["state"] == PENDING and grant(cluster, job)
        job["reason"] = job["reason"] if job["state"] in _ENDED else ""
    if is_granted:  # only now: the shell ends a job of which it reads that it does not run
        subprocess.Popen([sys.executable, "-SE", __file__, str(store.folder), "shell", text])
    return job


def shell(store: Store, words: list[str]) -> int:
    """What runs a job's command; the job has ended when the command has."""
    job = found(store.read(), words[0])
    spec = json.loads(job["fields"]["jobspec"])
    given = {**os.environ, "FLUX_URI": OUTER, "FLUX_JOB_ID": words[0]}
    command = subprocess.Popen(spec["tasks"][0]["command"], env=given, stdin=subprocess.DEVNULL)
    while command.poll() is None:
        if found(store.read(), words[0])["state"] != RUNNING:
            command.kill()
        time.sleep(_LOOK_EVERY)
    with store.change() as cluster:
        job = found(cluster, words[0])
        if job["state"] == RUNNING:
            job["state"] = COMPLETED
    return 0


def job_info(store: Store, words: list[str]) -> int:
    cluster = store.read()
    job = found(cluster, words[0])
    print(resources(cluster, job["nodes"]) if words[1] == "R" else job["fields"]["jobspec"])
    return 0


def job_timeleft(store: Store, words: list[str]) -> int:
    print(found(store.read(), words[0])["fields"]["time"])
    return 0


def job_eventlog(store: Store, words: list[str]) -> int:
    job = found(store.read(), words[0])
    print("1795725399.109056 submit userid=0 urgency=16 flags=0 version=1")
    if job["reason"]:
        kind, note = job["reason"].split("\t")
        print(f'1795725399.109057 exception type="{kind}" severity=0 note={note} userid=0')
    return 0


def job_raise(store: Store, words: list[str]) -> int:
    with store.change() as cluster:
        job = found(cluster, words[0])
        if job["state"] in _ENDED:
            fail("job", f"{words[0]}: job is inactive")
        job.update({"state": CANCELLED, "reason": f'cancel\t"{" ".join(words[2:])}"'})
    return 0


def exec_(store: Store, words: list[str]) -> int:
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: told.append(number))
    options = options_of(words, "jobid", "rank", switches=("quiet", "noinput"))
    cluster = store.read()
    names = list(cluster["nodes"])
    if options.jobid:
        job = found(cluster, options.jobid)
        if job["state"] != RUNNING:
            fail("exec", f"job {options.jobid} is not currently running")
        names = job["nodes"]
    name = names[int(options.rank)]
    if not cluster["nodes"][name]["starts"]:
        fail("exec", f"Error: rank {options.rank}: sh: No route to host")
    task = subprocess.Popen(options.rest, env={**os.environ, "FAKE_HOST": name}, stdin=subprocess.DEVNULL)
    while task.poll() is None:
        while told:
            task.send_signal(told.pop())
        if options.jobid and found(store.read(), options.jobid)["state"] != RUNNING:
            task.kill()
        time.sleep(_LOOK_EVERY)
    return task.returncode if task.returncode >= 0 else 128 - task.returncode


COMMANDS: dict[str, Callable[[Store, list[str]], int]] = {
    "getattr": getattr_,
    "resource": resource,
    "exec": exec_,
    "shell": shell,
    "job submit": job_submit,
    "job wait-event": job_wait_event,
    "job info": job_info,
    "job timeleft": job_timeleft,
    "job eventlog": job_eventlog,
    "job raise": job_raise,
}


def main(folder: str, *words: str) -> int:
    store = Store(Path(folder))
    store.note(["flux", *words])
    name, rest = (" ".join(words[:2]), words[2:]) if words[0] == "job" else (words[0], words[1:])
    if os.environ.get("FLUX_URI") not in (OUTER, INNER) and name != "shell":
        fail(name.split()[0], "flux_open: No such file or directory")
    store.meet_fault(name)
    return COMMANDS[name](store, list(rest))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
