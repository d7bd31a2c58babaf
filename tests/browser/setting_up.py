"""The way from a release to an open campaign, as a coordinator clicks it."""

from collections.abc import Collection

from playwright.sync_api import Page, expect


def set_up(
    page: Page,
    name: str,
    rubric: str,
    *,
    draw: str,
    reviewers: int = 2,
    systems: Collection[str] = (),
    start: str = "/grading/campaigns/new/",
    **fields: str,
) -> None:
    """All six steps. `fields` are what the step of items asks, by name; `systems` those that are compared."""
    page.goto(start)
    page.locator('[name="name"]').fill(name)
    page.locator(f'[name="rubric"][value="{rubric}"]').check()
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/setup/items/")
    for field, value in fields.items():
        radio = page.locator(f'[type="radio"][name="{field}"][value="{value}"]')
        radio.check() if radio.count() else page.locator(f'[name="{field}"]').fill(value)
    for box in page.locator('[name="systems"]').all():
        box.check() if box.get_attribute("value") in systems else box.uncheck()
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/setup/people/")
    page.locator('[name="reviewers_per_item"]').fill(str(reviewers))
    page.locator('[name="least_authors"]').fill("1")  # some campaigns of the tests have two systems
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/setup/options/")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("button", name=draw).click()
    open_as_planned(page, name)


def set_up_audit(page: Page, release: str, name: str, *, reviewers: int = 1, per_stratum: int = 1) -> None:
    """An audit of the release's judge: so many outputs of each of its classes, the systems together."""
    page.goto(f"/reports/releases/{release}/audit/?strata=bucket&per_stratum={per_stratum}")
    page.get_by_label("Name").fill(name)
    page.locator('[name="reviewers_per_item"]').fill(str(reviewers))
    page.get_by_role("button", name="into a new campaign").click()
    page.get_by_role("link", name="Continue the setup").click()
    page.wait_for_url("**/setup/**")
    page.goto(page.url.split("/setup/")[0] + "/setup/people/")
    page.locator('[name="least_authors"]').fill("1")  # some campaigns of the tests have two systems
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/setup/options/")
    page.get_by_role("button", name="Save and continue").click()
    open_as_planned(page, name)


def open_as_planned(page: Page, name: str) -> None:
    """From the plan of who gets what to the open campaign."""
    page.get_by_role("button", name="Apply this plan").click()
    page.get_by_role("button", name="Open to reviewers").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def close(page: Page, campaign: str) -> None:
    """Close a campaign, with a reason where one is asked for."""
    page.goto(f"/grading/campaigns/{campaign}/")
    reason = page.locator('[name="reason"]')
    if reason.count() and reason.first.is_visible():
        reason.first.fill("Everybody is done.")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_text("Closed", exact=True).first).to_be_visible()
