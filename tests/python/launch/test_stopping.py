# SPDX-License-Identifier: BSD-3-Clause
"""A wish to stop is noted, and signals are as they were afterwards."""

import os
import signal
from typing import Any

import pytest

from nereus.launch import Stopped, Stopping, left_when_stopped


def test_first_signal_is_noted_and_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Stopping() as stopping:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    assert (stopping.signal, stopping.exit_code, stopping.text) == (signal.SIGTERM, 143, "SIGTERM")
    assert signal.getsignal(signal.SIGTERM) is before


def test_handler_of_a_preloaded_library_causes_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python knows it as None, and cannot give it back."""
    given: list[Any] = []

    def unknown_before(number: int, handler: Any) -> None:
        given.append(handler)

    monkeypatch.setattr(signal, "signal", unknown_before)
    with Stopping():
        pass
    assert None not in given


def test_first_signal_interrupts_work_but_not_cleanup() -> None:
    before, tidy = signal.getsignal(signal.SIGTERM), []
    with pytest.raises(Stopped) as stopped, left_when_stopped():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            tidy.append(True)
    assert (str(stopped.value), stopped.value.exit_code, tidy) == ("SIGTERM", 143, [True])
    assert signal.getsignal(signal.SIGTERM) is before


def test_nested_stopping_only_notes_the_signal() -> None:
    with left_when_stopped():
        with Stopping() as stopping:
            os.kill(os.getpid(), signal.SIGTERM)
        assert stopping.signal == signal.SIGTERM
        with pytest.raises(Stopped):
            os.kill(os.getpid(), signal.SIGTERM)
