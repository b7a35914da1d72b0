# SPDX-License-Identifier: BSD-3-Clause
"""Web pages: of this user's daemon, the time line of each job, and who decided what and why; and of one job.

In:  what the daemon answers on its control socket, `daemon.control`: how all stands, what happened; of one
job what its supervisor answers, what it writes about itself, and records of a monitored run (job_*.py).
Out: a page on 127.0.0.1 behind a random word in its address; it shows and asks, and changes nothing.
The browser draws (files/*.js); here is what it draws from.
"""
