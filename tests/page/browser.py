"""A browser that a test drives: Chromium by its WebDriver, Firefox by its own protocol (Marionette).

Both speak the commands of the W3C's WebDriver. Firefox's driver program is no package of Debian 12, and is not needed:
Firefox itself listens on a socket, where each message is its length, a colon and JSON.
"""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class BrowserError(Exception):
    """What the browser said was wrong."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    """The commands that tests use. A subclass has command(method, path, name, parameters)."""

    name = ""

    def open(self, url):
        self.command("POST", "/url", "WebDriver:Navigate", {"url": url})

    def run(self, script, *arguments):
        """The value of a function's body in the page."""
        return self.command("POST", "/execute/sync", "WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=60, what=""):
        """Waits until the script gives something true, and gives that."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                text = self.run("return document.body.innerText.slice(0, 1500)")
                raise AssertionError(f"{self.name}: not within {seconds} s: {what or script}\n{text}")
            time.sleep(0.03)

    def keys(self, text):
        """Types into the element that has the focus. Keys without a letter are U+E000 and following, as WebDriver has them."""
        actions = []
        for letter in text:
            actions += [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
        self.command("POST", "/actions", "WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def size(self, width, height):
        self.command("POST", "/window/rect", "WebDriver:SetWindowRect", {"width": width, "height": height})

    def picture(self, path, full=True):
        if full:
            height = self.run("return document.documentElement.scrollHeight")
            width = self.run("return innerWidth")
            self.size(width + self.run("return outerWidth - innerWidth"), min(height + 150, 8000))
        png = self.command("GET", "/screenshot", "WebDriver:TakeScreenshot", {"full": False})
        with open(path, "wb") as file:
            file.write(base64.b64decode(png))


class Chromium(Browser):
    name = "chromium"

    def __init__(self, options=()):
        self.folder = tempfile.mkdtemp()
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={self.folder}", *options]
        binary = shutil.which("chromium")
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments, "binary": binary}}}
        for _ in range(200):
            try:
                answer = self.request("POST", "/session", {"capabilities": wanted})
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        else:
            raise BrowserError("chromedriver does not answer")
        self.session = f"/session/{answer['sessionId']}"

    def request(self, method, path, content=None):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from None

    def command(self, method, path, _name, parameters):
        return self.request(method, self.session + path, parameters if method == "POST" else None)

    def dark(self, is_dark):
        self.command("POST", "/goog/cdp/execute", "", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]}})

    def phone(self, is_phone):
        params = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True} if is_phone else {}
        self.command("POST", "/goog/cdp/execute", "", {"cmd": "Emulation.setDeviceMetricsOverride" if is_phone else "Emulation.clearDeviceMetricsOverride", "params": params})

    def close(self):
        try:
            self.request("DELETE", self.session)
        except (BrowserError, OSError):
            pass
        self.driver.send_signal(signal.SIGTERM)
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Firefox(Browser):
    name = "firefox"

    def __init__(self, options=(), preferences=()):
        self.folder = tempfile.mkdtemp()
        self.port = free_port()
        with open(os.path.join(self.folder, "user.js"), "w") as file:
            for key, value in {"marionette.port": self.port, "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
                               "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, "remote.prefs.recommended": True,
                               "browser.startup.page": 0, "network.captive-portal-service.enabled": False, **dict(preferences)}.items():
                file.write(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n")
        binary = shutil.which("firefox-esr") or shutil.which("firefox")
        self.process = subprocess.Popen([binary, "--headless", "--marionette", "--profile", self.folder, "--no-remote", *options], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "1000", "HOME": self.folder})
        self.number = 0
        for _ in range(600):
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=180)
                self.buffer = b""
                self.receive()
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise BrowserError("firefox does not answer")
        self.command("", "", "WebDriver:NewSession", {})

    def receive(self):
        while b":" not in self.buffer:
            self.more()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.more()
        message, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(message)

    def more(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise OSError("firefox has ended the connection")
        self.buffer += part

    def command(self, _method, _path, name, parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self.receive()
        if error:
            raise BrowserError(error["message"])
        return result.get("value") if isinstance(result, dict) and "value" in result else result

    def close(self):
        try:
            self.command("", "", "Marionette:Quit", {"flags": ["eForceQuit"]})
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def available():
    """The browsers of this machine, as classes."""
    found = []
    if shutil.which("chromium") and shutil.which("chromedriver"):
        found.append(Chromium)
    if shutil.which("firefox-esr") or shutil.which("firefox"):
        found.append(Firefox)
    return found
