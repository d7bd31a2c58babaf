import pytest

from accounts.refusal import Refused
from annotation.core.phases import ALLOWED, LEADS_TO, Phase, Verb, after, allows, require


def test_a_campaign_goes_from_draft_to_open_to_closed_and_never_back():
    assert after(Phase.DRAFT, Verb.OPEN) == Phase.OPEN
    assert after(Phase.OPEN, Verb.CLOSE) == Phase.CLOSED
    assert set(LEADS_TO.values()) == {Phase.OPEN, Phase.CLOSED}


def test_a_closed_campaign_takes_no_more_grades_only_decisions_about_them():
    assert {verb for verb in Verb if allows(Phase.CLOSED, verb)} == {Verb.ADJUDICATE, Verb.UNBLIND}


@pytest.mark.parametrize(
    ("verb", "phases"),
    [
        (Verb.DRAW, {Phase.DRAFT}),
        (Verb.ASSIGN, {Phase.DRAFT, Phase.OPEN}),
        (Verb.OPEN, {Phase.DRAFT}),
        (Verb.TAKE, {Phase.OPEN}),
        (Verb.GRADE, {Phase.OPEN}),
        (Verb.RELEASE, {Phase.DRAFT, Phase.OPEN}),
        (Verb.CLOSE, {Phase.OPEN}),
        (Verb.ADJUDICATE, {Phase.CLOSED}),
        (Verb.UNBLIND, {Phase.CLOSED}),
    ],
)
def test_each_verb_is_allowed_in_its_phases_only(verb, phases):
    assert {phase for phase in Phase if allows(phase, verb)} == phases


def test_a_refusal_names_the_phase_that_would_allow_the_verb():
    with pytest.raises(Refused, match="campaign is closed; to grade, it must be open") as refusal:
        require(Phase.CLOSED, Verb.GRADE)
    assert refusal.value.code == "wrong_phase"


def test_a_phase_changes_only_where_the_phase_allows_the_verb():
    assert all(verb in ALLOWED[phase] for phase, verb in LEADS_TO)
