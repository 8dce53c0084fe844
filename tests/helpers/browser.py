"""A real headless Chromium, driven by the WebDriver protocol; nothing but the standard library."""

import json
import os
import re
import shutil
import subprocess
import urllib.request

import pytest

BINARY = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]
PLAIN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # sanitizers are not for browsers
HERE = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # this machine, without proxies
needed = pytest.mark.skipif(not (BINARY and DRIVER), reason="needs chromium and chromedriver")


class Browser:
    """One page of a browser, closed at the end of the with block."""

    def __enter__(self):
        self.driver = subprocess.Popen(
            [DRIVER, "--port=0"], env=PLAIN, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(
            match[1] for line in self.driver.stdout if (match := re.search(r"successfully on port (\d+)", line))
        )
        self.base = f"http://127.0.0.1:{port}/session"
        browser = {"browserName": "chrome", "goog:chromeOptions": {"binary": BINARY, "args": OPTIONS}}
        answer = self._send("", {"capabilities": {"alwaysMatch": browser}})
        self.base += f"/{answer['sessionId']}"
        return self

    def __exit__(self, *error):
        HERE.open(urllib.request.Request(self.base, method="DELETE"), timeout=30).close()
        self.driver.terminate()
        self.driver.wait(timeout=30)
        self.driver.stdout.close()

    def _send(self, command, body):
        request = urllib.request.Request(
            self.base + command, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with HERE.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self._send("/url", {"url": path.as_uri()})

    def run(self, script):
        """Run a script and return its result."""
        return self._send("/execute/sync", {"script": script, "args": []})

    def command(self, name, **parameters):
        """Send one of the browser's own commands."""
        return self._send("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)

    def scheme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def medium(self, name):
        self.command("Emulation.setEmulatedMedia", media=name)

    def press(self, key):
        code = {"Tab": 9, "Enter": 13}[key]
        for kind in ("rawKeyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def spoken(self):
        """Role and name of everything that a screen reader reads out."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        shown = [node for node in nodes if not node.get("ignored")]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]
