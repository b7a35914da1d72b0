# SPDX-License-Identifier: BSD-3-Clause
"""What `prun --display allocation:parseable` prints of a DVM's hosts."""

import re

from nereus.allocation.contract import AllocationError
from nereus.launch.hosts import MOST_SLOTS, Host, is_name

# Lines in the form of XML, which is not well-formed: an element of a host has no end.
_HOST = re.compile(r'<host name="([^"]*)" slots="([0-9]{1,9})"')
_BEGIN, _END = "<allocation>", "</allocation>"


def read_hosts_of_dvm(text: str) -> tuple[Host, ...]:
    """Hosts in the DVM's order; AllocationError where there are none, or the text is something else."""
    begin, end = text.find(_BEGIN), text.find(_END)
    found = _HOST.findall(text[begin:end]) if 0 <= begin < end else []
    hosts = tuple(Host(name, int(slots)) for name, slots in found)
    good = [is_name(host.name) and 1 <= host.slots <= MOST_SLOTS for host in hosts]
    if not hosts or not all(good) or len({host.name for host in hosts}) != len(hosts):
        raise AllocationError(f"PRRTE does not tell of the hosts of its DVM: it said {text[:80]!r}")
    return hosts
