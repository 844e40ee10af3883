"""A real browser for the tests: headless Chromium, spoken to over a pipe in its own protocol (no driver, no library).

with Chromium(path) as browser:
    page = browser.open("file:///tmp/walk.html", width=360, dark=True)
    page.press("ArrowRight")
    page.run("document.title")
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
KEYS = {
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "Home": 36,
    "End": 35,
    " ": 32,
    "Tab": 9,
    "Enter": 13,
}
PATIENCE = 30
# The browser reads descriptor 3 and writes descriptor 4.
HAND_OVER = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]  # out of the way of 3 and 4
os.dup2(pipes[0], 3), os.dup2(pipes[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find():
    """The path of a Chromium, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with a profile of its own. `events` are the messages that it sent unasked."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="gradcli-chromium-")
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={self.folder}"]
        flags += ["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-sandbox"]
        pipes = [str(to_browser), str(from_browser)]
        command = [sys.executable, "-c", HAND_OVER, *pipes, path, *flags, "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.events, self.answers = 0, b"", [], {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write)  # at which it ends
        os.close(self.read)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        """Ask the browser, and wait for what it answers."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        message |= {"sessionId": session} if session else {}
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while self.number not in self.answers:
            self._receive()
        answer = self.answers.pop(self.number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _receive(self):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            new = os.read(self.read, 1 << 20)
            assert new, "the browser has gone"
            self.buffer += new
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.events.append(message)

    def open(self, address, **how):
        return Page(self, address, **how)


class Page:
    """A page that was opened in a window of a size, in light or dark, with or without motion."""

    def __init__(self, browser, address, width=1280, height=800, dark=False, still=True, scale=1):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.start = len(browser.events)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "",
        }
        self.call("Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in features.items()])
        self.call("Page.navigate", url=address)
        self.wait("document.readyState == 'complete' && location.href != 'about:blank'")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, condition):
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            assert time.monotonic() < end, f"never: {condition}"
            time.sleep(0.02)

    def press(self, key):
        text = {"text": "\r" if key == "Enter" else key} if key in (" ", "Enter") else {}
        named = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def click(self, selector):
        """A click of the mouse in the middle of the first element that matches."""
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        x, y = self.middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def hover(self, selector):
        x, y = self.middle(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def middle(self, selector):
        return self.run(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )

    def screenshot(self, path):
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def events(self, *methods):
        """What the page did of these kinds."""
        return [
            event["params"]
            for event in self.browser.events[self.start :]
            if event.get("sessionId") == self.session and event["method"] in methods
        ]
