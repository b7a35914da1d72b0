# SPDX-License-Identifier: BSD-3-Clause
"""A newcomer that has something else than the job does not go on, and neither does the job: decision 0024."""

from typing import Any

import pytest
from faulty_application import end_of, repeated_where_open_mpi_hangs, running


@pytest.mark.parametrize(
    "options",
    [
        {"process_method": "merge"},
        {"process_method": "merge", "process_strategies": "none"},
        {"process_method": "baseline-inter", "process_strategies": "none"},
    ],
    ids=lambda options: "-".join(options.values()),
)
@repeated_where_open_mpi_hangs
def test_newcomer_with_another_array_length_fails_the_job_and_reports_it(
    site: Any, mpi: str, options: dict[str, str]
) -> None:
    with running(site, mpi) as application:
        (application.folder / "another-length").touch()
        application.resize(3, wait=False, **options)
        _, err = end_of(application.process)
    assert application.process.returncode not in (0, None), err
    assert 'this newcomer registers variable block array "cells" of ' in err
    assert ' where the job has variable block array "cells" of ' in err
    assert "nereus: the job failed: " in err
