# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are placed by what they really send each other, whichever file tells it; others are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from a_run import HEADER, communicator, moved, process, to_all, world, write
from scipy.io import mmwrite
from scipy.sparse import csr_array, save_npz

from nereus import UserError
from nereus.cli.main import run
from nereus.placement import Selection, read_traffic
from nereus.placement.matrix import write_matrix

SENT = np.array([[0.0, 5, 0], [7, 0, 1], [0, 2.5, 0]])
HOSTS = '[[hosts]]\nname = "n[1-2]"\nslots = 2\n'


def read(path: Path, **selection: Any) -> list[list[float]]:
    found: list[list[float]] = read_traffic(path, Selection(**selection)).toarray().tolist()
    return found


def written(folder: Path, ending: str) -> Path:
    path = folder / f"m{ending}"
    if ending == ".mtx":
        mmwrite(path, csr_array(SENT))
    elif ending == ".nm":
        write_matrix(path, csr_array(SENT))
    elif ending == ".npy":
        np.save(path, SENT)
    elif ending == ".npz":
        save_npz(path, csr_array(SENT))
    elif ending == ".txt":
        np.savetxt(path, SENT, header="from row to column")
    elif ending == ".csv":
        np.savetxt(path, SENT, delimiter=",")
    else:
        pairs = [(i, j) for i in range(3) for j in range(3) if SENT[i, j]]
        lines = [f"{i},{j},{SENT[i, j]},1" for i, j in pairs]
        path.write_text("\n".join(["source,destination,bytes,messages", *lines]))
    return path


@pytest.mark.parametrize("ending", [".mtx", ".nm", ".npy", ".npz", ".txt", ".csv", ".pairs.csv"])
def test_all_matrix_formats_are_equivalent(tmp_path: Path, ending: str) -> None:
    assert read(written(tmp_path, ending)) == SENT.tolist()


def test_messages_can_be_counted_instead_of_bytes(tmp_path: Path) -> None:
    assert read(written(tmp_path, ".pairs.csv"), what="messages") == (SENT > 0).astype(float).tolist()


def test_trailing_ranks_without_traffic_are_placed_too(tmp_path: Path) -> None:
    assert len(read(written(tmp_path, ".txt"), ranks=5)) == 5
    with pytest.raises(UserError, match=r"--ranks 2: .* has 3 ranks: no fewer are allowed"):
        read(written(tmp_path, ".txt"), ranks=2)


def test_record_counts_messages_of_collectives_once(tmp_path: Path) -> None:
    lines = [
        HEADER,
        world(2),
        process(0, 2),
        communicator(0, [[0, 0, 2, 1]]),
        moved([[1, 2, 10, {"3": 2}]]),
        to_all("all", 100),
        process(1, 2),
    ]
    assert read(write(tmp_path / "r.jsonl", *lines)) == [[0, 110], [0, 0]]
    decomposed = moved([[1, 1, 64, {"7": 1}]], kind="decomposed", call="allreduce")
    assert read(write(tmp_path / "d.jsonl", *lines[:-1], decomposed, process(1, 2))) == [[0, 74], [0, 0]]


def test_ranks_of_a_resized_job_are_those_of_its_latest_generation(tmp_path: Path) -> None:
    def joined(generation: int, own_rank: int, members: list[list[int]]) -> dict[str, Any]:
        told = {"event": "generation", "generation": generation, "job": "j"}
        return {**told, "own_rank": own_rank, "members": members}

    first, turned = [[0, 0, 2, 1]], [[0, 1, 2, -1]]
    path = write(
        tmp_path / "r.jsonl",
        HEADER,
        world(2),
        process(0, 2),
        joined(0, 0, first),
        joined(1, 1, turned),
        moved([[1, 1, 5, {"3": 1}]]),
        moved([[1, 1, 9, {"4": 1}]], generation=1),
        process(1, 2),
        joined(0, 1, first),
        joined(1, 0, turned),
    )
    assert read(path) == [[0, 0], [9, 0]]
    assert read(path, generation=0) == [[0, 5], [0, 0]]
    with pytest.raises(UserError, match=r"--generation 2: .* has the generations 0, 1"):
        read(path, generation=2)


def test_open_mpi_monitoring_files_are_read(tmp_path: Path) -> None:
    sizes = ",".join(["0"] * 66)
    (tmp_path / "p.0.prof").write_text(f"# POINT TO POINT\nE\t0\t1\t40 bytes\t2 msgs sent\t{sizes}\n")
    (tmp_path / "p.1.prof").write_text(f"# POINT TO POINT\nE\t1\t0\t8 bytes\t1 msgs sent\t{sizes}\n")
    assert read(tmp_path / "p.0.prof") == [[0, 40], [8, 0]]


BAD = {
    "two.txt": ("1 2 3\n4 5 6\n", "2 rows and 3 columns: as many of both"),
    "ragged.txt": ("1 2\n3\n", "rows of as many numbers each are allowed"),
    "words.txt": ("1 two\n3 4\n", "rows of as many numbers each are allowed"),
    "minus.txt": ("0 1\n-2 0\n", "row 1, column 0: -2: finite numbers from 0 are allowed"),
    "nan.csv": ("0,nan\nnan,0\n", "row 0, column 1: nan: finite numbers from 0 are allowed (and 1 more)"),
    "infinite.txt": ("0 inf\n1 0\n", "row 0, column 1: inf: finite numbers from 0 are allowed"),
    "empty.txt": ("", "is empty"),
    "noise.npy": ("\x01\x02", "is no matrix of NumPy or SciPy"),
    "noise.npz": ("\x01\x02", "is no matrix of NumPy or SciPy"),
    "noise.mtx": ("%%MatrixMarket\n", "is no Matrix Market file"),
    "a.pairs.csv": ("source,destination,messages\n0,1,1\n", "a column bytes is missing"),
    "b.pairs.csv": ("source,destination,bytes\n0,-1,1\n", "whole numbers from 0 are allowed"),
    "c.pairs.csv": ("source,destination,bytes\n0,1,x\n", "row 0, column 1: nan: finite numbers"),
    "e.pairs.csv": ("source,destination,bytes\n0,99999999,1\n", "rank 99999999: ranks up to 16777215"),
    "d.pairs.csv": (
        "source,destination,generation,bytes\n0,1,0,1\n1,0,1,1\n",
        "pairs of several generations",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_traffic_is_refused_with_its_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, expected = BAD[name]
    (tmp_path / name).write_text(text, encoding="latin-1")
    (tmp_path / "hosts.toml").write_text(HOSTS)
    assert run(["place", "--matrix", str(tmp_path / name), "--topology", str(tmp_path / "hosts.toml")]) == 2
    told = capsys.readouterr().err
    assert expected in told and name in told and told.count("\n") == 1


def test_missing_file_and_wrong_record_options_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read(tmp_path / "none.txt")
    with pytest.raises(UserError, match="--generation and --phase are allowed with records"):
        read(written(tmp_path, ".txt"), phase="solve")
    (tmp_path / "bytes.bin").write_bytes(bytes(range(128, 256)))
    with pytest.raises(UserError, match="a record of the monitor, Matrix Market"):
        read(tmp_path / "bytes.bin")
