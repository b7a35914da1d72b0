# SPDX-License-Identifier: BSD-3-Clause
"""Runs one MPI test program, with a time limit, and leaves nothing behind.

    run_mpi_test.py --mpiexec PATH --kind mpich -n 3 --timeout 60 [--env K=V] [--repeat-on-hang N] -- PROGRAM

All processes of a run carry the variable NEREUS_TEST, so that they are found by it wherever they went.
Time-out: the stacks of all ranks are printed, the processes are ended, the test has failed. A program that
passes but leaves a process or a file in /dev/shm has failed too; what was left is removed.
With --code and --says both the exit code and the output are looked at, as CTest does not.
Exit codes: 0 passed, 1 failed, 77 skipped (the program's own exit code 77), 2 wrong usage.
"""

import argparse
import contextlib
import ctypes
import itertools
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

PASSED, FAILED, SKIPPED = 0, 1, 77
MARKER = "NEREUS_TEST"
LAUNCHERS = {"mpiexec", "mpiexec.hydra", "mpirun", "hydra_pmi_proxy", "orterun", "orterun_wrapper", "orted"}
SHARED_MEMORY = Path("/dev/shm")
LAUNCH = Path(__file__).resolve().parents[2] / "python" / "nereus" / "launch"
processes_with: Callable[[bytes], list[int]] = runpy.run_path(str(LAUNCH / "process_environment.py"))[
    "processes_with"
]
# As in python/nereus/launch/shared_memory.py, to which a test compares: to import it takes too long.
SHARED_NAMES = (
    "mpich_shm_",
    "mpich_shar_tmp",
    "vader_segment.",
    "sm_segment.",
    "ucx_shm_",
    "psm2_shm",
    "nereus",
)
LOOKS = 2  # a tenth of a second apart: who ends removes its file a moment after it has unmapped it
MAPPED_WITHIN = 0.5  # seconds: an MPI maps a file in /dev/shm as soon as it has made it
LINGER_SECONDS = 10.0  # for processes that are still ending when mpiexec has returned
STACK_SECONDS = 30.0
# Open MPI's own hang shows after the first part of the time-out, and is still there after the second.
EARLY_PART, EARLY_GAP = 1 / 3, 1 / 10
OUTPUT = "output"  # of a run that has to say something, in its TMPDIR
STACK_READER = "eu-stack"  # 0.05 s a process; gdb was still at its symbols when its time was over

# Where PMIx keeps what processes must know of each other. A spawned process of Open MPI 4.1.4 sometimes never
# comes out of PMIx_Init: in 5 of 84 runs (4 spawns each, busy machine) with the usual one, 2 of 84 with this.
OPENMPI_STORE = ("PMIX_MCA_gds", "hash")

# As `nereus run` sets it: ranks that wait sleep. Else each of their polls ends in sched_yield(), which Linux
# counts as a slice of time used up: on a crowded machine a thread that makes processes beside ranks that
# iterate gets some 300 polls a second, and its resize took up to 30 s.
MPICH_THROTTLE = ("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")

