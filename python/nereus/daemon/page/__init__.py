# SPDX-License-Identifier: BSD-3-Clause
"""A web page of this user's daemon: the time line of each job, and who decided what and why.

In:  what the daemon answers on its control socket, `daemon.control`: how all stands, what happened.
Out: a page on 127.0.0.1 behind a random word in its address; it shows and asks, and changes nothing.
The browser draws (files/*.js); here is what it draws from.
"""
