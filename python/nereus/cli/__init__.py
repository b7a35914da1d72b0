# SPDX-License-Identifier: BSD-3-Clause
"""The command `nereus`: the options of each of its commands and what it prints; other rooms do the work.

In:  the command line.
Out: tables and messages for people, one JSON document on stdout with --json, and an exit code:
     0 good, 1 a run or a check that went wrong, 2 a wrong command line or file (nothing was started),
     128 + N ended by signal N. What is wrong is said in one line on stderr that begins with `nereus: `.
"""
