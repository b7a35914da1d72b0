# SPDX-License-Identifier: BSD-3-Clause
"""What a job is told about epochs, and whether a failed one is started again."""

import signal
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from an_epoch import document, folder_of_epochs, write_epoch

from nereus.epochs import chosen_epoch
from nereus.launch import Outcome
from nereus.runs import Ending, Recoveries, RunError, Saving
from nereus.supervisor import HostEpochs, MemoryEpochs, messages

FAILED = Ending(Outcome(False, "a rank was killed", 137), was_opened=True, ranks=4)
GOOD = Ending(Outcome(True, "the job ended normally"), was_opened=True, ranks=4)


def test_job_without_a_folder_has_no_settings(tmp_path: Path) -> None:
    saving = Saving.of(None, "0", None, 60.0, None)
    assert dict(saving.settings) == {}
    with saving.alone():
        pass


def test_job_that_resumes_saves_where_it_comes_from(tmp_path: Path) -> None:
    folder = folder_of_epochs(tmp_path / "saved", 3, 4)
    saving = Saving.of(None, "600.0", signal.SIGUSR1, 60.0, folder / "epoch-3")
    assert dict(saving.settings) == {
        "NEREUS_SAVE": str(folder),
        "NEREUS_SAVE_EVERY": "600.0",
        "NEREUS_RESUME": str(folder / "epoch-3"),
    }
    assert saving.signals == {signal.SIGTERM, signal.SIGUSR1}
    assert saving.epoch is not None and saving.saved_ranks == 4


def test_two_jobs_do_not_save_in_one_folder(tmp_path: Path) -> None:
    one, other = (Saving.of(tmp_path / "saved", "0", None, 60.0, None) for _ in range(2))
    with one.alone(), pytest.raises(RunError, match="another running job"), other.alone():
        pass
    with other.alone():
        pass


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    saving = Saving.of(tmp_path / "file" / "below", "0", None, 60.0, None)
    with pytest.raises(RunError, match="cannot be used"), saving.alone():
        pass


def test_failed_job_continues_from_its_newest_epoch(tmp_path: Path) -> None:
    recoveries = Recoveries(2, 600.0)
    folder = folder_of_epochs(tmp_path, 5, 6)
    epoch = recoveries.next_epoch(FAILED, folder)
    assert not isinstance(epoch, str) and epoch.number == 6
    assert recoveries.number == 1


def test_job_is_started_again_no_more_often_than_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("nereus.runs.recovery_limit.time.monotonic", lambda: now)
    recoveries = Recoveries(2, 600.0)
    folder = folder_of_epochs(tmp_path, 1)
    for _ in range(2):
        assert not isinstance(recoveries.next_epoch(FAILED, folder), str)
    assert recoveries.next_epoch(FAILED, folder) == (
        "it is not started again: it was 2 times in the last 600 s"
    )
    now = 701.0
    assert not isinstance(recoveries.next_epoch(FAILED, folder), str)


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        (GOOD, ""),
        (Ending(None), ""),
        (Ending(FAILED.outcome, was_opened=False), "it is not started again: its program never opened"),
        (FAILED, "holds no complete epoch"),
    ],
)
def test_job_that_cannot_continue_is_not_started_again(tmp_path: Path, ending: Ending, why: str) -> None:
    found = Recoveries(3, 600.0).next_epoch(ending, folder_of_epochs(tmp_path))
    assert isinstance(found, str) and why in found


def test_job_that_saved_an_epoch_was_opened_whatever_was_heard_of_it(tmp_path: Path) -> None:
    """It died before its supervisor, which stood still, had the connection."""
    unheard = replace(FAILED, was_opened=False)
    folder = folder_of_epochs(tmp_path, 1)
    assert not isinstance(Recoveries(2, 600.0).next_epoch(unheard, folder), str)
    found = Recoveries(2, 600.0).next_epoch(replace(unheard, newest_before=1), folder)
    assert found == "it is not started again: its program never opened a job"


def test_job_that_failed_before_it_opened_again_is_started_again(tmp_path: Path) -> None:
    recoveries, folder = Recoveries(2, 600.0), folder_of_epochs(tmp_path, 1)
    for ending in (FAILED, replace(FAILED, was_opened=False)):
        assert not isinstance(recoveries.next_epoch(ending, folder), str)


@pytest.fixture
def in_memory() -> Iterator[MemoryEpochs]:
    with closing(MemoryEpochs()) as made:
        yield made


def test_job_continues_from_the_newer_one_of_disk_and_memory(tmp_path: Path, in_memory: MemoryEpochs) -> None:
    recoveries, folder = Recoveries(9, 600.0), folder_of_epochs(tmp_path, 5)
    folder_of_epochs(in_memory.folder, 2)
    for iteration, expected in ((40, folder), (50, in_memory.folder), (60, in_memory.folder)):
        write_epoch(in_memory.folder, 2, document(2, iteration=iteration))
        epoch = recoveries.next_epoch(FAILED, folder, None, in_memory)
        assert not isinstance(epoch, str) and epoch.folder.parent == expected


def test_job_that_cannot_be_opened_from_memory_continues_from_the_disk(
    tmp_path: Path, in_memory: MemoryEpochs
) -> None:
    recoveries, folder = Recoveries(9, 600.0), folder_of_epochs(tmp_path, 3)
    folder_of_epochs(in_memory.folder, 7)
    kept = recoveries.next_epoch(FAILED, folder, None, in_memory)
    assert not isinstance(kept, str) and in_memory.has(kept.folder)
    since = replace(FAILED, was_opened=False, newest_before=3)
    saved = recoveries.next_epoch(since, folder, kept, in_memory)
    assert not isinstance(saved, str) and saved.folder == folder / "epoch-3"
    assert list(in_memory.folder.iterdir()) == []


