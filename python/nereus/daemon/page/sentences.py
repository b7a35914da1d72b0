# SPDX-License-Identifier: BSD-3-Clause
"""What happened, in a sentence for people: a line of lists, beside the time line and on the screen."""

from collections.abc import Callable, Mapping
from typing import Any

from nereus.analysis.report.units import bytes_text, seconds_text

Event = Mapping[str, Any]


def sentence(event: Event) -> str:
    """Without its time and job; of a kind that is not known, its keys."""
    made = _SENTENCES.get(event["event"])
    return made(event) if made is not None else _keys(event)


def reason(event: Event) -> str:
    """Who decided it and why; "" where that is not told."""
    who = {"job": "the job itself"}.get(event.get("by", ""), event.get("by", ""))
    why = event.get("why", "") if event["event"] != "ended" else ""
    return ": ".join(text for text in (who, why) if text)


def _came(event: Event) -> str:
    return f"came with {_ranks(event['ranks'])}"


def _asked(event: Event) -> str:
    return f"asks to write {bytes_text(event['bytes'])}: I/O phase {event['phase']}"


def _granted(event: Event) -> str:
    return f"{'still has' if event.get('again') else 'has'} the turn for I/O phase {event['phase']}"


def _wrote(event: Event) -> str:
    waited, took = seconds_text(event["wait_seconds"]), seconds_text(event["service_seconds"])
    turn = "" if event["epoch"] else ", without a turn"
    return f"wrote {bytes_text(event['bytes'])} in {took} after {waited} of waiting{turn}"


def _turn_lost(event: Event) -> str:
    return f"lost the turn for I/O phase {event['phase']}: it sent no message for too long"


def _decided(event: Event) -> str:
    when = f"at iteration {event['at']}" if event["at"] is not None else "as soon as it can"
    # The ranks that it has when it is told are not those that it has then.
    if event["gives_back"]:
        return f"will be resized back to {_ranks(event['ranks'])} {when}"
    return f"will be resized from {event['before']} to {_ranks(event['ranks'])} {when}"


def _cancelled(event: Event) -> str:
    return f"command {event['command']} was cancelled"


def _resized(event: Event) -> str:
    stood = event["seconds"]
    still = f", paused for {seconds_text(stood)}" if stood is not None else ""
    return f"went from {event['before']} to {_ranks(event['ranks'])} at iteration {event['iteration']}{still}"


def _refused(event: Event) -> str:
    return f"refused command {event.get('command', '')}: {event['text']}"


def _hosts_held(event: Event) -> str:
    return f"has the hosts {', '.join(event['names'])}" if event["names"] else "has no host any more"


def _hosts(event: Event) -> str:
    return f"has {event['more_hosts']} hosts beyond its first ones, after {event['before']}"


def _reserved(event: Event) -> str:
    places = ", ".join(f"{host}:{cores}" for host, cores in event["places"].items())
    return f"may start on {places}"


def _reservation_dropped(event: Event) -> str:
    return "did not start: its cores are free again"


def _ended(event: Event) -> str:
    how = "ended" if event["why"] == "goodbye" else "sent no more messages and is considered ended"
    return f"{how} with {_ranks(event['ranks'])} at iteration {event['iteration']}"


def _text(event: Event) -> str:
    return str(event["text"])


def _keys(event: Event) -> str:
    words = [f"{key}={event[key]}" for key in event if key not in {"number", "time_unix", "job", "event"}]
    return " ".join([event["event"], *words])


def _ranks(number: int) -> str:
    return f"{number} rank" if number == 1 else f"{number} ranks"


_SENTENCES: dict[str, Callable[[Event], str]] = {
    "came": _came,
    "hosts": _hosts,
    "hosts_held": _hosts_held,
    "asked": _asked,
    "granted": _granted,
    "wrote": _wrote,
    "turn_lost": _turn_lost,
    "decided": _decided,
    "cancelled": _cancelled,
    "resized": _resized,
    "refused": _refused,
    "reserved": _reserved,
    "reservation_dropped": _reservation_dropped,
    "ended": _ended,
    "note": _text,
    "trouble": _text,
}
