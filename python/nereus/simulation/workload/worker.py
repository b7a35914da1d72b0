# SPDX-License-Identifier: BSD-3-Clause
"""A process that simulates one case after the other for the process that started it (`workers`).

It ends when that process does: then nobody is at the other end of its line.
"""

import sys
from contextlib import suppress
from multiprocessing.connection import Connection

from nereus import UserError
from nereus.simulation.workload.comparison import Case, Comparison
from nereus.simulation.workload.ends import Ends
from nereus.simulation.workload.messages import Ended, Failed, Task


def serve(line: Connection) -> None:
    """Until nobody is at the other end."""
    with suppress(EOFError, ConnectionError):
        try:
            _simulate(line)
        except (EOFError, ConnectionError):
            raise
        except Exception as error:
            is_told = isinstance(error, UserError)
            line.send(Failed(str(error) if is_told else f"{type(error).__name__}: {error}", is_told))


def _simulate(line: Connection) -> None:
    task: Task = line.recv()
    comparison = Comparison(task.workload, task.skip_bad)
    while True:
        case: Case = line.recv()
        ends = Ends(lambda jobs: line.send(Ended(jobs)))
        figures = comparison.simulated(case, ends)
        ends.tell_rest()
        line.send(figures)


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
