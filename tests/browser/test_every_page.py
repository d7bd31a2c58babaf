"""Every page of the site in a browser, with the demo's data behind it: no fault that axe-core knows, and it fits.

Each is looked at in dark and narrow, then in light and wide. A console error or a breach of the content security
policy fails too.
"""

from urllib.parse import urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from playwright.sync_api import Page

from tests.accounts.test_second_factor import code_of
from tests.browser.accessibility import axe, leave_out_what_is_alike
from tests.browser.every_page import Address, addresses, is_a_page, opened
from tests.browser.world import World, furnish_elsewhere
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
FORMULAS_STAND = """() => ![...document.querySelectorAll(".math")].some((formula) =>
  !["done", "failed"].includes(formula.dataset.state))"""
# Formulas are fitted in the frame after the window has changed.
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
# a menu lies over what is below it; tests/browser/test_reports_pages.py opens one
OPEN_ALL = "document.querySelectorAll('details:not(.menu)').forEach((part) => (part.open = true))"


@pytest.fixture
def world(settings, tmp_path) -> World:
    settings.UPLOAD_DIR, settings.REPORT_DIR = tmp_path, tmp_path / "reports"

    return furnish_elsewhere()


def faults_of(page: Page) -> list[str]:
    """The page is as `new_page` opens it, wide and light, and is left so, without rows that are like others."""
    page.wait_for_function(FORMULAS_STAND)
    page.evaluate(OPEN_ALL)
    found = too_wide(page, WIDE)
    page.set_viewport_size(NARROW)
    found += too_wide(page, NARROW)
    leave_out_what_is_alike(page)
    for size, scheme in ((NARROW, "dark"), (WIDE, "light")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour is half way
        found += [f"{scheme}: {fault}" for fault in axe(page)]
    return found


def too_wide(page: Page, size: dict[str, int]) -> list[str]:
    page.evaluate(NEXT_FRAME)
    width = page.evaluate("document.documentElement.scrollWidth")
    return [f"{width} wide in a window of {size['width']}"] if width > size["width"] else []


@pytest.mark.slow
def test_no_page_has_a_fault_in_either_theme_and_all_fit_a_phone(world, sign_in, new_page):
    """What is not a page must be a file, or a verb that is only posted."""
    by_person: dict[str | None, list[Address]] = {}
    for address in addresses(world):
        by_person.setdefault(address.person, []).append(address)
    found, astray, shown = {}, [], 0
    for person, seen in by_person.items():
        page = sign_in(world.people[person]) if person else new_page()
        page.set_default_timeout(60_000)  # a busy machine is not a fault of the page
        for address in seen:
            reply = opened(page, address.path)
            last = urlsplit(reply.url).path
            turned_away = last.startswith("/accounts/login/") and last != address.path
            if is_a_page(reply) and not turned_away:
                shown += 1
                if faults := faults_of(page):
                    found[address.path] = faults
            elif reply.status != 405 and (reply.status != 200 or turned_away):
                astray.append((address.route, address.path, reply.status, last))
    assert astray == [], "give these routes an example in tests/browser/every_page.py"
    assert found == {}
    assert shown > 120


@pytest.mark.slow
def test_the_pages_of_a_second_factor_have_no_fault_either(page, algebraist):
    secret = generate_totp_secret()
    TOTP.activate(algebraist, secret)
    RecoveryCodes.activate(algebraist)
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(algebraist.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/second-factor/authenticate/")
    found = {"authenticate": faults_of(page)}
    page.get_by_label("Code").fill(code_of(secret, lasting=10))
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/grading/")
    for path in ("/accounts/second-factor/app/deactivate/", "/accounts/second-factor/codes/"):
        page.goto(path)
        if "/reauthenticate/" in page.url:
            page.locator('[name="password"]').fill(PASSWORD)
            page.keyboard.press("Enter")
            page.wait_for_url(f"**{path}")
        found[path] = faults_of(page)
    assert {path: faults for path, faults in found.items() if faults} == {}
