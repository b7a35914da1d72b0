# SPDX-License-Identifier: BSD-3-Clause
"""The first and the last events of a record: `nereus monitor` writes them, processes what is between."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from nereus.analysis.monitor.encoding import Encoding, encoded, items_in
from nereus.analysis.monitor.kinds import FORMAT

_LAST = 256  # bytes that have the last event in them
NOBODY = "no process of the command reached MPI_Init of the chosen MPI"


def begin(file: Path, encoding: Encoding, run: str, command: Sequence[str]) -> None:
    """Write the first. OSError where that cannot be; a file that was not there before is not left."""
    # Arguments are bytes, a record is text: of what is no text it has the escapes.
    words = [word.encode("utf-8", "backslashreplace").decode("utf-8") for word in command]
    header = {"event": "header", "format": FORMAT, "version": 1, "run": run, "command": words}
    is_new = not file.exists()
    try:
        file.write_bytes(encoded(header, encoding))
    except OSError:
        if is_new:
            file.unlink(missing_ok=True)
        raise


def end(file: Path, encoding: Encoding, exit_code: int) -> bool:
    """Write the last. Whether no process had recorded anything, which the record then says. OSError."""
    is_empty = next(islice(items_in(file), 1, None), None) is None
    with file.open("ab") as record:
        if is_empty:
            record.write(encoded({"event": "unseen", "what": "the run", "why": NOBODY}, encoding))
        record.write(encoded({"event": "ended", "exit_code": exit_code}, encoding))
    return is_empty


def has_ended(file: Path) -> bool:
    """Whether it has its last event, in JSON."""
    with suppress(OSError), file.open("rb") as record:
        record.seek(max(0, file.stat().st_size - _LAST))
        return b'{"event":"ended"' in record.read().replace(b" ", b"")
    return False
