# SPDX-License-Identifier: BSD-3-Clause
"""Experiment files: our TOML, Proteo's JSON and INI dialects, one validated model.

In:  a file, flags, the environment.
Out: an Experiment, the origin of each of its values, warnings; or a ConfigError of one line.
A reader turns one dialect into a Document (document.py); everything after that is common to all dialects:
flags and environment (loading.py), types and ranges (model.py), rules between keys (rules.py), messages
(validation.py). Knows nothing of MPI, of how jobs are started, or of results.
"""

from nereus.config.describe import describe
from nereus.config.emulation import emulation_of
from nereus.config.errors import ConfigError, Problem
from nereus.config.loading import Loaded, load
from nereus.config.model import Data, Experiment, Group, Phase, Stage
from nereus.config.proteo_codes import Codes
from nereus.config.writer import write_toml

__all__ = [
    "Codes",
    "ConfigError",
    "Data",
    "Experiment",
    "Group",
    "Loaded",
    "Phase",
    "Problem",
    "Stage",
    "describe",
    "emulation_of",
    "load",
    "write_toml",
]
