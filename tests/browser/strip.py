"""Remakes docs/img/flow.png, the grading flow in four pictures: start `make demo` in a fresh clone, then

    .venv/bin/python -m tests.browser.strip http://127.0.0.1:8000

It grades one sample item as Ada; a demo whose data are as delivered gives the picture of the README.
"""

import io
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from config.demo import PUBLIC_PASSWORD
from tools.debian import chromium_path

WINDOW = {"width": 1180, "height": 760}
PANEL = (720, 464)
GAP = 12
TARGET = Path(__file__).parents[2] / "docs" / "img" / "flow.png"


def picture(page: Page) -> Image.Image:
    """What the window shows, once nothing moves any more."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(PANEL, Image.Resampling.LANCZOS)


def flow(page: Page) -> list[Image.Image]:
    """The queue, a comment on a passage, the answers, and the decision where graders differ."""
    sign_in(page, "ada@demo.test")
    pictures = [picture(page)]
    page.locator('a[href^="/grading/items/"]').first.click()
    passage = page.locator(".proof .passage").nth(1)
    passage.hover()
    passage.get_by_role("button", name="Comment").click()
    editor = page.locator(".comment-editor")
    editor.get_by_text("major").click()
    editor.locator('[name="text"]').fill("Where is the hypothesis used? Without it the step fails.")
    pictures.append(picture(page))
    editor.get_by_role("button", name="Keep").click()
    for question in page.locator("fieldset[data-question]").all():
        choices = question.locator("label.choice")
        if choices.count():
            choices.nth(choices.count() // 2).click()
    pictures.append(picture(page))
    page.get_by_role("button", name="Submit").click()
    page.wait_for_load_state()
    page.context.clear_cookies()
    sign_in(page, "coordinator@demo.test")
    page.goto("/grading/campaigns/sample-proofs/adjudication/")
    page.locator("tbody a").first.click()
    pictures.append(picture(page))
    return pictures


def sign_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(email)
    page.locator("[name=password]").fill(PUBLIC_PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/login/" not in address)


def strip(pictures: list[Image.Image]) -> Image.Image:
    """Two rows of two, in 128 colours."""
    width, height = PANEL
    whole = Image.new("RGB", (2 * width + 3 * GAP, 2 * height + 3 * GAP), "#8a8d93")
    for number, panel in enumerate(pictures):
        column, row = number % 2, number // 2
        whole.paste(panel, (GAP + column * (width + GAP), GAP + row * (height + GAP)))
    return whole.quantize(128)


def main() -> None:
    """Writes the picture and says how large it is."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=arguments)
        page = browser.new_page(base_url=sys.argv[1], viewport=WINDOW, color_scheme="light")
        strip(flow(page)).save(TARGET, optimize=True)
        browser.close()
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
