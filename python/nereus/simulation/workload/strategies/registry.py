# SPDX-License-Identifier: BSD-3-Clause
"""The strategies by their names."""

from collections.abc import Mapping

from nereus.simulation.workload.strategies.average import Average
from nereus.simulation.workload.strategies.common_pool import CommonPool
from nereus.simulation.workload.strategies.fair import Fair
from nereus.simulation.workload.strategies.io import ByIo
from nereus.simulation.workload.strategies.keep import KeepLeast, KeepPreferred
from nereus.simulation.workload.strategies.speedup import BySpeedup
from nereus.simulation.workload.strategies.strategy import Strategy

STRATEGIES: Mapping[str, Strategy] = {
    "keep-preferred": KeepPreferred(),
    "keep-least": KeepLeast(),
    "average": Average(),
    "common-pool": CommonPool(),
    "fair": Fair(),
    "speedup": BySpeedup(),
    "io": ByIo(),
}
