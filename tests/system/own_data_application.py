# SPDX-License-Identifier: BSD-3-Clause
"""A job in Python whose data is a list of words; rank 0 prints, as JSON, what became of it.

python own_data_application.py resize SIZES...    is resized in turn; the first time a function refuses
python own_data_application.py save               saves and stops; where it continues, it ends
python own_data_application.py protect            has an epoch made in memory, and kills its last rank
"""

import json
import os
import signal
import sys
from itertools import chain
from typing import Any

import nereus

WORDS = ["x" * (number % 7) + str(number) if number % 7 else "" for number in range(57)]


def share(rank: int, size: int) -> list[str]:
    return WORDS[len(WORDS) * rank // size : len(WORDS) * (rank + 1) // size]


class Data:
    def __init__(self) -> None:
        self.words: list[str] = []
        self.moved: list[str] = []
        self.refusals = 0
        self.loads = 0

    def save(self) -> list[bytes]:
        return [word.encode() for word in self.words]

    def load(self, comm: Any, pieces: list[bytes]) -> None:
        assert comm.allreduce(len(pieces)) == len(WORDS)
        self.loads += 1
        self.words = [piece.decode() for piece in pieces]

    def move(self, step: nereus.RedistributionStep, sides: nereus.Sides) -> None:
        if step is nereus.RedistributionStep.MOVE:
            own = self.words if sides.source is not None else []
            assert list(chain(*sides.comm.allgather(own))) == WORDS
            assert sides.drain is None or sides.drain_ranks[sides.drain] == sides.comm.rank
            self.moved = share(sides.drain, sides.drains) if sides.drain is not None else []
            if self.refusals > 0:
                self.refusals -= 1
                raise ValueError("not now")
        elif step is nereus.RedistributionStep.ADOPT:
            self.words = self.moved


DATA = Data()


def is_intact(job: nereus.Job) -> bool:
    return list(chain(*job.comm.allgather(DATA.words))) == WORDS


def pass_checkpoint(job: nereus.Job) -> bool:
    """Whether this process stays; newcomers begin with a look at the data too."""
    return is_intact(job) and job.checkpoint() is not nereus.Outcome.LEAVE


def resize(job: nereus.Job, sizes: list[int]) -> str | None:
    refused = job.value("refused", [0] * 2)
    while (generation := job.generation) < len(sizes):
        refuses, settled = generation == 0 and refused.value[0] == 0, job.last_resize().request
        if job.comm.rank == 0:
            DATA.refusals = int(refuses)
            job.resize(sizes[generation])
        while job.generation == generation and not (refuses and job.last_resize().request != settled):
            if not pass_checkpoint(job):
                return None
        if refuses:
            refused.value = [job.last_resize().code, 0]
    return nereus.Code(int(refused.value[0])).name


def save(job: nereus.Job) -> str | None:
    if job.generation > 0:
        return "continued"
    if job.comm.rank == 0:
        job.save(stop=True)
    while pass_checkpoint(job):
        pass
    return None


def protect(job: nereus.Job) -> str | None:
    if job.generation > 0:
        return "continued"
    if job.comm.rank == 0:
        job.protect_now()
    while "epoch 1 was saved" not in job.message:
        if not pass_checkpoint(job):
            return None
    if job.comm.rank == job.comm.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    while pass_checkpoint(job):
        pass
    return None


def stay(job: nereus.Job) -> None:
    sizes = [int(word) for word in sys.argv[2:] if not word.startswith("--")]
    if job.generation == 0:
        DATA.words = share(job.comm.rank, job.comm.size)
    modes = {"resize": lambda: resize(job, sizes), "save": lambda: save(job), "protect": lambda: protect(job)}
    result = modes[sys.argv[1]]()
    if result is not None:
        intact, size = is_intact(job), job.comm.size
        if job.comm.rank == 0:
            print(json.dumps({"result": result, "intact": intact, "size": size, "loads": DATA.loads}))


def code_of(register: Any, name: str, *functions: Any) -> str:
    """What a name that is not allowed throws."""
    try:
        register(name, *functions)
    except nereus.Failure as failure:
        return failure.code.name
    return "nothing"


for wrong in ("", "x" * 64):
    assert code_of(nereus.on_save, wrong, DATA.save, DATA.load) == "ERR_ARGUMENT"
    assert code_of(nereus.on_resize, wrong, DATA.move) == "ERR_ARGUMENT"
nereus.on_save("words", DATA.save, DATA.load)
nereus.on_resize("words", DATA.move)
nereus.run(stay)
