# SPDX-License-Identifier: BSD-3-Clause
"""What is decided about jobs that run: state in, decision out.

No clock, no socket, no file: the same functions decide for real jobs and for simulated ones. Only `loading`
reads a file: a policy of a researcher's own. "The paper" is Singh and Carretero, JSS 148 (2019); what it
leaves open is a parameter.
"""
