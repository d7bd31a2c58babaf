"""What a screen reader meets on the grading page, and in which order: Chromium's own accessibility tree."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from tests.factories import CampaignFactory, InstanceFactory, OutputFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXT = r"""\begin{document}
\begin{lemma}Every $x \in A$ satisfies $x^2 \le \frac{1}{2}$.\end{lemma}
\begin{proof}Put $y = x + 1$. Then \[ \sum_{k=1}^{n} k = \frac{n(n+1)}{2}. \]\end{proof}
\end{document}"""


@pytest.fixture
def grading(sign_in, algebraist, coordinator, rubric) -> Page:
    campaign = CampaignFactory(slug="read", rubric=rubric, reviewers_per_item=1)
    instance = InstanceFactory(release=campaign.release, domain="algebra")
    OutputFactory(run__release=campaign.release, instance=instance, text=TEXT)
    draw_items(actor=coordinator, campaign=campaign)
    place = take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=campaign))
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[place.handle]))
    page.locator('.math[data-state="done"]').nth(3).wait_for()
    return page


def tree(page: Page) -> list[tuple[str, str]]:
    """(role, name) of every node that is not ignored, depth first: the order in which it is read."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    by_id: dict[str, Any] = {node["nodeId"]: node for node in nodes}
    found: list[tuple[str, str]] = []

    def visit(node: Any) -> None:
        if not node["ignored"]:
            found.append((node["role"]["value"], node.get("name", {}).get("value", "")))
        for child in node.get("childIds", []):
            if child in by_id:
                visit(by_id[child])

    visit(nodes[0])
    return found


@pytest.mark.slow
def test_formulas_are_mathematics_to_a_screen_reader_and_are_read_once(grading: Page) -> None:
    read = tree(grading)
    formulas = [name for role, name in read if role == "MathMLMath"]
    assert len(formulas) == grading.locator("main .math").filter(visible=True).count() >= 4
    roles = {role for role, _ in read}
    assert {"MathMLFraction", "MathMLSup", "MathMLUnderOver"} <= roles
    # KaTeX's second copy, drawn for the eye, is hidden: its letters are nowhere outside MathML.
    assert grading.locator('.katex-html:not([aria-hidden="true"])').count() == 0


def test_the_proof_is_read_before_the_questions_and_the_questions_before_the_submission(
    grading: Page,
) -> None:
    read = tree(grading)

    def first(*wanted: str) -> int:
        return next(at for at, (role, name) in enumerate(read) if role in wanted[0] and wanted[1] in name)

    order = [
        first("main", ""),
        first("MathMLMath", ""),
        first("group radiogroup", "correct"),
        first("button", "Submit"),
    ]
    assert order == sorted(order)


@pytest.mark.slow
def test_every_control_says_what_it_is(grading: Page) -> None:
    controls = ("button", "radio", "checkbox", "textbox", "combobox", "link", "slider", "separator")
    nameless = [(role, name) for role, name in tree(grading) if role in controls and not name.strip()]
    assert nameless == []
