# SPDX-License-Identifier: BSD-3-Clause
"""Text files that a user names."""

from pathlib import Path

from nereus.config.errors import fail
from nereus.reading import MOST_WRITTEN, content_of


def text_of(path: Path, most: int = MOST_WRITTEN) -> str:
    """ConfigError where it cannot be read, NotReadError where it has more than `most` bytes."""
    try:
        return content_of(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise fail(str(path), f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise fail(str(path), "is not UTF-8 text") from None
