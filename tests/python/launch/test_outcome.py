# SPDX-License-Identifier: BSD-3-Clause
"""What people are told about the end of a job, out of the launchers' own words."""

import pytest

from nereus.launch.outcome import judge

HYDRA_KILLED = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 7316 RUNNING AT vm
=   EXIT CODE: 9
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
"""
HYDRA_ABORTED = HYDRA_KILLED.replace("CODE: 9", "CODE: 6").replace("Killed (signal 9)", "Aborted (signal 6)")
HYDRA_CODE = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   EXIT CODE: 7
"""
ORTE_KILLED = "mpiexec noticed that process rank 0 with PID 0 on node vm exited on signal 9 (Killed).\n"
ORTE_CODE = """\
  Process name: [[29088,1],1]
  Exit code:    7
"""


@pytest.mark.parametrize(
    ("code", "output", "text"),
    [
        (9, HYDRA_KILLED, "a rank was killed by signal 9 (SIGKILL)"),
        (137, ORTE_KILLED, "a rank was killed by signal 9 (SIGKILL)"),
        (6, HYDRA_ABORTED + HYDRA_KILLED, "a rank was killed by signal 9 (SIGKILL)"),
        (
            6,
            HYDRA_ABORTED,
            "a rank was killed by signal 6 (SIGABRT), perhaps because another one had died",
        ),
        (7, HYDRA_CODE, "a rank ended with exit code 7"),
        (7, ORTE_CODE, "a rank ended with exit code 7"),
        (3, "", "a rank ended with exit code 3"),
        (143, "", "a rank ended with exit code 143, perhaps because another one had died"),
        (-9, "", "the launcher was killed by signal 9 (SIGKILL)"),
        (-11, ORTE_KILLED, "a rank was killed by signal 9 (SIGKILL)"),
        (-200, "", "the launcher was killed by signal 200"),
    ],
)
def test_failed_job_reports_its_cause(code: int, output: str, text: str) -> None:
    outcome = judge(code, output)
    assert not outcome.good
    assert outcome.text == text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (1, "a rank ended with exit code 1"),
        (9, "a rank ended with exit code 9, or was killed by signal 9 (SIGKILL)"),
        (139, "a rank ended with exit code 139, or was killed by signal 11 (SIGSEGV)"),
        (-9, "the launcher was killed by signal 9 (SIGKILL)"),
    ],
)
def test_without_launcher_output_a_signal_is_not_ruled_out(code: int, text: str) -> None:
    outcome = judge(code, None)
    assert (outcome.good, outcome.text) == (False, text)


def test_successful_job_is_good_whatever_it_printed() -> None:
    assert judge(0, HYDRA_KILLED).good
