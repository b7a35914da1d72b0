# SPDX-License-Identifier: BSD-3-Clause
"""What is done with malleable jobs while they run: one file for each strategy, and a row in the registry."""

from nereus.policy.strategies.registry import STRATEGIES
from nereus.policy.strategies.strategy import Strategy

__all__ = ["STRATEGIES", "Strategy"]
