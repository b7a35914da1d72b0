# SPDX-License-Identifier: BSD-3-Clause
"""A program that saves its own state and knows nothing of Nereus: it counts, on as many ranks as it is given.

    counting_program.py STEPS [continue] [deaf] [fails-on=RANKS] [saves-every=STEPS]

Rank 0 counts into the file `log`, and saves where it is to `state` when it ends: at SIGTERM with exit code 1,
or where the file `stop` is there. `deaf`: it does not hear either. `saves-every`: it saves on its own, too.
With the file `hears` it is not deaf any more.
"""

import os
import signal
import sys
import time
from pathlib import Path


def of_launcher(*names: str) -> int:
    return next(int(os.environ[name]) for name in names if name in os.environ)


RANK = of_launcher("OMPI_COMM_WORLD_RANK", "PMI_RANK")
RANKS = of_launcher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


class Counting:
    def __init__(self, words: list[str]) -> None:
        self.steps, self.words = int(words[0]), words[1:]
        self.step = int(Path("state").read_text()) if "continue" in words else 0
        every = [word.partition("=")[2] for word in words if word.startswith("saves-every=")]
        self.every = int(every[0]) if every else 0
        # Of this start, on all hosts.
        self.over = Path(f"over-{self.step}-{RANKS}")
        self.signalled = False
        signal.signal(signal.SIGTERM, self.take_note)

    def take_note(self, number: int, frame: object) -> None:
        self.signalled = True

    def is_to_end(self) -> bool:
        is_deaf = "deaf" in self.words and not Path("hears").exists()
        return not is_deaf and (self.signalled or Path("stop").exists())

    def run(self) -> int:
        if f"fails-on={RANKS}" in self.words:
            print(f"cannot be divided into {RANKS}", file=sys.stderr, flush=True)
            return 3
        return self.count() if RANK == 0 else self.wait()

    def count(self) -> int:
        Path("pid").write_text(str(os.getpid()))
        with Path("log").open("a") as log:
            while self.step < self.steps and not self.is_to_end():
                self.step += 1
                log.write(f"step {self.step} on {RANKS}\n")
                log.flush()
                if self.every and self.step % self.every == 0:
                    self.save()
                time.sleep(0.02)
        self.save()
        self.over.touch()
        return 1 if self.signalled else 0

    def save(self) -> None:
        saved = Path("state.new")
        saved.write_text(str(self.step))
        saved.rename("state")

    def wait(self) -> int:
        while not self.over.exists():
            time.sleep(0.01)
        return 0


if __name__ == "__main__":
    sys.exit(Counting(sys.argv[1:]).run())
