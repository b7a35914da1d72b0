# SPDX-License-Identifier: BSD-3-Clause
"""Text files that a user names."""

from pathlib import Path

from nereus.config.errors import fail


def text_of(path: Path) -> str:
    """ConfigError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise fail(str(path), f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise fail(str(path), "is not UTF-8 text") from None
