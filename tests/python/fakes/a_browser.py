# SPDX-License-Identifier: BSD-3-Clause
"""For tests: a Chromium without a screen, used as people do: pointers, fingers, keys, eyes.

It is driven through two pipes, in the DevTools protocol: no port is opened, and nothing else is needed.
"""

import base64
import fcntl
import io
import itertools
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from typing import Any

import matplotlib.image
import numpy as np
from a_page import BROWSER_OPTIONS, LIMIT, browser

Document = dict[str, Any]
Pixels = np.ndarray[Any, np.dtype[np.float32]]
CTRL, SHIFT = 2, 8
#: Its descriptors 3 and 4 are what the browser reads from and writes to.
_WITH_PIPES = (
    "import os, sys; r, w = map(int, sys.argv[1:3]); os.dup2(r, 3); os.dup2(w, 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)
_FREE_FROM = 10


def _pipe() -> tuple[int, int]:
    """Neither end is 3 or 4."""
    made = os.pipe()
    higher = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _FREE_FROM) for each in made]
    for each in made:
        os.close(each)
    return higher[0], higher[1]


class Browser:
    """Started with the block, ended with it."""

    def __enter__(self) -> "Browser":
        program = browser()
        assert program is not None
        self._folder = tempfile.TemporaryDirectory(prefix="nereus-browser-")
        reads, self._to = _pipe()
        self._from, writes = _pipe()
        at = self._folder.name
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", _WITH_PIPES, str(reads), str(writes), program),
                *BROWSER_OPTIONS,
                *("--remote-debugging-pipe", f"--user-data-dir={at}/browser", "about:blank"),
            ],
            env={**os.environ, "HOME": at, "TMPDIR": at},
            pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reads)
        os.close(writes)
        self._numbers = itertools.count(1)
        self._unread = b""
        self.complaints: list[str] = []
        return self

    def __exit__(self, *_: object) -> None:
        self.call("Browser.close")
        self._process.wait(LIMIT)
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def call(self, method: str, session: str | None = None, **about: Any) -> Document:
        number = next(self._numbers)
        whose = {"sessionId": session} if session else {}
        message = json.dumps({"id": number, "method": method, "params": about, **whose})
        left = message.encode() + b"\0"
        while left:
            left = left[os.write(self._to, left) :]
        deadline = time.monotonic() + LIMIT
        while (answer := self._next(deadline)).get("id") != number:
            self._heard(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: Document = answer["result"]
        return result

    def _next(self, deadline: float) -> Document:
        while b"\0" not in self._unread:
            left = max(0, deadline - time.monotonic())
            assert select.select([self._from], [], [], left)[0], "the browser says nothing"
            read = os.read(self._from, 1 << 16)
            assert read, "the browser has ended"
            self._unread += read
        message, self._unread = self._unread.split(b"\0", 1)
        found: Document = json.loads(message)
        return found

    def _heard(self, event: Document) -> None:
        """Of what nobody asked for: what went wrong in a page."""
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["params"]["exceptionDetails"])[:2000])

    def tab(self) -> "Tab":
        """With nothing kept from others."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        return Tab(self, context)


class Tab:
    def __init__(self, browser: Browser, context: str) -> None:
        self._browser, self._context = browser, context
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.complaints = browser.complaints
        self.complaints.clear()
        self.call("Runtime.enable")
        self.call("Page.enable")

    def close(self) -> None:
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)

    def call(self, method: str, **about: Any) -> Document:
        return self._browser.call(method, self._session, **about)

    def look_as(self, width: int, height: int = 900, scheme: str = "light", touch: bool = False) -> None:
        """As a window, or a telephone, of that size, on a system with that colour scheme."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def go(self, address: str, shown: str) -> None:
        """`shown`: what holds when the page is there."""
        self.call("Page.navigate", url=address)
        self.until(f"document.readyState === 'complete' && ({shown})")

    def js(self, expression: str) -> Any:
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, json.dumps(found)[:2000]
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        deadline = time.monotonic() + LIMIT
        while not self.js(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"never: {expression}; {self.complaints}"
            time.sleep(0.02)

    def middle(self, selector: str) -> tuple[float, float]:
        """Of that element, in the window, into which it is brought."""
        x, y = self.js(
            f"(() => {{ const each = document.querySelector({json.dumps(selector)});"
            "each.scrollIntoView({ block: 'nearest' }); const r = each.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return x, y

    def mouse(self, kind: str, x: float, y: float, **about: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **about)

    def click(self, selector: str, times: int = 1) -> None:
        self.click_at(*self.middle(selector), times)

    def click_at(self, x: float, y: float, times: int = 1) -> None:
        for number in range(1, times + 1):
            about = {"button": "left", "clickCount": number}
            self.mouse("mousePressed", x, y, buttons=1, **about)
            self.mouse("mouseReleased", x, y, buttons=0, **about)

    def wheel(self, x: float, y: float, down: float, modifiers: int = 0) -> None:
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down, modifiers=modifiers)

    def drag(self, x: float, y: float, to_x: float, steps: int = 4) -> None:
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * step / steps, y, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, y, button="left", buttons=0, clickCount=1)

    def fingers(self, *moves: list[tuple[float, float]]) -> None:
        """Put where the first list says, moved to where each of the others says, and lifted."""
        for index, places in enumerate([*moves, []]):
            points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
            kind = "touchStart" if index == 0 else "touchMove" if places else "touchEnd"
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def press(self, key: str, text: str | None = None) -> None:
        """A key by its name; one of a single sign types it."""
        said = text if text is not None else key if len(key) == 1 else ""
        typed = {"text": said} if said else {}
        code = {"Escape": 27, "Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39}.get(key, 0)
        about = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def write(self, text: str) -> None:
        for sign in text:
            self.press(sign)

    def picture(self) -> Pixels:
        """Of what is in the window: rows of pixels of red, green and blue, each from 0 to 1."""
        shot = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        found: Pixels = matplotlib.image.imread(io.BytesIO(shot), format="png")[:, :, :3]
        return found