# Open MPI 4.1.4 now and then loses a message while it connects spawned processes to their parents; nothing a
# program does prevents it. Only stacks that show this place are it: one frame of each column in one thread.
KNOWN_HANGS: list[tuple[set[str], set[str], str]] = [
    (
        {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"},
        {"ompi_dpm_connect_accept", "PMIx_Connect", "opal_progress"},
        "a parent waits in MPI_Comm_spawn for children that are up",
    ),
    (
        {"MPI_Init", "MPI_Init_thread", "ompi_mpi_init"},
        {"ompi_dpm_dyn_init", "ompi_dpm_connect_accept", "PMIx_Connect", "PMIx_Init"},
        "a process waits in MPI_Init for its parents or for the launcher",
    ),
]


# --- processes ----------------------------------------------------------------------------------------------


def marked_processes(mark: str) -> list[int]:
    """Live processes that carry `mark`; zombies have no environment and so do not count."""
    return sorted(processes_with(f"{MARKER}={mark}".encode()))


def command_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (
            (Path("/proc") / str(pid) / "cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode(errors="replace")
            .strip()
        )
    return "?"


def program_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "exe").readlink().name
    return "?"


def is_stopped(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return False


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ended, to reap them: PID 1 of a container may not."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def go_before_all() -> None:
    """Where we may, run before all that waits for a core, our children excepted.

    Ranks of Open MPI that wait call sched_yield() without end. Linux before the mend of April 2026
    (zero_vruntime under yield) then loses count of who had least, and for minutes may run nothing else.
    """
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def end_processes(mark: str) -> None:
    """Kill all that carry the mark until there are none: one may fork while it is being killed."""
    for _ in range(100):
        pids = marked_processes(mark)
        if not pids:
            return
        signal_all(pids, signal.SIGKILL)
        reap()
        time.sleep(0.02)


def processes_left(mark: str) -> list[str]:
    """What still runs of a run that has ended, after it had time to end."""
    deadline = time.monotonic() + LINGER_SECONDS
    while (pids := marked_processes(mark)) and time.monotonic() < deadline:
        reap()
        time.sleep(0.05)
    return [f"process {pid}: {command_of(pid)}" for pid in pids]


# --- shared memory ------------------------------------------------------------------------------------------


def shared_files() -> dict[str, int]:
    """Our user's entries of /dev/shm with an MPI's or Nereus' name, and their inodes."""
    found = {}
    with contextlib.suppress(OSError):
        for entry in os.scandir(SHARED_MEMORY):
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.startswith(SHARED_NAMES) and status.st_uid == os.getuid():
                    found[entry.name] = status.st_ino
    return found


def unmapped(names: set[str]) -> set[str]:
    """Those that no process maps."""
    left = set(names)
    for maps in Path("/proc").glob("[0-9]*/maps") if left else ():
        with contextlib.suppress(OSError):
            text = maps.read_text(errors="replace")
            left -= {name for name in left if f"{SHARED_MEMORY}/{name}" in text}
    return left


def seconds_since_changed(names: set[str]) -> float:
    """Any of these files; files that are gone do not count."""
    changed = 0.0
    for name in names:
        with contextlib.suppress(OSError):
            changed = max(changed, (SHARED_MEMORY / name).stat().st_ctime)
    return time.time() - changed


def is_removed(name: str) -> bool:
    """Whether it was still there."""
    try:
        (SHARED_MEMORY / name).unlink()
    except FileNotFoundError:
        return False
    return True


def remove_shared_files_left(before: dict[str, int]) -> list[str]:
    """Remove new entries that no process maps; a young one may be another job's, which is about to."""
    left, deadline = set(shared_files()), time.monotonic() + 2 * MAPPED_WITHIN
    for look in itertools.count(1):
        left &= unmapped({name for name, inode in shared_files().items() if before.get(name) != inode})
        if not left:
            return []
        is_old = look > LOOKS and seconds_since_changed(left) > MAPPED_WITHIN
        if is_old or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return [f"file {SHARED_MEMORY / name}" for name in sorted(left) if is_removed(name)]


# --- stacks -------------------------------------------------------------------------------------------------


def start_reader(pid: int, output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as sink:
        return subprocess.Popen(
            [STACK_READER, "-p", str(pid)],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
        )


def wait_for_reader(reader: subprocess.Popen[bytes], deadline: float) -> None:
    """A reader that is stuck is killed and not waited for: it can hang in the kernel with its process."""
    try:
        reader.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        reader.kill()


def stacks(pids: list[int]) -> dict[int, str]:
    """The stacks of all threads of each process, all looked at side by side."""
    with tempfile.TemporaryDirectory(prefix="nereus-stacks-") as folder:
        outputs = {pid: Path(folder) / str(pid) for pid in pids}
        try:
            running = [start_reader(pid, output) for pid, output in outputs.items()]
        except FileNotFoundError:
            return {pid: "no stack: eu-stack (Debian: elfutils) is not installed" for pid in pids}
        deadline = time.monotonic() + STACK_SECONDS
        for reader in running:
            wait_for_reader(reader, deadline)
        return {pid: output.read_text(errors="replace") for pid, output in outputs.items()}


def threads(stack: str) -> Iterator[set[str]]:
    """The function names of each thread in eu-stack's text, without the P of the profiling interface."""
    for thread in re.split(r"^TID \d+:", stack, flags=re.MULTILINE)[1:]:
        names = re.findall(r"^#\d+\s+0x[0-9a-f]+ ([\w:~.@]+)", thread, flags=re.MULTILINE)
        yield {name[1:] if name.startswith("PMPI_") else name for name in names}


def known_hang(texts: list[str]) -> str | None:
    """Why this is Open MPI's own hang, or None: then it is ours."""
    for text in texts:
        for names in threads(text):
            for outer, inner, reason in KNOWN_HANGS:
                if names & outer and names & inner:
                    return reason
    return None


# --- one run ------------------------------------------------------------------------------------------------


def launch_command(options: argparse.Namespace) -> list[str]:
    extra = ["--oversubscribe", "--allow-run-as-root"] if options.kind == "openmpi" else []
    return [options.mpiexec, *extra, "-n", str(options.ranks), *options.program]


def bound_of_calls(timeout: float) -> tuple[str, str]:
    """The setting with which a job that hangs does not end itself before its stacks are read."""
    return "NEREUS_ANSWER_TIMEOUT", f"{2 * timeout:g}"


def environment(options: argparse.Namespace, mark: str, folder: str) -> dict[str, str]:
    """Own TMPDIR: what an MPI puts there goes with the run."""
    result = {**os.environ, "TMPDIR": folder, MARKER: mark}
    if options.kind == "openmpi":
        result.setdefault(*OPENMPI_STORE)
    else:
        result.setdefault(*MPICH_THROTTLE)
    if options.repeat_on_hang:
        result.setdefault(*bound_of_calls(options.timeout))
    result.update(setting.split("=", 1) for setting in options.env)
    return result


@contextlib.contextmanager
def stopped_ranks(mark: str) -> Iterator[list[int]]:
    """Processes of a run but its launchers; spinning ones would leave those who look at them no core."""
    ranks = [pid for pid in marked_processes(mark) if program_of(pid) not in LAUNCHERS]
    running = [pid for pid in ranks if not is_stopped(pid)]  # a test stops some of its own
    signal_all(running, signal.SIGSTOP)
    try:
        yield ranks
    finally:
        signal_all(running, signal.SIGCONT)


def explain_hang(options: argparse.Namespace, mark: str) -> str | None:
    """Print the stacks of a run that hangs; the reason when it is Open MPI's own hang."""
    print(f"run_mpi_test: no end after {options.timeout:g} s; the stacks:", flush=True)
    with stopped_ranks(mark) as ranks:
        texts = stacks(ranks)
    for pid, text in texts.items():
        print(f"--- process {pid}: {command_of(pid)}\n{text}", flush=True)
    return known_hang(list(texts.values())) if options.kind == "openmpi" else None


def present_hang(mark: str) -> tuple[str | None, list[int]]:
    """Why the run is in Open MPI's own hang now, and its ranks; it may come out of it, and is not ended."""
    with stopped_ranks(mark) as ranks:
        return known_hang(list(stacks(ranks).values())), ranks


def wait_for_exit(
    options: argparse.Namespace, job: subprocess.Popen[bytes], mark: str
) -> tuple[int | None, str | None]:
    """Exit code of a run, or None for one that hung, and why that is Open MPI's own hang.

    That one need not take the whole time-out: no rank has come or gone since an earlier look. Where one has,
    the program makes one process after another, and is slow.
    """
    early, gap = options.timeout * EARLY_PART, options.timeout * EARLY_GAP
    deadline = time.monotonic() + options.timeout
    with contextlib.suppress(subprocess.TimeoutExpired):
        return job.wait(early), None
    if options.repeat_on_hang and options.kind == "openmpi":
        reason, ranks = present_hang(mark)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return job.wait(gap), None
        if reason is not None and present_hang(mark) == (reason, ranks):
            return None, reason
    try:
        return job.wait(max(0.0, deadline - time.monotonic())), None
    except subprocess.TimeoutExpired:
        return None, explain_hang(options, mark)


def wait_for_job(
    options: argparse.Namespace, mark: str, folder: str
) -> tuple[int | None, list[str], str | None]:
    """Exit code of a run (None: it hung), the processes that it left, and why it may be repeated."""
    with Path(folder, OUTPUT).open("wb") as output:
        job = subprocess.Popen(
            launch_command(options),
            stdin=subprocess.DEVNULL,
            env=environment(options, mark, folder),
            start_new_session=True,
            stdout=output if options.says else None,
            stderr=subprocess.STDOUT if options.says else None,
        )
    try:
        code, reason = wait_for_exit(options, job, mark)
        return code, processes_left(mark) if code is not None else [], reason
    finally:
        end_processes(mark)
        job.wait()


def has_said(options: argparse.Namespace, text: str) -> bool:
    """Whether the sentence that is asked for is in as many lines of the output as may have it."""
    print(text, end="", flush=True)
    lines = sum(bool(re.search(options.says, line)) for line in text.splitlines())
    if lines == 0 or (options.once and lines > 1):
        print(f"run_mpi_test: {lines} lines say {options.says!r}", flush=True)
        return False
    return True


def verdict(code: int | None, left: list[str], wanted: int = PASSED) -> int:
    """What the run comes to; a run that failed anyway is not blamed for what it left."""
    if code == SKIPPED:
        return SKIPPED
    if code is None:
        return FAILED
    if code != wanted:
        print(f"run_mpi_test: the program ended with code {code}, not {wanted}", flush=True)
        return FAILED
    if wanted != PASSED:  # what MPI_Abort() leaves of shared memory is the MPI's
        left = [thing for thing in left if not thing.startswith("file ")]
    for thing in left:
        print(f"run_mpi_test: left behind: {thing}", flush=True)
    return FAILED if left else PASSED


def run_once(options: argparse.Namespace) -> tuple[int, str | None]:
    """Exit code of one run, and why it may be repeated."""
    before = shared_files()
    with tempfile.TemporaryDirectory(prefix="nrt", ignore_cleanup_errors=True) as folder:
        code, processes, reason = wait_for_job(options, uuid.uuid4().hex, folder)
        said = not options.says or has_said(options, Path(folder, OUTPUT).read_text(errors="replace"))
    found = verdict(code, processes + remove_shared_files_left(before), options.code)
    return FAILED if found == PASSED and not said else found, reason


def run(options: argparse.Namespace) -> int:
    for left in range(options.repeat_on_hang, -1, -1):
        code, reason = run_once(options)
        if reason is None:
            return code
        print(f"run_mpi_test: this is Open MPI's own hang: {reason}; {left} repeats left", flush=True)
    return FAILED


# --- command line -------------------------------------------------------------------------------------------


def setting(text: str) -> str:
    if not re.match(r"\w+=", text):
        raise argparse.ArgumentTypeError(f"{text!r}: allowed is NAME=VALUE")
    return text


def positive(text: str) -> float:
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text}: must be above 0")
    return value


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs one MPI test program and leaves nothing behind.")
    parser.add_argument("--mpiexec", required=True, help="path of the launcher")
    parser.add_argument("--kind", required=True, choices=["mpich", "openmpi"], help="whose launcher that is")
    parser.add_argument("-n", dest="ranks", type=int, default=1, help="number of ranks")
    parser.add_argument("--timeout", type=positive, default=60.0, help="seconds until the run counts as hung")
    parser.add_argument("--env", type=setting, action="append", default=[], help="NAME=VALUE for the program")
    parser.add_argument("--repeat-on-hang", type=int, default=0, help="times to repeat Open MPI's known hang")
    parser.add_argument("--code", type=int, default=PASSED, help="exit code that the run has to end with")
    parser.add_argument("--says", metavar="REGEX", help="what a line of its output has to have")
    parser.add_argument("--once", action="store_true", help="one line only may have it")
    parser.add_argument("program", nargs="+", help="-- PROGRAM ARGUMENTS")
    return parser.parse_args(arguments)


def stop(number: int, _: FrameType | None) -> None:
    """Being ended from outside is an exception like others, so that all is cleaned up."""
    raise SystemExit(128 + number)


def main() -> int:
    options = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, stop)
    adopt_orphans()
    go_before_all()
    try:
        return run(options)
    except OSError as error:
        print(f"run_mpi_test: {error}", flush=True)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