def test_job_that_has_saved_none_yet_is_tried_again_from_memory(
    tmp_path: Path, in_memory: MemoryEpochs
) -> None:
    recoveries, folder = Recoveries(9, 600.0), folder_of_epochs(tmp_path)
    folder_of_epochs(in_memory.folder, 7)
    kept = recoveries.next_epoch(FAILED, folder, None, in_memory)
    assert not isinstance(kept, str)
    again = recoveries.next_epoch(replace(FAILED, was_opened=False), folder, kept, in_memory)
    assert not isinstance(again, str) and again.number == 7


def test_job_in_memory_alone_is_tried_again(in_memory: MemoryEpochs) -> None:
    recoveries = Recoveries(9, 600.0)
    assert recoveries.next_epoch(FAILED, None, None, in_memory) == (
        "it is not started again: it had kept no epoch in memory yet"
    )
    folder_of_epochs(in_memory.folder, 7)
    for ending in (FAILED, replace(FAILED, was_opened=False)):
        epoch = recoveries.next_epoch(ending, None, None, in_memory)
        assert not isinstance(epoch, str) and epoch.number == 7


def made(epoch: int, iteration: int, code: int = 0) -> messages.Saved:
    return messages.Saved(
        kind="saved",
        request=1,
        code=code,
        message="",
        epoch=epoch,
        iteration=iteration,
        bytes=8,
        seconds=0.1,
        stops=False,
        in_memory=True,
    )


@pytest.fixture
def on_hosts() -> Iterator[HostEpochs]:
    with closing(HostEpochs(None)) as made:
        yield made


def test_job_continues_from_the_newer_one_of_disk_and_memory_of_hosts(
    tmp_path: Path, on_hosts: HostEpochs
) -> None:
    recoveries, folder = Recoveries(9, 600.0), folder_of_epochs(tmp_path, 5)  # at iteration 50
    for iteration, expected in ((40, folder / "epoch-5"), (50, on_hosts.folder), (60, on_hosts.folder)):
        on_hosts.made(made(iteration // 10, iteration), [])
        epoch = recoveries.next_epoch(FAILED, folder, None, on_hosts)
        assert not isinstance(epoch, str) and epoch.folder == expected
        assert on_hosts.has(epoch.folder) == (expected == on_hosts.folder)


def test_job_that_cannot_be_opened_from_memory_of_hosts_continues_from_the_disk(
    tmp_path: Path, on_hosts: HostEpochs
) -> None:
    recoveries, folder = Recoveries(9, 600.0), folder_of_epochs(tmp_path, 3)
    on_hosts.made(made(7, 70), [])
    kept = recoveries.next_epoch(FAILED, folder, None, on_hosts)
    assert not isinstance(kept, str) and kept.folder == on_hosts.folder
    since = replace(FAILED, was_opened=False, newest_before=3)
    saved = recoveries.next_epoch(since, folder, kept, on_hosts)
    assert not isinstance(saved, str) and saved.folder == folder / "epoch-3"
    assert not on_hosts.has_any


def test_job_in_memory_of_hosts_alone_is_tried_again(on_hosts: HostEpochs) -> None:
    recoveries = Recoveries(9, 600.0)
    assert recoveries.next_epoch(FAILED, None, None, on_hosts) == (
        "it is not started again: it had kept no epoch in memory yet"
    )
    on_hosts.made(made(7, 70), [])
    for ending in (FAILED, replace(FAILED, was_opened=False)):
        epoch = recoveries.next_epoch(ending, None, None, on_hosts)
        assert not isinstance(epoch, str) and epoch.number == 7


def test_epochs_in_memory_are_gone_afterwards() -> None:
    with closing(MemoryEpochs()) as made:
        folder = made.folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_settings_of_a_protected_job_name_no_disk() -> None:
    saving = Saving.of(None, "0", None, 60.0, None, protect_every="auto")
    assert dict(saving.settings) == {"NEREUS_PROTECT_EVERY": "auto", "NEREUS_PROTECT": "memory"}


def test_job_whose_hosts_are_buddies_is_told_so() -> None:
    saving = Saving.of(None, "0", None, 60.0, None, protect_every="auto", has_buddies=True)
    assert saving.settings["NEREUS_PROTECT"] == "buddy"


def test_job_that_saved_nothing_continues_from_the_epoch_that_was_chosen(tmp_path: Path) -> None:
    folder = folder_of_epochs(tmp_path, 3, 4)
    chosen = chosen_epoch(folder / "epoch-3")
    since = replace(FAILED, newest_before=4)
    assert Recoveries(3, 600.0).next_epoch(since, folder, chosen) is chosen
    folder_of_epochs(tmp_path, 5)
    epoch = Recoveries(3, 600.0).next_epoch(since, folder, chosen)
    assert not isinstance(epoch, str) and epoch.number == 5


def test_nothing_is_started_again_unless_asked_for(tmp_path: Path) -> None:
    assert Recoveries(0, 600.0).next_epoch(FAILED, folder_of_epochs(tmp_path, 1)) == ""
    assert Recoveries(3, 600.0).next_epoch(FAILED, None) == ""
