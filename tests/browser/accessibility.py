"""axe-core on a page. The script is vendored (axe-core 4.14.1, MPL-2.0) and enters past the page's CSP."""

from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RUN = """async () => (await axe.run(document, {
    resultTypes: ["violations"], preload: false,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: {"target-size": {enabled: true}}
  })).violations.map(({id, help, nodes}) =>
    `${id}: ${help}: ${nodes.map(({target}) => target.join(" ")).join(", ")}`)"""

# What two elements built alike may still have of their own, and no rule looks at beyond whether it is empty.
ALIKE = """(kept) => {
  const own = new Set(["id", "href", "for", "name", "value", "title", "headers", "aria-label", "aria-labelledby",
                       "aria-describedby", "aria-controls", "action", "datetime", "src", "alt"]);
  const TARGETS = "a, button, input, label, select, summary, textarea, [role], [tabindex]";
  const shapes = new Map();
  for (const formula of [...document.querySelectorAll(".katex")].slice(kept))
    if (!formula.querySelector("[style*=color]"))
      for (const part of formula.children) part.replaceChildren(part.textContent);  // seen and hidden as before
  const shapeOf = (element) => {
    let length = 0;  // a link of one letter is a smaller target than others, and one letter has no contrast for axe
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) length += node.data.trim().length;
    const attributes = [...element.attributes].map(({ name, value }) =>
      `${name}=${own.has(name) || name.startsWith("data-") ? value.trim() !== "" : value}`);
    const counted = Math.min(length, element.closest(TARGETS) ? 4 : 2);
    const shape = `${element.localName} ${attributes} ${counted}(${[...element.children].map(shapeOf)})`;
    shapes.set(element, shape);
    return shape;
  };
  const leaveOut = (parent) => {
    const times = new Map();
    for (const child of [...parent.children]) {
      const shape = shapes.get(child);
      times.set(shape, (times.get(shape) ?? 0) + 1);
      if (times.get(shape) > kept) child.remove();
      else leaveOut(child);
    }
  };
  shapeOf(document.body);
  leaveOut(document.body);
}"""
KEPT = 4


def leave_out_what_is_alike(page: Page) -> None:
    """Of siblings with the same elements, classes and states, only the first KEPT stay: rows of one table.

    axe-core looks at every element's colours and neighbours, and finds the same in the hundredth row as in the first.
    A formula is some fifty elements that differ in size and place alone: after the first KEPT each is one text where
    it was, unless it has colours of its own.
    """
    page.evaluate(ALIKE, KEPT)


def axe(page: Page) -> list[str]:
    """Every fault of the page as it is, one line each: rule, help, the elements.

    The rules are those of WCAG 2.2, levels A and AA, however grave a fault is.
    """
    page.wait_for_load_state()  # a click waits until the next page begins, not until it is there
    if page.evaluate("() => window.axe === undefined"):
        page.evaluate(AXE)
    faults: list[str] = page.evaluate(RUN)
    return faults
