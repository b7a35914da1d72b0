# SPDX-License-Identifier: BSD-3-Clause
"""Documents for a browser: of text that is in no encoding nothing can be sent there."""

from collections.abc import Mapping
from typing import Any

from nereus import printable


def printable_document(value: Any) -> Any:
    """The same with texts from outside, keys too, as people can be shown them."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable(key): printable_document(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [printable_document(each) for each in value]
    return value
