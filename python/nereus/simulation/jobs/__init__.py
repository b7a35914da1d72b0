# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a scenario on simulated time, and the policies that decide about real ones.

In:  a scenario (docs/formats/scenario.md) or a trace of jobs, and a policy.
Out: what each job computed, wrote and waited for, what it was told, and how good predictions were.
A job is a process of SimPy: it computes, asks for its turn, writes to a store that all share, and is resized
at its checkpoints. Whatever it says goes to the Coordinator that the daemon has too.
"""

from nereus.simulation.jobs.loading import load_scenario, load_trace
from nereus.simulation.jobs.results import Result
from nereus.simulation.jobs.scenario import Scenario
from nereus.simulation.jobs.simulation import simulate

__all__ = ["Result", "Scenario", "load_scenario", "load_trace", "simulate"]
