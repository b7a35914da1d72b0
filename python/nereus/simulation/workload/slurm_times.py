# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and times as `sacct` prints them."""

import re
from datetime import UTC, datetime

_WHOLE = re.compile(r"[0-9]{1,10}")
_MINUTES = re.compile(r"[0-9]{1,8}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})?")
_WITH_DAYS = re.compile(r"([0-9]{1,5})-([0-9]{1,2})(?::([0-9]{1,2}))?(?::([0-9]{1,2}))?(?:\.[0-9]+)?")
_WITHOUT_DAYS = re.compile(r"(?:([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{1,2})(?:\.[0-9]+)?")
_NO_LIMIT = ("unlimited", "partition_limit", "")
_NOT_KNOWN = -1.0
_DURATION = "D-HH:MM:SS, HH:MM:SS or MM:SS"


class WrongTextError(ValueError):
    """Its text says what is allowed."""


def whole(text: str) -> float:
    """A number from 0."""
    if not _WHOLE.fullmatch(text):
        raise WrongTextError("a whole number from 0 to 9999999999")
    return float(text)


def moment(text: str) -> float:
    """Seconds since 1970. A time without a zone is taken as one of UTC: only differences are used."""
    if _WHOLE.fullmatch(text):
        return float(text)
    try:
        if not _MOMENT.fullmatch(text):
            raise ValueError
        found = datetime.fromisoformat(text)
        seconds = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        seconds = -1.0
    if not 0 <= seconds <= 1e10:
        raise WrongTextError("a time such as 2026-01-31T23:59:59, or seconds since 1970")
    return seconds


def duration(text: str) -> float:
    """Seconds."""
    if found := _WITH_DAYS.fullmatch(text):
        days, hours, some_minutes, seconds = (int(each or 0) for each in found.groups())
    elif found := _WITHOUT_DAYS.fullmatch(text):
        days = 0
        hours, some_minutes, seconds = (int(each or 0) for each in found.groups())
    else:
        raise WrongTextError(_DURATION)
    return float(((days * 24 + hours) * 60 + some_minutes) * 60 + seconds)


def limit(text: str) -> float:
    """Seconds; -1 where there is none, or it is that of the partition, which `sacct` does not know."""
    if text.lower() in _NO_LIMIT:
        return _NOT_KNOWN
    try:
        return duration(text)
    except WrongTextError:
        raise WrongTextError(f"{_DURATION}, UNLIMITED or Partition_Limit") from None


def minutes(text: str) -> float:
    """The same where it is a number of minutes."""
    if text.lower() in _NO_LIMIT:
        return _NOT_KNOWN
    if not _MINUTES.fullmatch(text):
        raise WrongTextError("a whole number of minutes up to 99999999, UNLIMITED or Partition_Limit")
    return 60.0 * int(text)
