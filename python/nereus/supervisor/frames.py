# SPDX-License-Identifier: BSD-3-Clause
"""What all messages of the link and of the control socket are: an object of our version, and codes.

Who only asks a job needs no more; what a supervisor is told and asked is in messages.py.
"""

import json
from typing import Any

VERSION = 1
MOST_BYTES = 1 << 20

# Numbers of enum nereus_code in include/nereus/errors.h.
CODES = {
    0: "NEREUS_OK",
    1: "NEREUS_RESIZED",
    2: "NEREUS_LEAVE",
    3: "NEREUS_WOKEN",
    4: "NEREUS_UNCHANGED",
    5: "NEREUS_PENDING",
    6: "NEREUS_REDUCED",
    7: "NEREUS_NO_TURN",
    -1: "NEREUS_ERR_ARGUMENT",
    -2: "NEREUS_ERR_ROOT",
    -3: "NEREUS_ERR_RANGE",
    -4: "NEREUS_ERR_NAME",
    -5: "NEREUS_ERR_MISMATCH",
    -6: "NEREUS_ERR_MEMORY",
    -7: "NEREUS_ERR_PROCESS",
    -8: "NEREUS_ERR_TIMEOUT",
    -9: "NEREUS_ERR_TRANSFER",
    -10: "NEREUS_ERR_UNSUPPORTED",
    -11: "NEREUS_ERR_SETTING",
    -12: "NEREUS_ERR_MPI",
    -13: "NEREUS_ERR_STATE",
}
OK, RESIZED, UNCHANGED, PENDING, REDUCED = 0, 1, 4, 5, 6


def decode(frame: bytes) -> dict[str, Any] | None:
    """The object in a frame, if it is one of our version."""
    if len(frame) > MOST_BYTES:
        return None
    try:
        value = json.loads(frame.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    ours = isinstance(value, dict) and type(value.get("version")) is int and value["version"] == VERSION
    return value if ours else None


def encode(message: dict[str, Any]) -> bytes | None:
    """The frame of an object; None when it does not fit into one, as what was read may not."""
    try:
        frame = json.dumps({"version": VERSION, **message}, allow_nan=False).encode("ascii")
    except (ValueError, RecursionError):
        return None
    return frame if len(frame) <= MOST_BYTES else None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")
