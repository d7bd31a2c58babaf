"""Raters are numbered in tables and artifacts by what they said, so that numbers tell nothing of who they are."""

import pytest

from accounts.models import User
from accounts.people.erasure import erase_person
from annotation.models import Answer
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.pairs import read_choices
from reports.core.canonical import canonical
from reports.core.datasets import numbered_experts, numbers_of
from reports.scores.inputs import collect
from tests.reports.test_judged_pairs import compared as chosen

__all__ = ["chosen"]
pytestmark = pytest.mark.django_db


def artifact(release):
    inputs = collect(release=release)
    return canonical(build(inputs, read_manifest(release, "raw"), None, read_choices(release, inputs)))


@pytest.mark.slow
def test_other_addresses_in_the_opposite_order_change_nothing(gaps):
    before = artifact(gaps)
    raters = list(User.objects.filter(pk__in=numbered_experts(gaps, "raw")).order_by("email"))
    assert len(raters) == 3
    for place, rater in enumerate(reversed(raters)):
        User.objects.filter(pk=rater.pk).update(email=f"{place}@elsewhere.test")
    assert artifact(gaps) == before


@pytest.mark.slow
def test_an_account_that_is_erased_keeps_its_number(chosen, owner):
    before = artifact(chosen)
    for rater in User.objects.filter(assignments__grades__isnull=False).distinct():
        erase_person(actor=owner, member=rater)
        assert artifact(chosen) == before


def test_neither_the_order_of_rows_nor_of_accounts_says_which_number_comes_first():
    said = [
        (rater, f"problem {n}", f"{rater} says {(rater * n) % 3}") for rater in range(1, 21) for n in range(5)
    ]
    numbers = numbers_of(said)
    assert sorted(numbers.values()) == sorted(f"expert-{n}" for n in range(1, 21))
    assert numbers_of(reversed(said)) == numbers
    # the same people under other numbers of accounts
    assert numbers_of((21 - rater, *what) for rater, *what in said) == {
        21 - rater: number for rater, number in numbers.items()
    }
    in_order = [f"expert-{n}" for n in range(1, 21)]
    assert [numbers[rater] for rater in range(1, 21)] not in (in_order, in_order[::-1])


def test_every_label_has_the_number_of_its_rater(gaps):
    of_release = Answer.objects.filter(grade__assignment__item__campaign__release=gaps)
    answers = of_release.filter(grade__superseded_by=None).values_list("grade__assignment__reviewer", "pk")
    numbers = numbered_experts(gaps, "raw")
    labels = collect(release=gaps).labels
    for rater, number in numbers.items():
        assert sum(row.rater == number for row in labels) == sum(one == rater for one, _ in answers)
