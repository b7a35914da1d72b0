# SPDX-License-Identifier: BSD-3-Clause
"""Commands as a user who is not root and owns only what a test gives it; root alone can run such tests."""

import os
import shutil
import subprocess
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from commands import COMMAND, started

from conftest import LIMIT, Result, Site

NUMBER = 65534
# The interpreter and the MPI may be in root's home folder: it may read all there is, and change nothing.
_READS_ALL = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
_BECOMES = ("setpriv", "--reuid", str(NUMBER), "--regid", str(NUMBER), "--clear-groups", *_READS_ALL)


class AnotherUser:
    """Works in a folder of its own, and in those of a site, which are its own from now on."""

    def __init__(self, site: Site) -> None:
        """Skips the test where nobody else can be had."""
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            pytest.skip("only root can become another user, with setpriv")
        tried = subprocess.run([*_BECOMES, "true"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            pytest.skip(f"nobody can become another user here: {tried.stderr.strip()}")
        # Not in the site's folder, which is within one that is root's alone.
        self.folder = Path(tempfile.mkdtemp(prefix="nsu-"))
        self.home = self.folder / "home"
        self.home.mkdir(mode=0o555)
        for folder in (self.folder, site.temporary, site.runtime):
            os.chown(folder, NUMBER, NUMBER)
        # Its home folder is root's, and what it usually writes to is in there.
        usual = {key: value for key, value in site.environment.items() if not key.startswith("XDG_")}
        self.environment = usual | {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(site.runtime)}

    def started(
        self, *arguments: str | Path, **environment: str
    ) -> "AbstractContextManager[subprocess.Popen[str]]":
        """One command, ended at the latest with the block."""
        return started([*_BECOMES, *COMMAND, *arguments], self.folder, self.environment | environment)

    def nereus(self, *arguments: str | Path, **environment: str) -> Result:
        """One command, to its end."""
        with self.started(*arguments, **environment) as process:
            out, err = process.communicate(timeout=LIMIT)
            return Result(process.returncode, out, err)

    def may_start(self, number: str, process: int) -> str:
        """So many processes may this user have, or that process starts no more; returns what it was."""
        asked = [*_BECOMES, "prlimit", "--pid", str(process)]
        shown = ["--nproc", "--noheadings", "--raw", "--output", "SOFT"]
        before = subprocess.run([*asked, *shown], capture_output=True, text=True, check=True)
        subprocess.run([*asked, f"--nproc={number}:"], check=True)
        return before.stdout.strip()

    def close(self) -> None:
        """Nothing of it is left."""
        shutil.rmtree(self.folder)
