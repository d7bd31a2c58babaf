"""REST endpoints of those who run the study: campaigns from draft to closed."""

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import StaffView, refuse_unlisted
from accounts.rest.idempotency import writes
from annotation.assigning import actions as assigning_actions
from annotation.assigning.plans import plan_in_words
from annotation.campaigns import actions, pairs, reminding, revising
from annotation.campaigns.progress import campaign_progress
from annotation.core import queries
from annotation.core import serializers as shape
from annotation.models import Assignment, Campaign
from benchmark.releases.queries import release_named


def campaign_or_404(slug: str) -> Campaign:
    """The campaign as its reply shows it."""
    return get_object_or_404(Campaign.objects.select_related("release", "rubric"), slug=slug)


def campaign_reply(slug: str, status: int = 200) -> Response:
    """The campaign as stored now."""
    return Response(shape.CampaignOut(campaign_or_404(slug)).data, status=status)


class CampaignsView(ListAPIView[Campaign]):
    """All campaigns; for those who run them."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.CampaignOut
    filters = {"release": "release__name", "kind": "kind", "phase": "phase"}

    def get_queryset(self) -> QuerySet[Campaign]:
        return Campaign.objects.select_related("release", "rubric")

    @writes("campaigns_create", request=shape.CampaignIn, responses={201: shape.CampaignOut}, filters=False)
    def post(self, request: Request) -> Response:
        """A new campaign in draft; 409 for an unknown release or rubric, or a name that is taken."""
        refuse_unlisted(request, set())
        terms = understood(shape.CampaignIn, request)
        release = release_named(terms.pop("release"))
        made = actions.create_campaign(actor=caller(request), release=release, **terms)
        return campaign_reply(made.slug, status=201)


class CampaignView(RetrieveAPIView[Campaign]):
    """One campaign; for those who run it."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.CampaignOut
    queryset = Campaign.objects.select_related("release", "rubric")
    lookup_field = "slug"

    @writes("campaign_revise", request=shape.RevisedIn, responses={200: shape.CampaignOut})
    def patch(self, request: Request, slug: str) -> Response:
        """Change terms: all of them before the draw, due date and instructions until the campaign is closed."""
        campaign = campaign_or_404(slug)
        sent = understood(shape.RevisedIn, request)
        if "release" in sent:
            sent["release"] = release_named(sent["release"])
        least = sent.pop("least_authors", None)
        with transaction.atomic():
            revising.revise_campaign(actor=caller(request), campaign=campaign, **sent)
            if least is not None:
                actions.set_least_authors(actor=caller(request), campaign=campaign, least=least)
        return campaign_reply(slug)


class ProgressView(StaffView):
    @extend_schema(operation_id="campaign_progress", responses=shape.ProgressOut)
    def get(self, request: Request, slug: str) -> Response:
        """Draw and progress of a campaign, by domain and reviewer."""
        return Response(shape.ProgressOut(campaign_progress(campaign_or_404(slug))).data)


