"""The browser of this process: Chromium without a window, started when a test first needs it and shared by all tests."""

import shutil

from selenium import webdriver
from selenium.common.exceptions import WebDriverException

ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,820", "--disable-gpu",
    # Services of the browser that the page does not use.
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
    "--disable-breakpad", "--disable-domain-reliability", "--disable-client-side-phishing-detection", "--no-first-run", "--no-pings",
    "--mute-audio", "--disable-features=Translate,MediaRouter,OptimizationHints,SpareRendererForSitePerProcess,PaintHolding",
    # The page is never in the background, whatever a browser without a window thinks.
    "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
]

# Counts the work that the page has scheduled, so that tests can wait for its end instead of sleeping. Timers of more than half a second
# are excluded: those poll, or release resources.
ACTIVITY = """
(() => {
  const { setTimeout: start, clearTimeout: stop } = window;
  const timers = new Map();
  const promises = new Map();

  window.setTimeout = (body, delay = 0, ...parameters) => {
    if (typeof body !== "function" || delay > 500) return start(body, delay, ...parameters);
    const timer = start(() => {
      timers.delete(timer);
      body(...parameters);
    }, delay);
    timers.set(timer, delay);
    return timer;
  };
  window.clearTimeout = (timer) => {
    timers.delete(timer);
    stop(timer);
  };

  const count = (owner, name) => {
    const original = owner?.[name];
    if (!original) return;
    owner[name] = function (...parameters) {
      const result = original.apply(this, parameters);
      promises.set(result, name);
      // After the steps that wait for the same promise.
      const done = () => start(() => promises.delete(result));
      result.then(done, done);
      return result;
    };
  };
  count(window, "fetch");
  count(window.Blob?.prototype, "arrayBuffer");
  count(window.Blob?.prototype, "text");
  count(window.Clipboard?.prototype, "writeText");

  const activity = (selector) => [
    ...[...timers.values()].map((delay) => `a timer of ${delay} ms`), ...promises.values(),
    ...(document.body?.ariaBusy === "true" ? ["a request"] : []),
    ...(selector && document.querySelector(selector) ? [selector] : []),
  ];
  const pause = (delay) => new Promise((resume) => start(resume, delay));
  // Observers of sizes are called after the callbacks of a frame.
  const frame = () => new Promise((resume) => requestAnimationFrame(() => start(resume)));

  window.testSupport = {
    frame,
    /// Waits until nothing is scheduled and no element matches a selector; returns what remains after a time in milliseconds.
    async settle(limit, selector) {
      const end = performance.now() + limit;
      for (;;) {
        while (activity(selector).length) {
          if (performance.now() > end) return activity(selector);
          await pause(10);
        }
        await frame();
        if (!activity(selector).length) return [];
      }
    },
  };
})();
"""

driver = None


def current():
    """Returns the browser, and starts it if necessary."""
    global driver
    if driver is None:
        options = webdriver.ChromeOptions()
        for argument in ARGUMENTS:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "accept")
        # Headless Shell has no user interface, and so takes less processor time than a whole browser that hides it.
        # Debian's command is a shell script: chromedriver would end that, and not the browser.
        programs = ["/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium"]
        if program := next(filter(None, map(shutil.which, programs)), None):
            options.binary_location = program
        path = shutil.which("chromedriver") or "/usr/bin/chromedriver"
        try:
            driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(path))
        except WebDriverException:
            # The driver gives up after half a minute, which a busy machine can need.
            driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(path))
        driver.set_script_timeout(120)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ACTIVITY})
    return driver


def quit():
    """Ends the browser if it was started."""
    global driver
    old, driver = driver, None
    if old is not None:
        try:
            old.quit()
        except (WebDriverException, OSError):
            old.service.stop()
