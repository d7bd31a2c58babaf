"""The results of one track of a release: the page that answers first."""

import re
from collections.abc import Callable, Mapping

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.access import role_names
from accounts.models import RoleName
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from annotation.core.identities import sees_identities
from annotation.core.item_names import item_name
from annotation.core.material import problem_title
from annotation.core.phases import Phase
from annotation.models import Campaign, CampaignKind, Item
from benchmark.models import Instance, System
from benchmark.protocols import get_protocol
from benchmark.published import published_protocols
from benchmark.subjects import Subject
from judging.models import JudgeRun
from reports.campaign.data import grades_in, places_wanted
from reports.comparison.direct_pairs import direct_kinds
from reports.core.choosing import Chosen
from reports.core.requests import chosen_of, paged, staff_page
from reports.exclusions.rules import primary_exclusion
from reports.printing.pages import pdf_problem
from reports.results import page as sections
from reports.results.board import board
from reports.results.graded import Reading, closed_campaigns, readable_questions, reading
from reports.results.grid import PAGE, ROTATED_FROM, ROTATED_PAGE, names_of, problems
from reports.results.notes import notes
from reports.scores.inputs import Inputs, collect_chosen
from reports.scores.kept import kept_score
from work.models import RunState

_PARAMETERS = ("campaign", "question", "page", "pair")


@staff_page
def results(request: SignedInRequest, name: str) -> HttpResponse:
    """Leaderboard, grid, disagreements, agreement, audit; while the only grading is open nothing but counts."""
    chosen = chosen_of(request, name, *_PARAMETERS)
    inputs = collect_chosen(chosen)
    # campaigns of single outputs that are still being graded, with how many reports are in
    known = [campaign.slug for campaign in inputs.campaigns if not campaign.closed]
    graded = Campaign.objects.filter(
        Q(slug__in=known)
        | Q(
            phase=Phase.OPEN,
            kind__in=(CampaignKind.GRADE, CampaignKind.AUDIT),
            track=chosen.track,
            items__output__run__condition=chosen.condition,
        ),
        release=chosen.release,
    )
    gradings = [
        {"campaign": campaign, "reports": grades_in(campaign), "wanted": places_wanted(campaign)}
        for campaign in graded.order_by("slug").distinct()
    ]
    # while a run of a judge is answering about the track, its numbers will change
    judging = JudgeRun.objects.filter(
        release=chosen.release, track=chosen.track, subject="output", state=RunState.RUNNING
    )
    context = {
        "chosen": chosen,
        "inputs": inputs,
        "open": gradings,
        "judging": list(judging.select_related("judge").order_by("pk")),
        "pdf_problem": pdf_problem(),
        "may_freeze": RoleName.OWNER in role_names(request.user),
        "has_published": inputs.protocol in published_protocols(),
        "has_conditions": bool(get_protocol(inputs.protocol).condition_tables),
        "n_problems": len({row.instance for row in inputs.outputs}),
        "n_answered": sum(row.state == "answered" for row in inputs.outputs),
        "n_blank": sum(row.state != "answered" for row in inputs.outputs),
    }
    if gradings and not closed_campaigns(inputs):
        # nothing by system before the first closing, the judge's figures included
        return render(request, "reports/results/results.html", {**context, "hidden": True})
    found = reading(inputs, request.GET.get("campaign", ""), request.GET.get("question", ""))
    return render(
        request, "reports/results/results.html", {**context, **_shown(request, chosen, inputs, found)}
    )


