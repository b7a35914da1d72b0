# SPDX-License-Identifier: BSD-3-Clause
"""Tests interrupt programs: these start as from a terminal, also where the tests run in the background."""

import signal

# A shell's background commands ignore Ctrl-C, and so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
