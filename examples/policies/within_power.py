# SPDX-License-Identifier: BSD-3-Clause
"""A policy of one's own: free cores are shared out evenly while the host uses less power than a limit.

nereus daemon --policy examples/policies/within_power.py:WithinPower
"""

from collections.abc import Sequence

from nereus.policy.decisions import Decision, Leave, Policy, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME

_MOST_WATTS = 200.0


class WithinPower(Policy):
    def __init__(self) -> None:
        self._fair = BY_NAME["fair"]()
        self.order = self._fair.order

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        wanted = self._fair.decide(state, parameters)
        if state.watts is None or state.watts < _MOST_WATTS:
            return wanted
        why = f"the host uses {state.watts:.0f} W of {_MOST_WATTS:.0f} W"
        return [Leave(each.job, why) for each in wanted]
