"""Pictures of all views, wide and narrow, light and dark, for people to look at (PICTURES=FOLDER, see flows.py)."""

import re
import time

import access_flows


def take(t, folder):
    """@param folder: where they go, BROWSER-VIEW.png each"""
    for view, ready in access_flows.VIEWS:
        name = re.sub(r"\W.*", "", view[1:]) or "two"
        t.browser.size(1280, 1000)
        t.open_view(view, ready)
        time.sleep(1)
        t.browser.picture(f"{folder}/{t.browser.name}-{name}.png")
        if t.browser.name == "chromium":
            t.browser.dark(True)
            t.browser.picture(f"{folder}/{t.browser.name}-{name}-dark.png")
            t.browser.dark(False)
            t.browser.phone(True)
            t.open_view(view, ready)
            time.sleep(0.5)
            height = t.browser.run("return document.documentElement.scrollHeight")
            t.browser.command("POST", "/goog/cdp/execute", "", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": 390, "height": min(height, 3500), "deviceScaleFactor": 1.5, "mobile": True}})
            t.browser.picture(f"{folder}/{t.browser.name}-{name}-phone.png", full=False)
            t.browser.phone(False)
