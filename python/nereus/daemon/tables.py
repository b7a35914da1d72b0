# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the store. Times are seconds since 1970."""

#: Of the file; "nrus".
APPLICATION = 0x6E727573
VERSION = 1

#: The latest that are kept: times of iterations of a program on a number of ranks, I/O phases of a job.
SAMPLES_KEPT, PHASES_KEPT = 31, 256

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
    "CREATE INDEX samples_of_job ON samples (job)",
    "CREATE INDEX ended_jobs ON jobs (ended)",
    """CREATE TRIGGER forgotten_job AFTER DELETE ON jobs BEGIN
        DELETE FROM phases WHERE job = OLD.name;
    END""",
    # Those that are held, and no others.
    "CREATE TABLE turns (job TEXT PRIMARY KEY, number INTEGER NOT NULL, epoch INTEGER NOT NULL)",
    # Cores that are kept for jobs which are not there yet; `granted`: or which they wait for, as 0.
    """CREATE TABLE reservations (
        number INTEGER PRIMARY KEY, job TEXT NOT NULL UNIQUE, ranks INTEGER NOT NULL, granted INTEGER NOT NULL
    )""",
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

#: What goes with each row that is written, so that no table of a job or program grows while they talk.
TRIM_SAMPLES = f"""DELETE FROM samples WHERE program = ?1 AND ranks = ?2 AND rowid <=
    (SELECT rowid FROM samples WHERE program = ?1 AND ranks = ?2
    ORDER BY rowid DESC LIMIT 1 OFFSET {SAMPLES_KEPT})"""
TRIM_PHASES = f"DELETE FROM phases WHERE job = ? AND number <= ? - {PHASES_KEPT}"

#: What is kept of that which grows with jobs and time: the latest. Each removes a few rows, and is said again
#: until it finds none: nobody waits for it long.
PRUNING = (
    """DELETE FROM events WHERE number IN (SELECT number FROM events
        WHERE number <= (SELECT max(number) FROM events) - 100000 ORDER BY number LIMIT 500)""",
    """DELETE FROM commands WHERE number IN (SELECT number FROM commands WHERE state = 'over' AND number <=
        (SELECT number FROM commands ORDER BY number DESC LIMIT 1 OFFSET 10000) ORDER BY number LIMIT 500)""",
    # With their phases.
    """DELETE FROM jobs WHERE name IN (SELECT name FROM jobs WHERE ended <=
        (SELECT ended FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC LIMIT 1 OFFSET 1000)
        ORDER BY ended LIMIT 4)""",
    """DELETE FROM samples WHERE rowid IN (SELECT rowid FROM samples ORDER BY rowid LIMIT
        (SELECT max(0, min(500, count(*) - 100000)) FROM samples))""",
)
