"""The browser tests notice what they claim to notice."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browser.accessibility import KEPT, axe, leave_out_what_is_alike
from tests.browser.watching import Faults


def test_an_inline_script_is_refused_by_the_policy_and_noticed(page: Page, faults: Faults) -> None:
    page.goto("/accounts/login/")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))")
    page.wait_for_timeout(100)
    assert any("Content Security Policy" in fault for fault in faults.unforgiven())
    faults.forgive("Content Security Policy")


def test_an_exception_in_a_script_is_noticed(page: Page, faults: Faults) -> None:
    page.goto("/accounts/login/")
    page.evaluate("setTimeout(() => { throw new Error('planted') })")
    page.wait_for_timeout(100)
    assert any("planted" in fault for fault in faults.unforgiven())
    faults.forgive("planted")


def test_axe_finds_a_planted_fault(page: Page) -> None:
    page.goto("/accounts/login/")
    page.evaluate("document.body.append(document.createElement('input'))")
    assert any(fault.startswith("label:") for fault in axe(page))


def test_a_row_with_a_fault_of_its_own_is_not_left_out_with_those_that_are_alike(page: Page) -> None:
    page.goto("/accounts/login/")
    page.evaluate("""() => {
      const rows = Array.from({ length: 40 }, (_, number) =>
        `<li><a href="/${number}">Item number ${number}</a> <button type="button">Open ${number}</button></li>`);
      rows[20] = '<li><a href="/20"></a> <button type="button">Open 20</button></li>';
      rows[30] = '<li><a href="/30">Item number 30</a> <button type="button"></button></li>';
      const list = document.createElement("ul");
      list.id = "planted";
      list.innerHTML = rows.join("");
      list.children[25].firstElementChild.style.color = "#ddd";
      document.querySelector("main").append(list);
    }""")
    before = axe(page)
    leave_out_what_is_alike(page)
    assert page.locator("#planted > li").count() == KEPT + 3
    rules = {fault.split(":")[0] for fault in axe(page)}
    assert (
        rules == {fault.split(":")[0] for fault in before} >= {"link-name", "color-contrast", "button-name"}
    )


def test_a_formula_with_a_fault_of_its_own_or_of_its_place_is_found_among_many(page: Page) -> None:
    page.goto("/accounts/login/")
    page.evaluate("""() => {
      const box = document.createElement("section");
      box.id = "formulas";
      box.innerHTML = Array.from({ length: 40 }, (_, number) => `<p class="formula-${number}"><span class="katex">
        <span class="katex-html" aria-hidden="true"><span class="mord"><span class="mord">sin</span>
        <span class="mord">cos</span></span></span></span></p>`).join("");
      box.children[20].style.color = "#ddd";
      box.children[30].querySelector(".mord .mord").style.color = "#ddd";
      document.querySelector("main").append(box);
    }""")
    leave_out_what_is_alike(page)
    assert page.locator("#formulas .mord").count() == 3 * (KEPT + 1)
    (fault,) = axe(page)
    assert fault.startswith("color-contrast:")
    assert ".formula-20" in fault
    assert ".formula-30" in fault
    assert ".formula-10" not in fault


def test_a_page_belongs_to_the_person_who_signed_in(algebraist: User, sign_in: Callable[..., Page]) -> None:
    page = sign_in(algebraist)
    page.goto("/")
    expect(page.get_by_text(algebraist.name).first).to_be_visible()


@pytest.mark.slow
def test_the_login_page_has_no_serious_fault_on_a_phone(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport={"width": 360, "height": 740})
    page.goto("/accounts/login/")
    assert axe(page) == []
