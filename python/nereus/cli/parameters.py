# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the policies from a command line: `--set uncertainty=0.2`."""

from collections.abc import Sequence

from nereus.cli.messages import Refused
from nereus.policy.parameters import ParameterError, Parameters, with_values


def parameters_of(settings: Sequence[str]) -> Parameters:
    """Refused where a name or a value is not allowed."""
    try:
        return with_values(Parameters(), settings)
    except ParameterError as problem:
        raise Refused(f"--set {problem}") from None
