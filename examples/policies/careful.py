# SPDX-License-Identifier: BSD-3-Clause
"""A policy of one's own: whoever can get faster by a tenth or more gets half of the free cores.

nereus simulate examples/simulate/table-2.toml --policy examples/policies/careful.py:Careful
"""

from collections.abc import Sequence

from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.turns import OneByOne


class Careful(Policy):
    order = OneByOne()

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        half = state.free // 2
        if half == 0 or state.now - state.last_came < parameters.settle:
            return []
        for job in state.settled:
            wanted = min(job.ranks + half, job.most)
            faster = job.between.seconds(job.ranks) / job.between.seconds(wanted)
            if faster >= 1.1:
                return [Resize(job.name, wanted, f"{faster:.2f} times as fast")]
        return []
