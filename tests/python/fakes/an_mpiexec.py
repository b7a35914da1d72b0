# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that is a script: for one process, without any MPI."""

# Tells where it was placed, and runs the program.
MPIEXEC = """#!/bin/sh
while :; do
    case $1 in
    -n | -launcher | -launcher-exec) shift 2 ;;
    -hosts) export PLACED=$2; shift 2 ;;
    *) break ;;
    esac
done
exec "$@"
"""
