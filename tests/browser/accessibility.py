"""axe-core on a page. The script is vendored (axe-core 4.14.1, MPL-2.0) and enters past the page's CSP."""

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
SERIOUS = {"serious", "critical"}


def axe(page: Page) -> list[str]:
    """Serious and critical faults of the page as it stands, one line each: rule, help, the elements."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    results = page.evaluate("() => axe.run(document, {resultTypes: ['violations'], preload: false})")
    return [
        f"{fault['id']}: {fault['help']}: {', '.join(' '.join(map(str, node['target'])) for node in fault['nodes'])}"
        for fault in results["violations"]
        if fault["impact"] in SERIOUS
    ]
