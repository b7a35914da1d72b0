# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the store. Times are seconds since 1970."""

#: Of the file; "nrus".
APPLICATION = 0x6E727573
VERSION = 1

TABLES = (
    # last_epoch and last_command: they never go back.
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL)",
    # `about`: what the job said when it came, as JSON; `finished`: number of its last I/O phase that is over.
    """CREATE TABLE jobs (
        name TEXT PRIMARY KEY, about TEXT NOT NULL, came REAL NOT NULL, ended REAL,
        iteration INTEGER NOT NULL, finished INTEGER NOT NULL,
        phases INTEGER NOT NULL, resizes INTEGER NOT NULL,
        wait_seconds REAL NOT NULL, service_seconds REAL NOT NULL, bytes INTEGER NOT NULL
    )""",
    """CREATE TABLE phases (
        job TEXT NOT NULL, number INTEGER NOT NULL, epoch INTEGER NOT NULL, start REAL NOT NULL,
        wait_seconds REAL NOT NULL, service_seconds REAL NOT NULL, bytes INTEGER NOT NULL,
        iteration INTEGER NOT NULL, ranks INTEGER NOT NULL, resized INTEGER NOT NULL,
        PRIMARY KEY (job, number)
    )""",
    # Seconds of one iteration without I/O; `program`: the command as JSON.
    """CREATE TABLE samples (
        program TEXT NOT NULL, job TEXT NOT NULL, ranks INTEGER NOT NULL, seconds REAL NOT NULL,
        time REAL NOT NULL
    )""",
    "CREATE INDEX samples_of_program ON samples (program, ranks)",
    # Those that are held, and no others.
    "CREATE TABLE turns (job TEXT PRIMARY KEY, number INTEGER NOT NULL, epoch INTEGER NOT NULL)",
    # `state`: told, cancelled (and not heard yet), over.
    """CREATE TABLE commands (
        number INTEGER PRIMARY KEY, job TEXT NOT NULL, ranks INTEGER NOT NULL, at INTEGER, why TEXT NOT NULL,
        loan INTEGER, by TEXT NOT NULL, state TEXT NOT NULL
    )""",
    """CREATE TABLE events (
        number INTEGER PRIMARY KEY, time REAL NOT NULL, job TEXT NOT NULL, event TEXT NOT NULL,
        about TEXT NOT NULL
    )""",
)

#: What is kept of that which grows without end: the latest.
PRUNING = (
    "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - 100000",
    "DELETE FROM commands WHERE state = 'over' AND number <= (SELECT max(number) FROM commands) - 100000",
    """DELETE FROM jobs WHERE ended IS NOT NULL AND name NOT IN
        (SELECT name FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC LIMIT 1000)""",
    "DELETE FROM phases WHERE job NOT IN (SELECT name FROM jobs)",
    """DELETE FROM phases WHERE rowid IN (SELECT rowid FROM
        (SELECT rowid, row_number() OVER (PARTITION BY job ORDER BY number DESC) AS age FROM phases)
        WHERE age > 256)""",
    """DELETE FROM samples WHERE rowid IN (SELECT rowid FROM
        (SELECT rowid, row_number() OVER (PARTITION BY program, ranks ORDER BY rowid DESC) AS age
        FROM samples) WHERE age > 31)""",
)
