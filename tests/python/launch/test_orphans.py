# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a job whose parents died do not stay in the process table while the job goes on."""

import subprocess
import sys

LIMIT = 60.0

# In a process of its own: who fosters reaps all of its children in the end.
SETTING = """
import subprocess, time
from pathlib import Path
from nereus.launch.processes import fostering, reap_orphans

def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"

def wait_for(pid, wanted):
    deadline = time.monotonic() + 30
    while state(pid) != wanted:
        assert time.monotonic() < deadline, (state(pid), wanted)
        time.sleep(0.01)

def started(script, **options):
    return subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True, **options)

with fostering():
"""


def run(body: str) -> None:
    """The lines, with what stands above."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    done = subprocess.run(
        [sys.executable, "-c", SETTING + lines], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_dead_orphan_is_reaped_while_its_launcher_runs() -> None:
    run("""
launcher = started("(sh -c 'echo $$; exec sleep 0.2' &); exec sleep 600 >&-", start_new_session=True)
orphan = int(launcher.stdout.readline())
wait_for(orphan, "Z")
reap_orphans({launcher.pid})
assert state(orphan) == "gone"
assert launcher.poll() is None
launcher.kill()
launcher.wait()
""")


def test_exit_status_of_a_launcher_is_left_to_its_parent() -> None:
    run("""
launcher = started("exit 5", start_new_session=True)
wait_for(launcher.pid, "Z")
reap_orphans({launcher.pid})
assert launcher.wait() == 5
""")


def test_exit_status_of_another_child_is_left_to_its_parent() -> None:
    run("""
launcher = started("exec sleep 600", start_new_session=True)
other = started("exit 6")
wait_for(other.pid, "Z")
reap_orphans({launcher.pid})
assert other.wait() == 6
launcher.kill()
launcher.wait()
""")
