# SPDX-License-Identifier: BSD-3-Clause
"""A program in the place of nereus-resizes: ways work, are refused, hang or kill the job, as it is told."""

import sys
from pathlib import Path

PROGRAM = """#!PYTHON
import json, os, signal, sys, time
FATES = json.loads(os.environ.get("FAKE_FATES", "{}"))
before, after, ways = int(sys.argv[2]), int(sys.argv[4]), sys.argv[5:]
def say(**line):
    print(json.dumps(line), flush=True)
with open("HERE/jobs", "a") as log:
    print(*sys.argv[1:], file=log)
for way in ways:
    fate = FATES.get(way, "works")
    say(trying=way)
    if fate == "hangs":
        time.sleep(600)
    if fate == "hangs once" and not os.path.exists("HERE/hung"):
        open("HERE/hung", "w").close()
        time.sleep(600)
    if fate == "hangs once":
        fate = "works"
    if fate == "dies":
        print("nereus-resizes: rank 0: all is lost", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    figures = {"make_seconds": 0.1, "connect_seconds": 0.02, "pause_seconds": 0.13, "stall_seconds": 0.14}
    if fate == "works":
        say(combination=way, works=True, reason="", **{"from": before, "to": after}, **figures)
    else:
        say(combination=way, works=False, reason=fate)
"""


def install(prefix: Path) -> Path:
    """Put the program into a build; returns the file in which it notes its command lines."""
    text = PROGRAM.replace("PYTHON", sys.executable).replace("HERE", str(prefix))
    for name in ("nereus-resizes", "nereus-release"):
        path = prefix / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
    return prefix / "jobs"
