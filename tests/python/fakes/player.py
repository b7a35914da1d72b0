# SPDX-License-Identifier: BSD-3-Clause
"""Plays the program of a supervised job (docs/formats/link.md): the root among the founders, else a leader.

Usage: player.py ACT[:ARGUMENT]...   the founders carry the acts out, one function of Root after the other
A leader says hello and obeys its orders. What both receive from the supervisor is appended to events.jsonl.
"""

import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any

import zmq

LIMIT = 60.0


class Player:
    """One process at its end of the link."""

    def __init__(self) -> None:
        self.job = os.environ["NEREUS_JOB"]
        self.party = os.environ.get("NEREUS_PARTY")
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 60_000)
        # By which it is known again after a broken connection.
        self.socket.setsockopt(zmq.ROUTING_ID, secrets.token_hex(16).encode())
        if "NEREUS_LINK_KEYS" in os.environ:
            keys = json.loads(Path(os.environ["NEREUS_LINK_KEYS"]).read_text())
            self.socket.curve_serverkey = keys["server"].encode()
            self.socket.curve_publickey, self.socket.curve_secretkey = (
                keys["public"].encode(),
                keys["secret"].encode(),
            )
        self.socket.connect(os.environ["NEREUS_LINK"])
        self.context = context
        self._passed_over: list[dict[str, Any]] = []

    def say(self, kind: str, **keys: Any) -> None:
        self.socket.send(json.dumps({"version": 1, "job": self.job, "kind": kind, **keys}).encode())

    def receive(self, kind: str) -> dict[str, Any]:
        """The next message of this kind, be it behind others or before them; all that come are recorded."""
        for earlier in self._passed_over:
            if earlier["kind"] == kind:
                self._passed_over.remove(earlier)
                return earlier
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if self.socket.poll(100):
                message: dict[str, Any] = json.loads(self.socket.recv())
                record({"received": message["kind"], "by": self.party, **message})
                if message["kind"] == kind:
                    return message
                self._passed_over.append(message)
        record({"missed": kind, "by": self.party})
        sys.exit(90)

    def end(self) -> None:
        self.socket.close()
        self.context.term()


def record(event: dict[str, Any]) -> None:
    """Append an event in one write, for several processes do."""
    with Path("events.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")


def wait_for(name: str) -> None:
    """Until this file is there."""
    deadline = time.monotonic() + LIMIT
    while not Path(name).exists() and time.monotonic() < deadline:
        time.sleep(0.01)


class Root(Player):
    """The acts of the founders; whoever opened the job closes it at the end."""

    closes = False

    def open(self, ranks: str = "2") -> None:
        self.closes = True
        self.say("root", generation=0, ranks=int(ranks), hosts=["h"] * int(ranks))

    def make(self, request: str, *parties: str) -> None:
        """Each party as HOST=RANKS+HOST=RANKS..."""
        asked = [[share.split("=") for share in party.split("+")] for party in parties]
        shares = [[{"host": host, "ranks": int(ranks)} for host, ranks in party] for party in asked]
        listed = [{"party": number, "shares": each} for number, each in enumerate(shares)]
        self.say("make", request=int(request), parties=listed)

    def hello(self) -> None:
        self.receive("hello")

    def died(self) -> None:
        self.receive("died")

    def orders(self, request: str, party: str, words: str) -> None:
        self.say("orders", request=int(request), party=int(party), orders={"do": words})

    def connecting(self, request: str, seconds: str) -> None:
        self.say("connecting", request=int(request), port="port-of-mine", seconds=float(seconds))

    def connected(self, request: str) -> None:
        self.say("connected", request=int(request))

    def settled(self, request: str, code: str) -> None:
        report = {"from": 2, "to": 3, "process_method": "merge", "process_strategies": ["join"]}
        report |= {"transfer_method": "col", "transfer_strategy": "thread"}
        times = {"process_seconds": 0.25, "pause_seconds": 0.0123}
        self.say("settled", request=int(request), code=int(code), message="said", report={**report, **times})

    def resize(self, code: str = "0", request: str = "7") -> None:
        asked = self.receive("resize")
        self.say("answer", ticket=asked["ticket"], code=int(code), message="heard", request=int(request))

    def closing(self) -> None:
        self.say("closing")

    def vanish(self) -> None:
        """End without closing the job."""
        self.closes = False

    def garbage(self) -> None:
        for frame in (b"", b"{", b"\xff\xfe", b"[]", b"[" * 100_000, b'{"version": 1}', b"x" * (3 << 20)):
            self.socket.send(frame)
        self.socket.send(json.dumps({"version": 1, "job": "0" * 16, "kind": "closing"}).encode())

    def until(self, name: str) -> None:
        """Wait for a file."""
        wait_for(name)

    def touch(self, name: str) -> None:
        """Make a file."""
        Path(name).touch()

    def sleep(self) -> None:
        time.sleep(600)

    def fail(self, code: str) -> None:
        self.end()
        sys.exit(int(code))


def lead(leader: Player) -> None:
    """Say hello, obey orders."""
    assert leader.party is not None
    request, party = map(int, leader.party.split("."))
    names = ("NEREUS_JOINS", "UCX_TLS", "PLACED")
    told = {name: os.environ.get(name) for name in names}
    record(
        {"started": leader.party, "arguments": sys.argv[1:], "folder": str(Path.cwd()), "environment": told}
    )
    if os.environ.get("PLAYER_LEADER") == "dies":
        print("player: out of luck", file=sys.stderr)
        sys.exit(5)
    if os.environ.get("PLAYER_LEADER") == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    leader.say("hello", request=request, party=party, hello={"port": 5})
    if os.environ.get("PLAYER_LEADER") == "usurps":
        leader.say("root", generation=7, ranks=7, hosts=["h"] * 7)
        more = [{"party": 0, "shares": [{"host": "", "ranks": 1}]}]
        leader.say("make", request=9, parties=more)
        leader.say("closing")
        leader.say("hello", request=request, party=party, hello={"port": 6})
    while True:
        do = leader.receive("orders")["orders"]["do"]
        if do.startswith("later-"):
            wait_for("later")
        if do.endswith("fail"):
            sys.exit(6)
        if do.endswith("go"):
            return


def main() -> None:
    """Be whoever the supervisor says."""
    if "NEREUS_PARTY" in os.environ:
        leader = Player()
        lead(leader)
        leader.end()
        return
    root = Root()
    for act in sys.argv[1:]:
        name, *arguments = act.split(":")
        getattr(root, name)(*arguments)
    if root.closes:
        root.closing()
    root.end()


main()
