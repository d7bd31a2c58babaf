"""axe-core on a page. The script is vendored (axe-core 4.14.1, MPL-2.0) and enters past the page's CSP."""

from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RUN = """() => axe.run(document, {
    resultTypes: ["violations"], preload: false,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: {"target-size": {enabled: true}}})"""


def axe(page: Page) -> list[str]:
    """Every fault of the page as it is, one line each: rule, help, the elements.

    The rules are those of WCAG 2.2, levels A and AA, however grave a fault is.
    """
    if page.evaluate("() => window.axe === undefined"):
        page.evaluate(AXE)
    results = page.evaluate(RUN)
    return [
        f"{fault['id']}: {fault['help']}: {', '.join(' '.join(map(str, node['target'])) for node in fault['nodes'])}"
        for fault in results["violations"]
    ]
