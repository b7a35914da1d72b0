# SPDX-License-Identifier: BSD-3-Clause
"""Hosts with links of a set rate where the system does not make them."""

import os
from pathlib import Path

import pytest

from nereus.bench import local_hosts
from nereus.bench.limited_hosts import limited_hosts
from nereus.launch import LaunchError


@pytest.mark.parametrize(
    ("act", "seconds", "expected"),
    [
        ("echo 'not permitted' >&2; exit 2", 60.0, "ip netns add nrb.*: not permitted"),
        ("exec sleep 60", 5.0, "ip netns add nrb.*: did not end within 5 s"),
    ],
)
def test_missing_links_are_explained_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, seconds: float, expected: str
) -> None:
    for name in ("ip", "tc", "unshare"):
        tool = tmp_path / name
        tool.write_text(f'#!/bin/sh\n[ "$*" = "netns list" ] || {{ {act}; }}\n')
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(local_hosts, "_SECONDS", seconds)
    with pytest.raises(LaunchError, match=f"--network = limited: {expected}"), limited_hosts(10):
        pytest.fail("there are no links")
