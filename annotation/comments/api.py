"""REST: the caller's own comment bank, and what staff share in a campaign."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import role_names
from accounts.models import RoleName, SavedComment, TokenScope
from accounts.profile.api import caller, understood
from accounts.profile.saved_comments import LONGEST, change_comment, delete_comment, save_comment
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView, StrictView
from accounts.rest.idempotency import writes
from annotation.campaigns.api import campaign_or_404
from annotation.comments import actions, bank
from annotation.models import SharedComment, SharingState


class IsReviewer(BasePermission):
    """Reviewers only."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user and RoleName.REVIEWER in role_names(request.user))


class SavedCommentOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField()


class SharedWithOut(serializers.Serializer[Any]):
    campaign = serializers.CharField(source="campaign.slug")
    texts = serializers.ListField(child=serializers.CharField())


class BankOut(serializers.Serializer[Any]):
    own = SavedCommentOut(many=True)
    shared = SharedWithOut(many=True)


class CommentTextIn(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST, trim_whitespace=False)


class ProposeIn(serializers.Serializer[Any]):
    campaign = serializers.SlugField(
        max_length=100, help_text="Slug of a campaign in which you have a place."
    )


class SharedCommentOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    text = serializers.CharField()
    state = serializers.CharField()
    everywhere = serializers.SerializerMethodField(help_text="In every campaign of the protocol.")

    def get_everywhere(self, comment: SharedComment) -> bool:
        return comment.campaign_id is None


class ShareIn(CommentTextIn):
    everywhere = serializers.BooleanField(default=False, help_text="In every campaign of the protocol.")


class ShareDecisionIn(serializers.Serializer[Any]):
    state = serializers.ChoiceField(
        choices=[SharingState.SHARED.value, SharingState.DECLINED.value, SharingState.WITHDRAWN.value]
    )
    everywhere = serializers.BooleanField(default=False, help_text="Share in every campaign of the protocol.")


class CommentBankView(StrictView):
    token_scope = TokenScope.GRADE
    permission_classes = [IsReviewer]

    @extend_schema(operation_id="comment_bank_show", responses=BankOut)
    def get(self, request: Request) -> Response:
        """Own saved comments, and what is shared with the caller, by campaign."""
        user = caller(request)
        return Response(BankOut({"own": bank.own_comments(user), "shared": bank.shared_with(user)}).data)

    @writes("comment_bank_save", request=CommentTextIn, responses={201: SavedCommentOut})
    def post(self, request: Request) -> Response:
        """Save a comment; the same text is only saved once."""
        row = save_comment(actor=caller(request), **understood(CommentTextIn, request))
        return Response(SavedCommentOut(row).data, status=201)


class SavedCommentView(StrictView):
    token_scope = TokenScope.GRADE
    permission_classes = [IsReviewer]

    @extend_schema(
        operation_id="comment_bank_change",
        request=CommentTextIn,
        responses={200: SavedCommentOut, **REFUSED},
    )
    def put(self, request: Request, pk: int) -> Response:
        """Replace the text of one of the caller's comments."""
        row = own_or_404(request, pk)
        row = change_comment(actor=caller(request), comment=row, **understood(CommentTextIn, request))
        return Response(SavedCommentOut(row).data)

    @extend_schema(operation_id="comment_bank_delete", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete one of the caller's comments."""
        delete_comment(actor=caller(request), comment=own_or_404(request, pk))
        return Response(status=204)


class ProposeCommentView(StrictView):
    token_scope = TokenScope.GRADE
    permission_classes = [IsReviewer]

    @extend_schema(
        operation_id="comment_bank_propose", request=ProposeIn, responses={201: SharedCommentOut, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Propose one of the caller's comments to a campaign; staff decide."""
        row = own_or_404(request, pk)
        slug = understood(ProposeIn, request)["campaign"]
        campaign = get_object_or_404(bank.campaigns_of(caller(request)), slug=slug)
        proposed = actions.propose_comment(reviewer=caller(request), campaign=campaign, text=row.text)
        return Response(SharedCommentOut(proposed).data, status=201)


class SharedCommentsView(StaffView):
    @extend_schema(operation_id="shared_comments_list", responses=SharedCommentOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Comments proposed in and shared with a campaign, waiting ones first. Nobody is named."""
        return Response(SharedCommentOut(bank.shared_in(campaign_or_404(slug)), many=True).data)

    @writes("shared_comments_share", request=ShareIn, responses={201: SharedCommentOut})
    def post(self, request: Request, slug: str) -> Response:
        """Share a comment written by staff."""
        terms = understood(ShareIn, request)
        row = actions.share_comment(actor=caller(request), campaign=campaign_or_404(slug), **terms)
        return Response(SharedCommentOut(row).data, status=201)


class ShareDecisionView(StaffView):
    @extend_schema(
        operation_id="shared_comments_decide",
        request=ShareDecisionIn,
        responses={200: SharedCommentOut, **REFUSED},
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Share, decline or withdraw one comment."""
        row = get_object_or_404(bank.shared_in(campaign_or_404(slug)), pk=pk)
        terms = understood(ShareDecisionIn, request)
        return Response(
            SharedCommentOut(actions.decide_comment(actor=caller(request), comment=row, **terms)).data
        )


def own_or_404(request: Request, pk: int) -> SavedComment:
    """The caller's own saved comment; 404 for every other one, existing or not."""
    return get_object_or_404(SavedComment, pk=pk, user=caller(request))
