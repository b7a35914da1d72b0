# SPDX-License-Identifier: BSD-3-Clause
"""The strategies by their names."""

from collections.abc import Mapping

from nereus.policy.strategies.average import Average
from nereus.policy.strategies.common_pool import CommonPool
from nereus.policy.strategies.fair import Fair
from nereus.policy.strategies.io import ByIo
from nereus.policy.strategies.keep import KeepLeast, KeepPreferred
from nereus.policy.strategies.speedup import BySpeedup
from nereus.policy.strategies.strategy import Strategy
from nereus.policy.strategies.throughput import Throughput

STRATEGIES: Mapping[str, Strategy] = {
    "keep-preferred": KeepPreferred(),
    "keep-least": KeepLeast(),
    "average": Average(),
    "common-pool": CommonPool(),
    "fair": Fair(),
    "speedup": BySpeedup(),
    "throughput": Throughput(),
    "io": ByIo(),
}
