"""Assigning 1,000 items with five places each to 200 reviewers, under each rule about a problem's outputs."""

import random
from collections.abc import Iterator

from annotation.assigning.allocation import Candidate, Rule, Vacancy, allocate, refusal
from bench.frame import Figure, once

DOMAINS = tuple(f"domain-{number}" for number in range(10))


def case(seed: int = 1) -> tuple[list[Vacancy], list[Candidate]]:
    """250 problems with four answers each; every reviewer knows three of ten domains."""
    lot = random.Random(seed)
    vacancies = [
        Vacancy(
            item=4 * problem + answer,
            domain=DOMAINS[problem % len(DOMAINS)],
            by=frozenset({f"system-{answer}"}),
            paper="",
            wanted=5,
            problem=problem,
        )
        for problem in range(250)
        for answer in range(4)
    ]
    candidates = [
        Candidate(
            reviewer=number,
            confidence={domain: lot.randint(1, 3) for domain in lot.sample(DOMAINS, 3)},
            capacity=lot.choice((None, 40)),
        )
        for number in range(200)
    ]
    return vacancies, candidates


def one_by_one(vacancies: list[Vacancy], candidates: list[Candidate]) -> None:
    """The naive way: item by item, to the fitting reviewer who holds least; balanced but without any promise."""
    loads = {person.reviewer: 0 for person in candidates}
    for vacancy in vacancies:
        fitting = [person for person in candidates if not refusal(vacancy, person)]
        for person in sorted(fitting, key=lambda one: loads[one.reviewer])[: vacancy.wanted]:
            loads[person.reviewer] += 1


def figures() -> Iterator[Figure]:
    """Each rule on the same case; 20 seconds are the promise of the coordinator's page."""
    vacancies, candidates = case()
    for rule in Rule:
        yield Figure(
            f"Plan of 1,000 items x 5 places, 200 reviewers, rule {rule.value}",
            once(lambda rule=rule: allocate(vacancies, candidates, 1, rule)),  # type: ignore[misc]
            once(lambda: one_by_one(vacancies, candidates)),
            "item by item to whoever holds least",
            target=20.0,
        )
