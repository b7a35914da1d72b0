# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the Slurm of tests, which say and do what those of Slurm 22.05 to 25.11 do.

Executed as: slurm_programs.py FOLDER PROGRAM WORD...
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from slurm_state import (
    CANCELLED,
    COMPLETED,
    FIELDS,
    PENDING,
    RUNNING,
    Cluster,
    Job,
    Store,
    compressed,
    environment_of,
    expanded,
    grant,
    submit,
)

_LOOK_EVERY = 0.01
_SILENT = ("-Q", "--quiet")
_FORMATS = dict(zip("LPaqvfb", FIELDS, strict=True))
_OPTIONS = (
    *FIELDS,
    "job-name",
    "nodes",
    "ntasks-per-node",
    "cpus-per-task",
    "nodelist",
    "kill-command",
    "dependency",
    "comment",
)


class Told:
    """Whether a signal has come that asks the program to end."""

    def __init__(self) -> None:
        self.by = 0
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note)

    def _note(self, number: int, _: object) -> None:
        self.by = number


def fail(program: str, text: str) -> NoReturn:
    print(f"{program}: error: {text}", file=sys.stderr)
    sys.exit(1)


def parsed(program: str, words: list[str], *options: str, switches: tuple[str, ...] = ()) -> Any:
    """Options with values, switches, and the `rest`; any others end the program."""
    parser = argparse.ArgumentParser(program, allow_abbrev=False)
    for option in options:
        parser.add_argument(f"--{option}", default="")
    for switch in switches:
        parser.add_argument(f"--{switch}", action="store_true")
    parser.add_argument(*_SILENT, action="store_true", dest="silent")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args(words)


def salloc(store: Store, words: list[str]) -> int:
    told = Told()
    options = parsed("salloc", words, *_OPTIONS)
    names = expanded(options.nodelist) if options.nodelist else []
    processors = int(options.ntasks_per_node or 1) * int(options.cpus_per_task or 1)
    wanted = {"nodes": int(options.nodes or 1), "names": names, "processors": processors}
    wanted |= {"expands": options.dependency.removeprefix("expand:")}
    with store.change() as cluster:
        _check(cluster, options.partition, wanted)
        fields = {name: getattr(options, name) for name in (*FIELDS, "comment")}
        number = str(submit(cluster, options.job_name, wanted, fields)["id"])
    if not _granted(store, number, told):
        return 1
    cluster = store.read()
    own = environment_of(cluster, cluster["jobs"][number])
    return _hold(store, number, told, subprocess.Popen(options.rest, env={**os.environ, **own}))


def _check(cluster: Cluster, partition: str, wanted: dict[str, Any]) -> None:
    refused = "Job submit/allocate failed"
    parent = cluster["jobs"].get(wanted["expands"])
    if wanted["expands"] and (parent is None or parent["state"] != RUNNING or not cluster["expands"]):
        fail("salloc", f"{refused}: Requested operation not supported on this system")
    if partition not in ("", "main"):
        fail("salloc", f"{refused}: Invalid partition name specified")
    if not set(wanted["names"]) <= set(cluster["nodes"]):
        fail("salloc", f"{refused}: Invalid node name specified")
    if max(node["processors"] for node in cluster["nodes"].values()) < wanted["processors"]:
        fail("salloc", f"{refused}: Requested node configuration is not available")


def _granted(store: Store, number: str, told: Told) -> bool:
    """Wait in the queue; False: cancelled there."""
    while True:
        with store.change() as cluster:
            job = cluster["jobs"][number]
            if told.by:
                job["state"] = CANCELLED
            if job["state"] == CANCELLED:
                return False
            if grant(cluster, job):
                return True
        time.sleep(_LOOK_EVERY)


def _hold(store: Store, number: str, told: Told, command: "subprocess.Popen[bytes]") -> int:
    """The job is there for as long as the command runs."""
    while command.poll() is None:
        if told.by:
            _end_job(store, number, CANCELLED)
        if told.by == signal.SIGHUP or store.read()["jobs"][number]["state"] == CANCELLED:
            command.kill()
        time.sleep(_LOOK_EVERY)
    _end_job(store, number, COMPLETED)
    return command.returncode if command.returncode >= 0 else 1


def _end_job(store: Store, number: str, state: str) -> None:
    with store.change() as cluster:
        if cluster["jobs"][number]["state"] == RUNNING:
            cluster["jobs"][number]["state"] = state


def squeue(store: Store, words: list[str]) -> int:
    options = parsed("squeue", words, "jobs", "name", "states", "format", switches=("noheader", "me"))
    jobs = store.read()["jobs"]
    if options.jobs and options.jobs not in jobs:
        print("slurm_load_jobs error: Invalid job id specified", file=sys.stderr)
        return 1
    for number, job in jobs.items():
        all_are = not (options.jobs or options.name)
        is_meant = all_are or number == options.jobs or (options.name and job["name"] == options.name)
        states = options.states.split(",") if options.states else (PENDING, RUNNING)
        if is_meant and job["state"] in states:
            print(_line(job, options.format))
    return 0


def _line(job: Job, layout: str) -> str:
    texts = {f"%{letter}": job["fields"][name] for letter, name in _FORMATS.items()}
    texts |= {"%r": job["reason"], "%N": compressed(job["nodes"]), "%A": str(job["id"])}
    texts |= {"%k": job["fields"].get("comment") or "(null)"}
    return _filled(layout, texts)