class DrawView(StaffView):
    @writes("campaign_draw", request=shape.DrawIn, responses={201: shape.DrawOut})
    def post(self, request: Request, slug: str) -> Response:
        """Draw the items by domain, once and for all."""
        campaign = campaign_or_404(slug)
        sent = understood(shape.DrawIn, request)
        items = actions.draw_items(actor=caller(request), campaign=campaign, **sent)
        body = {"campaign": slug, "items": len(items), "strata": queries.drawn_strata(campaign)}
        return Response(shape.DrawOut(body).data, status=201)

    @writes("campaign_discard_draw", request=None, responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Discard the draw of a draft, as long as no place is assigned; the audit trail records both."""
        revising.discard_draw(actor=caller(request), campaign=campaign_or_404(slug))
        return Response(status=204)


class DrawPairsView(StaffView):
    @writes("campaign_draw_pairs", request=shape.DrawPairsIn, responses={201: shape.DrawOut})
    def post(self, request: Request, slug: str) -> Response:
        """Draw the pairs of a comparison, once and for all; a stratum is a pair of systems."""
        campaign = campaign_or_404(slug)
        sent = understood(shape.DrawPairsIn, request)
        items = pairs.draw_pairs(actor=caller(request), campaign=campaign, **sent)
        body = {"campaign": slug, "items": len(items), "strata": queries.drawn_strata(campaign)}
        return Response(shape.DrawOut(body).data, status=201)


class PlanView(StaffView):
    @extend_schema(operation_id="campaign_plan", responses=shape.PlanOut)
    def get(self, request: Request, slug: str) -> Response:
        """Who would get what if the plan were applied now, and every place that cannot be filled."""
        campaign = campaign_or_404(slug)
        plan = assigning_actions.plan_assignment(campaign)
        return Response(shape.PlanOut(plan_in_words(campaign, plan)).data)


class AssignView(StaffView):
    @writes("campaign_assign", request=shape.AssignIn, responses={200: shape.AssignedOut})
    def post(self, request: Request, slug: str) -> Response:
        """Apply the plan that was looked at; 409 with code plan_changed when the plan would now be different."""
        campaign = campaign_or_404(slug)
        sent = understood(shape.AssignIn, request)
        placed = assigning_actions.apply_plan(actor=caller(request), campaign=campaign, **sent)
        return Response(shape.AssignedOut({"campaign": slug, "placed": len(placed)}).data)


class OpenView(StaffView):
    @writes("campaign_open", request=shape.OpenIn, responses={200: shape.CampaignOut})
    def post(self, request: Request, slug: str) -> Response:
        """Open the campaign to its reviewers; 422 with code answers_public where the answers can be looked up."""
        sent = understood(shape.OpenIn, request)
        actions.open_campaign(actor=caller(request), campaign=campaign_or_404(slug), **sent)
        return campaign_reply(slug)


class CloseView(StaffView):
    @writes("campaign_close", request=shape.CloseIn, responses={200: shape.CampaignOut})
    def post(self, request: Request, slug: str) -> Response:
        """Close the campaign; unfinished places need a reason."""
        campaign = campaign_or_404(slug)
        sent = understood(shape.CloseIn, request)
        actions.close_campaign(actor=caller(request), campaign=campaign, **sent)
        return campaign_reply(slug)


class WaitingView(StaffView):
    @extend_schema(operation_id="campaign_waiting", responses=shape.WaitingPlaceOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Places that are not yet submitted, oldest first."""
        rows = queries.waiting_places(campaign_or_404(slug))
        return Response(shape.WaitingPlaceOut(rows, many=True).data)


class ReleaseAssignmentView(StaffView):
    @writes("campaign_release_assignment", request=shape.ReleaseAssignmentIn, responses={204: None})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Release a waiting place; it is free again and the reviewer keeps the draft."""
        rows = Assignment.objects.select_related("item__campaign")
        place = get_object_or_404(rows, pk=pk, item__campaign__slug=slug)
        sent = understood(shape.ReleaseAssignmentIn, request)
        assigning_actions.release_assignment(actor=caller(request), assignment=place, **sent)
        return Response(status=204)


class RemindView(StaffView):
    @writes("campaign_remind", request=None, responses={200: shape.RemindedOut})
    def post(self, request: Request, slug: str) -> Response:
        """Remind reviewers by email of waiting items; at most one email per reviewer and day."""
        counts = reminding.remind_campaign(actor=caller(request), campaign=campaign_or_404(slug))
        return Response(shape.RemindedOut(counts).data)


class ReleaseLateView(StaffView):
    @writes("campaign_release_late", request=None, responses={200: shape.ReleasedLateOut})
    def post(self, request: Request, slug: str) -> Response:
        """Release what is past the due date and give it to reviewers who are not late; drafts are kept."""
        counts = assigning_actions.release_late(actor=caller(request), campaign=campaign_or_404(slug))
        return Response(shape.ReleasedLateOut(counts).data)
