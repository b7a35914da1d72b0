# SPDX-License-Identifier: BSD-3-Clause
"""The option by which commands are told a policy."""

from nereus.policy.policies import BY_NAME

HELP = f"{', '.join(BY_NAME)}, or FILE.py:CLASS, a policy of one's own."
