# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on one machine where the system does not make them."""

import os
from pathlib import Path

import pytest

from nereus.bench import local_hosts
from nereus.bench.local_hosts import Wanted, hosts_for
from nereus.launch import LaunchError


@pytest.mark.parametrize(
    ("act", "seconds", "expected"),
    [
        ("echo 'not permitted' >&2; exit 2", 60.0, "ip netns add nrb.*: not permitted"),
        ("exec sleep 60", 5.0, "ip netns add nrb.*: did not end within 5 s"),
    ],
)
def test_missing_hosts_are_explained_in_one_line(
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
    hosts = hosts_for("--network = limited", Wanted("nrb", "ab", 10.0))
    with pytest.raises(LaunchError, match=f"--network = limited: {expected}"), hosts:
        pytest.fail("there are no hosts")
