# SPDX-License-Identifier: BSD-3-Clause
"""Plain files beside epochs hold all of the bytes, and are gone afterwards."""

from pathlib import Path

import pytest

from nereus.bench.plain_files import PlainFiles, seconds_to_read


@pytest.mark.parametrize(("ranks", "size"), [(1, 8), (2, 1_000_001), (3, 20_000_000)])
def test_files_hold_all_bytes_in_equal_shares(tmp_path: Path, ranks: int, size: int) -> None:
    plain = PlainFiles(tmp_path / "plain", ranks, size)
    assert plain.write() > 0
    sizes = [path.stat().st_size for path in (tmp_path / "plain").iterdir()]
    assert len(sizes) == ranks
    assert size <= sum(sizes) < size + ranks
    assert len(set(sizes)) == 1
    assert seconds_to_read(sorted((tmp_path / "plain").iterdir()), ranks) > 0
    plain.remove()
    assert list(tmp_path.iterdir()) == []


def test_bytes_cannot_be_compressed_away(tmp_path: Path) -> None:
    plain = PlainFiles(tmp_path / "plain", 1, 100_000)
    plain.write()
    assert len(set((tmp_path / "plain" / "0").read_bytes()[:65536])) == 256


def test_removing_what_was_never_written_does_nothing(tmp_path: Path) -> None:
    PlainFiles(tmp_path / "plain", 2, 10).remove()
    assert list(tmp_path.iterdir()) == []
