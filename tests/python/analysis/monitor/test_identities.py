# SPDX-License-Identifier: BSD-3-Clause
"""Messages between worlds stand with the processes that they went between, or with nobody."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from a_run import HEADER, Line, moved, process, write

from nereus.analysis.monitor.flows import Flows, flows
from nereus.analysis.monitor.reader import read

OWN = [[0, 0, 2, 1]]  # both processes of a world of two
OTHERS = [[1, 0, 2, 1]]  # the first world that they met


def met(by: str, begin: float, end: float, own: Any = OWN, members: Any = OTHERS) -> Line:
    return {"event": "met", "by": by, "begin_unix": begin, "end_unix": end, "own": own, "members": members}


def generation(number: int, own_rank: int, members: Any, job: str = "j") -> Line:
    told = {"event": "generation", "generation": number, "job": job}
    return {**told, "own_rank": own_rank, "members": members}


def sent(to: int, messages: int, world: int = 1, **other: Any) -> Line:
    return moved([[to, messages, messages, {"1": messages}]], to_world=world, **other)


def world_of_two(name: str, meeting: Line, *lines: Line) -> list[Line]:
    """Both its processes met the same; what more its rank 0 told."""
    return [process(0, 2, name), *lines, meeting, process(1, 2, name), meeting]


def made_of(tmp_path: Path, *lines: Line) -> Flows:
    return flows(read(write(tmp_path / "f", HEADER, *lines)))


def sends(made: Flows) -> dict[tuple[str, int, str, int], int]:
    rows: Sequence[dict[str, Any]] = made.document()
    ends = [(made.places[row["source"]], made.places[row["destination"]], row["messages"]) for row in rows]
    return {(a.world, a.rank, b.world, b.rank): messages for a, b, messages in ends}


def test_spawned_and_spawning_processes_are_identified(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        *world_of_two("parents", met("spawn", 10.0, 10.5), sent(1, 5)),
        *world_of_two("children", met("parent", 10.2, 11.0), sent(0, 3)),
    )
    assert sends(made) == {("parents", 0, "children", 1): 5, ("children", 0, "parents", 0): 3}
    assert made.strangers == 0


def test_connected_worlds_are_identified(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        *world_of_two("server", met("accept", 10.0, 12.0), sent(0, 1)),
        *world_of_two("client", met("connect", 11.9, 12.1), sent(1, 2)),
    )
    assert sends(made) == {("server", 0, "client", 0): 1, ("client", 0, "server", 1): 2}


def test_ambiguous_peer_is_left_unidentified(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        *world_of_two("parents", met("spawn", 10.0, 10.5), sent(1, 5)),
        *world_of_two("children", met("parent", 10.2, 11.0)),
        *world_of_two("others", met("parent", 10.3, 11.0)),
    )
    assert sends(made) == {}
    assert made.strangers == 5


def test_meeting_at_other_time_or_size_is_not_matched(tmp_path: Path) -> None:
    for meeting in (
        met("parent", 10.6, 11.0),
        met("parent", 10.2, 11.0, members=[[1, 0, 3, 1]]),
        met("connect", 10.2, 11.0),
    ):
        lines = [*world_of_two("parents", met("spawn", 10.0, 10.5), sent(1, 5)), *world_of_two("c", meeting)]
        assert made_of(tmp_path, *lines).strangers == 5, meeting


def test_group_of_several_worlds_is_identified_once_they_are(tmp_path: Path) -> None:
    """Parents and children together spawn one more world, which sends to the last of these four."""
    both = [[0, 0, 2, 1], [1, 0, 2, 1]]
    of_children = [[1, 0, 2, 1], [0, 0, 2, 1]]
    again = met("spawn", 20.0, 20.5, both, [[2, 0, 2, 1]])
    again_of_children = met("spawn", 20.0, 20.5, of_children, [[2, 0, 2, 1]])
    made = made_of(
        tmp_path,
        *world_of_two("parents", met("spawn", 10.0, 10.5), sent(1, 5, 2), again),
        *world_of_two("children", met("parent", 10.2, 11.0), sent(0, 7, 2), again_of_children),
        *world_of_two("third", met("parent", 20.2, 21.0, members=[[1, 0, 4, 1]]), sent(3, 1)),
    )
    assert sends(made) == {
        ("parents", 0, "third", 1): 5,
        ("children", 0, "third", 0): 7,
        ("third", 0, "children", 1): 1,
    }


def test_members_of_a_generation_are_identified_by_their_ranks(tmp_path: Path) -> None:
    """Rank 1 of the old world left: the newcomer is rank 1 of the generation."""
    made = made_of(
        tmp_path,
        *[process(0, 2, "old"), generation(1, 0, [[0, 0, 1, 1], [1, 0, 1, 1]]), sent(0, 4, generation=1)],
        process(1, 2, "old"),
        *[process(0, 1, "new"), generation(1, 1, [[1, 0, 1, 1], [0, 0, 1, 1]]), sent(0, 2, generation=1)],
    )
    assert sends(made) == {("old", 0, "new", 0): 4, ("new", 0, "old", 0): 2}
    assert {row["generation"] for row in made.document()} == {1}


def test_generations_of_two_jobs_in_one_file_are_kept_apart(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        *[process(0, 1, "a"), generation(0, 0, [[0, 0, 1, 1], [1, 0, 1, 1]], "j"), sent(0, 4)],
        *[process(0, 1, "b"), generation(0, 1, [[1, 0, 1, 1], [0, 0, 1, 1]], "k")],
    )
    assert made.strangers == 4


def test_phases_are_reported_by_name(tmp_path: Path) -> None:
    phases = [{"event": "phase", "phase": n, "name": name} for n, name in ((1, "solve"), (2, "write"))]
    made = made_of(tmp_path, process(0, 2), *phases, *(sent(1, 1, 0, phase=n) for n in (0, 1, 2)))
    assert [row["phase"] for row in made.document()] == ["", "solve", "write"]