def _shown(
    request: SignedInRequest, chosen: Chosen, inputs: Inputs, found: Reading | None
) -> Mapping[str, object]:
    document = kept_score(chosen, inputs)
    slug = found.campaign.slug if found and found.campaign else ""
    left_out = set(primary_exclusion(inputs))
    counted = {row.subject: row for row in inputs.outputs if row.instance not in left_out}
    lines = board(document, found, counted, inputs.methods)
    systems = [line.system for line in lines.lines]
    campaigns = Campaign.objects.select_related("release").in_bulk(
        {slug, lines.audit} - {""}, field_name="slug"
    )
    campaign = campaigns.get(slug)
    # who settles splits must not learn from this page which system wrote what
    informed = all(sees_identities(request.user, one) for one in campaigns.values())
    unreleased = {(row.system, row.instance) for row in inputs.unreleased}
    rows = problems(inputs.outputs, found, systems, left_out, unreleased)
    size = ROTATED_PAGE if len(systems) >= ROTATED_FROM else PAGE
    shown = paged(request, rows, size)
    audited = found
    if lines.audit and lines.audit != slug:
        audited = reading(inputs, lines.audit)
    at = {row.subject: row.instance for row in inputs.outputs}
    # of all problems: audits draw from those that a rule leaves out, too
    answers = {row.subject for row in inputs.outputs if row.state == "answered"}
    n_read = len(answers & {vote.subject for vote in inputs.votes})
    by_instance = {row.instance: row for row in rows}
    titles = Instance.objects.filter(release=chosen.release).values_list("key", "payload__title")
    names = sections.Names(
        systems=dict(System.objects.filter(slug__in=systems).values_list("slug", "name")),
        titles={key: problem_title({"title": title}, key) for key, title in titles},
        proofs=names_of(rows, {n: line.letter for n, line in enumerate(lines.lines)}) if informed else {},
        href=_addresses(chosen, set(campaigns)),
    )
    by = campaign.split_by if campaign else ""
    context: dict[str, object] = {
        "document": document,
        "campaign": campaign,
        "closed": closed_campaigns(inputs),
        "n_reports": grades_in(campaign) if campaign else 0,
        "found": found,
        "informed": informed,
        "by": by,
        "board": sections.board_context(lines, names),
        "said": sections.trust_sentences(inputs, document, lines, found),
        "page": shown,
        "grid": sections.grid_context(list(shown), found, lines, names) if found and informed else None,
        "audit": sections.audit_context(document, lines, audited, names, at, n_read),
        "compared": {} if campaign else direct_kinds(chosen.release, chosen.track),
        "n_left_out": len(left_out & set(by_instance)),
    }
    if found and found.campaign:
        numbers = {subject: by_instance[instance] for subject, instance in at.items()}
        pair = _pair(request, found) if informed else None  # blind staff do not learn who read what
        context |= {
            "differ": sections.splits_context(found, names, numbers, by, pair),
            "pairs": sections.pairs_context(found),
            "agreement": sections.agreement_context(inputs, document, found),
            "questions": readable_questions(found.campaign) if found.campaign.kind == "grade" else [],
        }
    listed = notes(document, lines, found, by)
    return {**context, "notes": listed, "note": {note["key"]: note["number"] for note in listed}}


def _pair(request: HttpRequest, found: Reading) -> tuple[str, str] | None:
    """The two referees of `pair=1-3`. Raises Refused for what names none."""
    asked = request.GET.get("pair", "")
    if not asked:
        return None
    known = {rater for graded in found.outputs.values() for rater in graded.answers}
    named = re.fullmatch(r"(\d{1,6})-(\d{1,6})", asked)
    pair = (f"expert-{named[1]}", f"expert-{named[2]}") if named else ("", "")
    if not known.issuperset(pair):
        raise Refused(f"There are no two referees {asked!r} here.", code="no_pair", field="pair")
    return pair


def _addresses(chosen: Chosen, slugs: set[str]) -> Callable[[str, str], str]:
    """Where a cell leads: to what the experts said about the output, else to the instance with all outputs."""
    items = Item.objects.filter(
        campaign__slug__in=slugs,
        second=None,
        output__run__track=chosen.track,
        output__run__condition=chosen.condition,
    ).values_list("pk", "campaign__slug", "instance__key", "output__run__system__slug", "output__attempt")
    graded = {
        str(Subject(instance, system, attempt, chosen.track, chosen.condition)): (campaign, pk)
        for pk, campaign, instance, system, attempt in items
    }

    def address(subject: str, instance: str) -> str:
        if subject in graded:
            campaign, pk = graded[subject]
            return reverse("adjudicate", args=[campaign, item_name(pk)])
        return reverse("instance", args=[chosen.release.name, instance])

    return address
