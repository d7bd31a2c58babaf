"""What goes wrong in a page without the test noticing: console errors, CSP violations, uncaught exceptions."""

from playwright.sync_api import ConsoleMessage, Error, Page


class Faults:
    """Collects the faults of the pages it watches. Chromium reports a CSP violation as a console error."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._forgiven: list[str] = []

    def watch(self, page: Page) -> None:
        """From now on every error of `page` is kept."""
        page.on("console", self._on_console)
        page.on("pageerror", self._on_exception)

    def forgive(self, fragment: str) -> None:
        """Errors that contain `fragment` are what this test is about."""
        self._forgiven.append(fragment)

    def unforgiven(self) -> list[str]:
        """The errors that no test asked for, in order."""
        return [fault for fault in self._seen if not any(fragment in fault for fragment in self._forgiven)]

    def _on_console(self, message: ConsoleMessage) -> None:
        address = message.location.get("url", "")
        if message.type == "error" and not _is_a_refusal(message.text, address):
            self._seen.append(f"{message.text} ({address})")

    def _on_exception(self, error: Error) -> None:
        self._seen.append(f"uncaught: {error}")


def _is_a_refusal(text: str, address: str) -> bool:
    """True for a refused or failed request to the site itself: its scripts answer that; files must be there."""
    return text.startswith("Failed to load resource") and "/static/" not in address
