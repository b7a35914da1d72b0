# SPDX-License-Identifier: BSD-3-Clause
"""Energy that the processor packages of this host use, where the kernel counts it: powercap (RAPL).

It is that of all that runs on the host. Counters begin again at 0 after their range, which takes minutes: who
wants all of it reads more often.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
_MICROJOULE = 1e-6
_POWER_SECONDS = 1.0  # over which power is a mean


@dataclass
class _Package:
    """`range_`: microjoules after which its counter begins again."""

    counter: Path
    range_: int
    last: int
    joules: float = 0.0

    def look(self) -> None:
        now = _number_in(self.counter)
        if now is None:
            return
        passed = now - self.last if now >= self.last else now + self.range_ - self.last
        self.joules += passed * _MICROJOULE
        self.last = now


@dataclass(frozen=True)
class Used:
    """Energy of so many packages in so much time."""

    joules: float
    seconds: float
    packages: int

    @property
    def watts(self) -> float:
        return self.joules / self.seconds if self.seconds > 0 else 0.0

    def document(self) -> dict[str, float]:
        return {
            "package_joules": self.joules,
            "seconds": self.seconds,
            "packages": self.packages,
            "watts": self.watts,
        }


class PackageEnergy:
    """Counts from the moment at which it is made."""

    def __init__(self, powercap: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._packages = _packages(powercap or POWERCAP)
        self._clock = clock
        self._began = clock()
        self._looks: deque[Used] = deque()

    def look(self) -> Used | None:
        """Since it was made; None where nothing can be read: only by root, or in a virtual machine."""
        if not self._packages:
            return None
        for package in self._packages:
            package.look()
        joules = sum(package.joules for package in self._packages)
        used = Used(joules, self._clock() - self._began, len(self._packages))
        self._looks.append(used)
        while len(self._looks) > 2 and self._looks[1].seconds <= used.seconds - _POWER_SECONDS:
            self._looks.popleft()
        return used

    @property
    def watts(self) -> float | None:
        """Lately, by what look() saw; None where it has not seen enough."""
        if len(self._looks) < 2:
            return None
        first, last = self._looks[0], self._looks[-1]
        seconds = last.seconds - first.seconds
        return (last.joules - first.joules) / seconds if seconds > 0 else None


def _packages(powercap: Path) -> Sequence[_Package]:
    """Zones of whole packages; those below them are parts, and others, as of a platform, overlap."""
    found = []
    for zone in sorted(powercap.glob("*:*")):
        counter = zone / "energy_uj"
        last, range_ = _number_in(counter), _number_in(zone / "max_energy_range_uj")
        is_package = zone.name.count(":") == 1 and _text_of(zone / "name").startswith("package")
        # Without its range a counter that begins again cannot be read on.
        if is_package and last is not None and range_:
            found.append(_Package(counter, range_, last))
    return found


def _number_in(file: Path) -> int | None:
    text = _text_of(file)
    return int(text) if text.isascii() and text.isdigit() else None


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
