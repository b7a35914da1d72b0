# SPDX-License-Identifier: BSD-3-Clause
"""What is said of the end of a job of `nereus run`."""

from nereus.cli.messages import complain
from nereus.launch import Stopping
from nereus.runs import Ending


def exit_code_of(ending: Ending, stopping: Stopping) -> int:
    """After a line that says why it is not 0."""
    outcome = ending.outcome
    if outcome is None:
        complain(f"stopped by {stopping.text}")
        return stopping.exit_code
    if not outcome.good:
        complain(f"the job failed: {outcome.text}")
    return outcome.code
