# SPDX-License-Identifier: BSD-3-Clause
"""What the MPI builds of this machine can do, found out by trying and kept while the builds stay as they are.

In:  a build. Out: what works, and with which settings.
"""

from nereus.probe.capabilities import FEATURES, Capabilities, Feature, probe
from nereus.probe.joining import Failure, Joining, joining
from nereus.probe.remedies import remedy
from nereus.probe.surroundings import in_container

__all__ = [
    "FEATURES",
    "Capabilities",
    "Failure",
    "Feature",
    "Joining",
    "in_container",
    "joining",
    "probe",
    "remedy",
]
