"""Systems of one track compared on the same items, and two at a time by choices and grades: pages and their data."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.refusal import Refused
from reports.comparison.document import comparison, item_rows
from reports.comparison.page import comparison_rows, comparison_sections, pair_row
from reports.comparison.pair_sources import PairSources
from reports.comparison.pairs_page import beside_sections, pairs_rows, pairs_sections
from reports.core.choosing import Chosen
from reports.core.downloads import table_download
from reports.core.outcomes import OutcomeKind, Outcomes, chosen_kind, outcome_kinds, outcomes
from reports.core.requests import chosen_of, paged, staff_page
from reports.exclusions.rules import shown_exclusion
from reports.scores.inputs import Inputs, collect_chosen

PAGE = 100


@staff_page
def compare(request: HttpRequest, name: str) -> HttpResponse:
    """Every pair of systems under one outcome; without any outcome yet, what to do."""
    asked = asked_outcomes(request, name)
    sections = comparison_sections(comparison(asked.found, seed=asked.inputs.seed)) if asked.found else {}
    return render(request, "reports/comparison/compare.html", {**asked.context, **sections})


@staff_page
def compare_pair(request: HttpRequest, name: str) -> HttpResponse:
    """`first` against `second`: the fourfold table, every interval and test, and the items behind them."""
    asked = asked_outcomes(request, name, "first", "second", "page")
    found = asked.found
    if found is None:
        raise Refused("There is nothing to compare on this track yet.", code="no_outcome")
    document = comparison(found, seed=asked.inputs.seed)
    wanted = {request.GET.get("first", ""), request.GET.get("second", "")}
    pair = next((pair for pair in document.pairs if {pair.first, pair.second} == wanted), None)
    if pair is None:
        known = ", ".join(document.systems)
        raise Refused(f"Name two different systems as first and second; there are: {known}.", code="no_pair")
    page = paged(request, item_rows(found, pair.first, pair.second), PAGE)
    context = {
        **asked.context,
        "outcome": document.outcome,
        "pair": pair_row(pair),
        "page": page,
        "compared": pair.simultaneous.family,
    }
    return render(request, "reports/comparison/compare_pair.html", context)


@staff_page
def compare_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers behind the pictures of the comparison."""
    asked = asked_outcomes(request, name)
    if asked.found is None:
        raise Refused("There is nothing to compare on this track yet.", code="no_outcome")
    rows = comparison_rows(comparison(asked.found, seed=asked.inputs.seed))
    return table_download(rows, f"comparison-{name}-{asked.chosen.track}.csv")


@dataclass(frozen=True)
class Asked:
    """What an address asks to compare by, with the kinds there are; `found` is None without any."""

    chosen: Chosen
    inputs: Inputs
    kinds: list[OutcomeKind]
    found: Outcomes | None

    @property
    def context(self) -> dict[str, object]:
        """What every page about it shows."""
        return {"chosen": self.chosen, "kinds": self.kinds, "exclusion": shown_exclusion(self.inputs)}


def asked_outcomes(request: HttpRequest, name: str, *more: str) -> Asked:
    """`more` are the other parameters of the address."""
    chosen, outcome = chosen_of(request, name, "outcome", *more), request.GET.get("outcome", "")
    inputs = collect_chosen(chosen)
    kinds = outcome_kinds(inputs)
    if not kinds and not outcome:
        return Asked(chosen, inputs, [], None)
    return Asked(chosen, inputs, kinds, outcomes(inputs, chosen_kind(inputs, outcome)))


@staff_page
def pairs(request: HttpRequest, name: str) -> HttpResponse:
    """Experts' choices, those of judges, or what grades imply, with the other sources next to it; else what to do."""
    chosen, key = chosen_of(request, name, "grades"), request.GET.get("grades", "")
    inputs = collect_chosen(chosen)
    sources = PairSources.of(chosen.release, inputs)
    context: dict[str, object] = {
        "chosen": chosen,
        "kinds": sources.titles,
        "exclusion": shown_exclusion(inputs),
    }
    if sources.titles or key:
        document = sources.document(key)
        sections = pairs_sections(document)
        context |= sections
        others = sources.others(sections["grades"]["key"]) if document["comparisons"] else []
        if others:
            context["beside"] = beside_sections([document, *others])
    return render(request, "reports/comparison/pairs.html", context)


@staff_page
def pairs_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers behind the pictures."""
    chosen, grades = chosen_of(request, name, "grades"), request.GET.get("grades", "")
    rows = pairs_rows(PairSources.of(chosen.release, collect_chosen(chosen)).document(grades))
    return table_download(rows, f"pairs-{name}-{chosen.track}.csv")
