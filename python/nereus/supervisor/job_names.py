# SPDX-License-Identifier: BSD-3-Clause
"""What a job may be called by people, beside the key by which Nereus knows it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from nereus.launch.error import LaunchError

_LONGEST = 32
_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9._-]{{0,{_LONGEST - 1}}}", re.ASCII)
_KEY = re.compile(r"[0-9A-Fa-f]{16}", re.ASCII)
# Of a program's name; what is left is room for a number.
_STEM = 24
_WITHOUT_LETTERS = "job"


def is_job_name(text: str) -> bool:
    """Whether a job may be called so."""
    return _NAME.fullmatch(text) is not None and _KEY.fullmatch(text) is None


def check_job_name(text: str) -> None:
    """LaunchError where no job may be called so."""
    if _KEY.fullmatch(text):
        raise LaunchError(f"--name = {text}: could be the key of a job, which has 16 hexadecimal digits")
    if not is_job_name(text):
        raise LaunchError(
            f"--name = {text or '(empty)'}: allowed are 1 to {_LONGEST} letters, digits, dots, "
            "underscores and hyphens, the first of them a letter"
        )


def numbered_name(program: str, number: int) -> str:
    """What the job of that number is called which runs a program of that name."""
    allowed = re.sub(r"[^A-Za-z0-9._-]+", "-", program)
    stem = re.sub(r"^[^A-Za-z]+", "", allowed)[:_STEM].rstrip("-._")
    return f"{stem or _WITHOUT_LETTERS}-{number}"


def meant_by(job: str, keys: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Which of these jobs are meant: the one of that name or key, else those whose keys begin so.

    Of a name no part is enough: a job that has ended would be taken for another one of its program.
    """
    known = list(keys)
    exact = [key for key in known if job in (key, names.get(key))]
    return exact or [key for key in known if job and key.startswith(job)]


def named(about: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A document about a job with what people call it; None where that is not known."""
    return {**about, "name": names.get(about["job"])}


def shown_name(about: Mapping[str, Any]) -> str:
    """What people are told of a job, of a document about it: its name, or its key where that is not known."""
    return str(about.get("name") or about["job"])
