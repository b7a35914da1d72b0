# SPDX-License-Identifier: BSD-3-Clause
"""What sees the messages of a program for the monitor, and how a program is started with it."""

import os
from collections.abc import Mapping
from enum import StrEnum

from nereus.launch.builds import Build
from nereus.launch.preloading import LIBRARY, preloaded, with_components


class Sensor(StrEnum):
    """What sees the messages."""

    WRAPPERS = "wrappers"
    COMPONENTS = "components"

    def environment(
        self, build: Build, variables: Mapping[str, str], environment: Mapping[str, str] = os.environ
    ) -> dict[str, str]:
        """`environment` in which it is loaded and has `variables`; LaunchError where there is none."""
        if self is Sensor.WRAPPERS:
            return preloaded(build.library(LIBRARY), variables, environment)
        return with_components(build, variables, environment)
