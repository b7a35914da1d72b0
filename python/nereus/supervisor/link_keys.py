# SPDX-License-Identifier: BSD-3-Clause
"""Keys of a link over the network: fresh for each job, those of its processes in a file.

Format: docs/formats/link.md.
"""

import os

from nereus.launch.error import LaunchError
from nereus.supervisor.curve import new_pair, write_keys
from nereus.supervisor.key_folder import KEY_FOLDER_USE, KeyFolder, origin


class LinkKeys:
    """The supervisor's pair, the pair of all processes of the job, and the file from which they read it."""

    def __init__(self, job: str) -> None:
        """Make both, and write the file."""
        self.server, self.client = new_pair(), new_pair()
        self._folder = KeyFolder.of_user()
        self.file = self._folder.path / f"{origin()}-{os.getpid()}-{job}"
        self._folder.remove_what_the_dead_left()
        keys = {"public": self.client.public, "secret": self.client.secret, "server": self.server.public}
        try:
            self._folder.write(lambda: write_keys(self.file, keys))
        except OSError as problem:
            raise LaunchError(
                f"{self._folder.path}: cannot be used: {problem.strerror}; {KEY_FOLDER_USE}"
            ) from problem

    def remove(self) -> None:
        """Remove the file, and the usual folder where no other job has keys in it."""
        self._folder.remove(self.file)
