# SPDX-License-Identifier: BSD-3-Clause
from a_stage import stage

__all__ = ["stage"]