def _filled(layout: str, fields: dict[str, str]) -> str:
    return re.sub(r"%[A-Za-z]", lambda field: fields[field[0]], layout)


def scontrol(store: Store, words: list[str]) -> int:
    rest = [word for word in words if word not in _SILENT]
    if rest[:2] == ["show", "hostnames"]:
        print("\n".join(expanded(rest[2])))
    elif rest == ["show", "config"]:
        print("TaskPlugin              = task/affinity,task/cgroup")
    elif rest[:1] == ["update"]:
        return _update(store, dict(word.split("=", 1) for word in rest[1:]))
    else:
        print(f"invalid keyword: {' '.join(rest)}", file=sys.stderr)
        return 1
    return 0


def _update(store: Store, keys: dict[str, str]) -> int:
    with store.change() as cluster:
        job = cluster["jobs"].get(keys["JobId"])
        if "NumNodes" in keys:
            return _give_away(cluster, job)
        names = expanded(keys["NodeList"])
        if job is None or job["state"] != RUNNING:
            print("slurm_update error: Invalid job id specified", file=sys.stderr)
            return 1
        if not set(names) <= set(job["nodes"]):
            print("slurm_update error: Invalid node name specified", file=sys.stderr)
            return 1
        job["nodes"] = names
    return 0


def _give_away(cluster: Cluster, job: Job | None) -> int:
    parent = cluster["jobs"].get(job["wanted"].get("expands", "")) if job else None
    if job is None or parent is None or job["state"] != RUNNING:
        print("slurm_update error: Invalid job id specified", file=sys.stderr)
        return 1
    if not cluster["loses"]:
        parent["nodes"] += job["nodes"]
    job["nodes"] = []
    return 0


def scancel(store: Store, words: list[str]) -> int:
    options = parsed("scancel", words, "name", switches=("me",))
    with store.change() as cluster:
        for number, job in cluster["jobs"].items():
            is_meant = number in options.rest or (options.name and job["name"] == options.name)
            if is_meant and job["state"] in (PENDING, RUNNING):
                job["state"] = CANCELLED
    return 0


def srun(store: Store, words: list[str]) -> int:
    told = Told()
    counts = ("nodes", "ntasks", "ntasks-per-node", "mem", "mpi", "input", "kill-on-bad-exit", "cpu-bind")
    options = parsed("srun", words, "jobid", "nodelist", "chdir", *counts, switches=("overlap",))
    # Whoever names none means the job that it runs in, as far as it is told of one.
    number, cluster = options.jobid or os.environ.get("SLURM_JOB_ID", ""), store.read()
    job = cluster["jobs"].get(number)
    if job is None or job["state"] != RUNNING:
        fail("srun", f"Unable to confirm allocation for job {number}: Invalid job id specified")
    names = expanded(options.nodelist)
    if not set(names) <= set(job["nodes"]) or int(options.nodes) != len(names):
        fail("srun", f"Unable to create step for job {number}: Requested node configuration is not available")
    dead = [name for name in names if not cluster["nodes"][name]["starts"]]
    if dead:
        fail("srun", f"Task launch for StepId={number}.0 failed on node {dead[0]}: Communication failure")
    tasks = [_task(job, name, options) for name in names]
    return max(_ended(store, number, task, told) for task in tasks)


def _task(job: Job, node: str, options: Any) -> "subprocess.Popen[bytes]":
    own = {"SLURM_JOB_ID": str(job["id"]), "SLURM_STEP_ID": "0", "SLURMD_NODENAME": node}
    return subprocess.Popen(
        options.rest, env={**os.environ, **own}, stdin=subprocess.DEVNULL, cwd=options.chdir or None
    )


def _ended(store: Store, number: str, task: "subprocess.Popen[bytes]", told: Told) -> int:
    """The exit code of a task; it ends with its job, and gets the signals that srun gets."""
    while task.poll() is None:
        if told.by:
            task.send_signal(told.by)
            told.by = 0
        if store.read()["jobs"][number]["state"] != RUNNING:
            task.kill()
        time.sleep(_LOOK_EVERY)
    return task.returncode if task.returncode >= 0 else 128 - task.returncode


def sinfo(store: Store, words: list[str]) -> int:
    options = parsed("sinfo", words, "nodes", "format", switches=("noheader", "Node"))
    cluster = store.read()
    taken = {name for job in cluster["jobs"].values() if job["state"] == RUNNING for name in job["nodes"]}
    for name in options.nodes.split(","):
        node = cluster["nodes"][name]
        used = ("draining" if node["drained"] else "allocated", "drained" if node["drained"] else "idle")
        state = "down*" if node["down"] else used[name not in taken]
        reason = "Not responding" if node["down"] else node["drained"] or "none"
        fields = {"%N": name, "%T": state, "%E": reason}
        print(_filled(options.format, fields))
    return 0


PROGRAMS = {each.__name__: each for each in (salloc, squeue, scontrol, scancel, srun, sinfo)}


def main(folder: str, program: str, *words: str) -> int:
    store = Store(Path(folder))
    store.note([program, *words])
    store.meet_fault(" ".join([program, *(word for word in words if word not in _SILENT)]))
    return PROGRAMS[program](store, list(words))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
