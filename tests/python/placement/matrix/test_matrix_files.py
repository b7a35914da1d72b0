# SPDX-License-Identifier: BSD-3-Clause
"""A matrix that comes from a file is the one that its author meant, or it is refused."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array, random_array

from nereus.cli.main import run
from nereus.placement.matrix import MatrixError, facts_of, read_market, read_matrix, write_matrix

HEAD = "%%MatrixMarket matrix "


def market(folder: Path, text: str) -> Path:
    path = folder / "file.mtx"
    path.write_text(HEAD + text)
    return path


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (7, 4), (40, 40)])
def test_written_matrix_is_read_back_unchanged(tmp_path: Path, shape: tuple[int, int]) -> None:
    matrix = csr_array(random_array(shape, density=0.3, rng=7))
    write_matrix(tmp_path / "m", matrix)
    found = read_matrix(tmp_path / "m")
    assert found.shape == shape
    assert np.array_equal(found.toarray(), matrix.toarray())


def test_matrix_market_and_own_format_are_equivalent(tmp_path: Path) -> None:
    matrix = random_array((20, 20), density=0.2, rng=3)
    mmwrite(tmp_path / "file.mtx", matrix)
    assert np.array_equal(read_market(tmp_path / "file.mtx").toarray(), matrix.toarray())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n", [[4, -1], [-1, 0]]),
        ("coordinate real skew-symmetric\n2 2 1\n2 1 3\n", [[0, -3], [3, 0]]),
        ("coordinate integer general\n2 3 2\n1 3 5\n2 1 -6\n", [[0, 0, 5], [-6, 0, 0]]),
        ("coordinate real general\n1 1 2\n1 1 1.5\n1 1 2\n", [[3.5]]),
        ("array real general\n2 2\n1\n0\n3\n4\n", [[1, 3], [0, 4]]),
    ],
)
def test_market_file_formats_are_read(tmp_path: Path, text: str, expected: list[list[float]]) -> None:
    assert read_market(market(tmp_path, text)).toarray().tolist() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("coordinate pattern general\n1 1 1\n1 1\n", "has pattern entries"),
        ("coordinate complex general\n1 1 1\n1 1 1 2\n", "has complex entries"),
        ("coordinate real general\n2 2 2\n1 1 1\n", "is no Matrix Market file"),
        ("coordinate real general\n2 2 1\n3 1 1\n", "is no Matrix Market file"),
        ("coordinate real general\n1 1 1\n1 1 inf\n", "no finite numbers"),
        ("coordinate", "is no Matrix Market file"),
    ],
)
def test_unsupported_market_files_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    out = tmp_path / "out"
    assert run(["matrix", "convert", str(market(tmp_path, text)), str(out)]) == 2
    assert expected in capsys.readouterr().err
    assert not out.exists()


def test_file_is_overwritten_only_with_force(tmp_path: Path) -> None:
    source = market(tmp_path, "coordinate real general\n1 1 1\n1 1 2\n")
    out = tmp_path / "out"
    out.write_text("of value")
    assert run(["matrix", "convert", str(source), str(out)]) == 2
    assert out.read_text() == "of value"
    assert run(["matrix", "convert", str(source), str(out), "--force"]) == 0
    assert read_matrix(out).toarray().tolist() == [[2.0]]


@pytest.mark.parametrize(("place", "number"), [(8, 2), (16, -1), (24, 0), (32, 9), (40, 1), (48, 5), (64, 3)])
def test_damaged_file_is_refused(tmp_path: Path, place: int, number: int) -> None:
    write_matrix(tmp_path / "m", csr_array(np.eye(2)))
    content = bytearray((tmp_path / "m").read_bytes())
    content[place : place + 8] = number.to_bytes(8, "little", signed=True)
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(MatrixError):
        read_matrix(tmp_path / "m")


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    write_matrix(tmp_path / "m", csr_array(np.eye(2)))
    content = (tmp_path / "m").read_bytes()
    for length in range(len(content)):
        (tmp_path / "m").write_bytes(content[:length])
        with pytest.raises(MatrixError):
            read_matrix(tmp_path / "m")


def test_imbalance_is_that_of_the_blocks_of_the_library() -> None:
    dense_rows_first = csr_array(np.triu(np.ones((5, 5))))  # rows of 5, 4, 3, 2 and 1 nonzeros
    facts = facts_of(dense_rows_first)
    assert facts.unbalance == {2: 12 / 7.5, 4: 9 / 3.75}
    assert (facts.shortest_row, facts.median_row, facts.longest_row) == (1, 3, 5)
    assert not facts.symmetric
