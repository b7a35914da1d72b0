# SPDX-License-Identifier: BSD-3-Clause
"""Tests interrupt programs: they start them as a terminal would, also where they run in the background themselves."""

import signal

# A shell's background commands ignore Ctrl-C, and so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
