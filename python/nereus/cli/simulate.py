# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate - jobs under policies, redistributions and placements, on simulated time."""

from nereus.cli.lazy import Home, group_of

simulate = group_of(
    {
        "scenario": Home("nereus.cli.simulate_scenario"),
        "workload": Home("nereus.cli.simulate_workload"),
        "transfer": Home("nereus.cli.simulate_transfer"),
        "placement": Home("nereus.cli.simulate_placement"),
    },
    usual="scenario",
)


@simulate.callback()
def options() -> None:
    """Simulate jobs, redistributions of data, or placements of ranks.

    `nereus simulate SCENARIO` is short for `nereus simulate scenario SCENARIO`.

    Example: nereus simulate examples/simulate/use-case-d.toml
    """
