"""REST: search, statements, similar ones, documents, corpora, indexes, and feedback."""

from typing import Any

from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac
from django.utils.http import quote_etag
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import is_study_staff
from accounts.models import TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.auth import IsSignedIn
from accounts.rest.filters import StrictView
from accounts.rest.idempotency import writes
from canonical import canonical_json
from retrieval.duplicates import KINDS
from retrieval.recipes import HYBRID, MODES
from search.corpora.queries import corpora_for
from search.indexes.opened import index_of
from search.models import (
    Corpus,
    Document,
    Feedback,
    Index,
    IndexState,
    Purpose,
    Reason,
    Visibility,
)
from search.searching.actions import say_relevant, search, similar
from search.searching.hidden import found_by, listed_for, problems_of, searched_by, statements_for
from search.searching.limits import SEARCHES, FeedbackOfMembers
from search.searching.request import DEFAULT_K, MAX_FORMULA, MAX_K, MAX_QUERY, Asked, filters_from
from search.searching.results import Result, result_of

_LISTS = ("documents", "sources", "kinds", "licences", "authors", "categories", "not_documents")
_NUMBERS = ("year_from", "year_to", "citations_min", "citations_max")
_SWITCHES = ("include_unknown_years", "include_unknown_citations")


class SearchIn(serializers.Serializer[Any]):
    """What to look for, and among which statements. A list of filters may have several values: one is enough."""

    corpus = serializers.SlugField()
    q = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_QUERY)
    formula = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_FORMULA)
    mode = serializers.ChoiceField(MODES, required=False, default=HYBRID)
    k = serializers.IntegerField(required=False, default=DEFAULT_K, min_value=1, max_value=MAX_K)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        found = super().get_fields()
        found |= {
            name: serializers.ListField(
                child=serializers.CharField(max_length=1000), required=False, max_length=100
            )
            for name in _LISTS
        }
        found |= {
            name: serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
            for name in _NUMBERS
        }
        return found | {name: serializers.BooleanField(required=False) for name in _SWITCHES}


class ResultOut(serializers.Serializer[Result]):
    """A statement that was found. `body` is cut where the licence does not allow more; `parts` are its ranks."""

    key = serializers.CharField()
    rank = serializers.IntegerField()
    score = serializers.IntegerField()
    parts = serializers.DictField(child=serializers.IntegerField())
    name = serializers.CharField()
    kind = serializers.CharField()
    number = serializers.CharField()
    body = serializers.CharField()
    is_cut = serializers.BooleanField()
    html = serializers.CharField()
    document = serializers.CharField()
    title = serializers.CharField()
    authors = serializers.ListField(child=serializers.CharField())
    year = serializers.IntegerField(allow_null=True)
    section = serializers.CharField()
    url = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    licence = serializers.CharField()
    attribution = serializers.CharField()
    slogan = serializers.CharField(help_text="What a model wrote about it; empty if none did.")
    slogan_by = serializers.CharField(help_text="That model.")


class FoundOut(serializers.Serializer[Any]):
    """`index` names what was searched; `considered` is how many statements passed the filters.

    `words_only` says why this query was ranked without meaning although the index has it; empty if it was not.
    """

    query = serializers.IntegerField()
    index = serializers.CharField(source="index.digest")
    recipe = serializers.CharField(source="index.recipe_name")
    ranks_meaning = serializers.BooleanField()
    words_only = serializers.CharField()
    took_ms = serializers.IntegerField()
    considered = serializers.IntegerField()
    results = ResultOut(many=True)


class SearchView(StrictView):
    """Search a corpus. Strangers may search the corpora that are open to anyone."""

    permission_classes: list[type[BasePermission]] = [AllowAny]
    throttle_classes = SEARCHES
    token_scope = TokenScope.READ
    filters = {name: name for name in ("corpus", "q", "formula", "mode", "k", *_LISTS, *_NUMBERS, *_SWITCHES)}
    repeatable = _LISTS

    @extend_schema(
        operation_id="search",
        parameters=[SearchIn],
        responses=FoundOut,
    )
    def get(self, request: Request) -> Response:
        """Search with the parameters of an address; the reply has an ETag while the index stays the same."""
        sent = {
            name: request.query_params.getlist(name) if name in _LISTS else request.query_params[name]
            for name in request.query_params
        }
        said = SearchIn(data=sent)
        said.is_valid(raise_exception=True)
        corpus = _corpus(request, said.validated_data["corpus"])
        index = index_of(corpus)
        # Of the problems and not of what they hide, and with a key: nobody can try which documents give this tag.
        problems = sorted(problems_of(request.user).items())
        seen = canonical_json([index.digest, is_study_staff(request.user), problems, sent])
        etag = quote_etag(salted_hmac("search.reply", seen, algorithm="sha256").hexdigest()[:32])
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return Response(status=304, headers={"ETag": etag})
        found = _search(request, corpus, said.validated_data)
        # Without its vector a query finds other things than it will once the model answers again.
        return Response(FoundOut(found).data, headers={} if found.words_only else {"ETag": etag})

    @extend_schema(operation_id="search_by_body", request=SearchIn, responses=FoundOut)
    def post(self, request: Request) -> Response:
        """Search with a JSON body, for what is too long for an address."""
        said = understood(SearchIn, request)
        return Response(FoundOut(_search(request, _corpus(request, said["corpus"]), said)).data)


class SimilarIn(serializers.Serializer[Any]):
    """A statement in LaTeX, or the key of one of the corpus."""

    corpus = serializers.SlugField()
    text = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_FORMULA)
    key = serializers.CharField(required=False, default="", allow_blank=True, max_length=200)
    k = serializers.IntegerField(required=False, default=DEFAULT_K, min_value=1, max_value=MAX_K)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["text"].strip()) == bool(attrs["key"]):
            raise ValidationError({"text": "Give a statement in LaTeX, or the key of one, and not both."})
        return attrs


class SimilarResultOut(ResultOut):
    """`likeness` is `identical` but for markup, `near`, `related`, or `different`: it only ranked high.

    `overlap` is the share of common runs of four words, whatever the variables are called.
    """

    likeness = serializers.ChoiceField(KINDS, source="likeness.kind")
    overlap = serializers.SerializerMethodField()

    def get_overlap(self, result: Result) -> float:
        return round(result.likeness.jaccard, 3) if result.likeness else 0.0


class SimilarOut(FoundOut):
    """`index` names what was searched; `considered` is how many statements were candidates."""

    results = SimilarResultOut(many=True)


class SimilarView(StrictView):
    """Statements that are like one: the same, nearly the same, or about the same."""

    permission_classes: list[type[BasePermission]] = [AllowAny]
    throttle_classes = SEARCHES
    token_scope = TokenScope.READ

    @extend_schema(operation_id="similar_statements", request=SimilarIn, responses=SimilarOut)
    def post(self, request: Request) -> Response:
        said = understood(SimilarIn, request)
        corpus = _corpus(request, said.pop("corpus"))
        found = similar(user=request.user, corpus=corpus, purpose=Purpose.REST, **said)
        return Response(SimilarOut(found).data)


class StatementView(StrictView):
    """One statement of a corpus."""

    permission_classes: list[type[BasePermission]] = [AllowAny]

    @extend_schema(operation_id="statement", responses=ResultOut)
    def get(self, request: Request, corpus: str, key: str) -> Response:
        statement = get_object_or_404(statements_for(request.user, _corpus(request, corpus)), key=key)
        return Response(ResultOut(result_of(statement, whole=is_study_staff(request.user))).data)


class DocumentOut(serializers.ModelSerializer[Document]):
    class Meta:
        model = Document
        fields = ("key", "title", "authors", "year")
        read_only_fields = fields


class DocumentsView(StrictView):
    """Documents of a corpus whose key or title begins with or contains some words: at most 20."""

    permission_classes: list[type[BasePermission]] = [AllowAny]
    filters = {"q": "q"}

    @extend_schema(
        operation_id="documents", parameters=[OpenApiParameter("q", str)], responses=DocumentOut(many=True)
    )
    def get(self, request: Request, corpus: str) -> Response:
        asked = request.query_params.get("q", "").strip()[:200]
        if "\0" in asked:
            raise ValidationError({"q": "contains a NUL character"})
        rows = found_by(request.user, _corpus(request, corpus)).filter(
            Q(key__startswith=asked) | Q(title__icontains=asked)
        )
        return Response(DocumentOut(rows.order_by("title", "key")[:20], many=True).data)


class CorpusOut(serializers.Serializer[Any]):
    """A corpus; `sha256` is that of its file once it is frozen. `statements` are those that you may find.

    `statements` is null for a reviewer as long as the corpus has no index, or one that lacks statements.
    """

    slug = serializers.SlugField(source="corpus.slug")
    title = serializers.CharField(source="corpus.title")
    visibility = serializers.ChoiceField(Visibility.choices, source="corpus.visibility")
    frozen_at = serializers.DateTimeField(source="corpus.frozen_at", allow_null=True)
    sha256 = serializers.CharField(source="corpus.sha256", allow_blank=True)
    statements = serializers.IntegerField(source="n_statements", allow_null=True)


class CorporaView(StrictView):
    """The corpora that the caller may search."""

    permission_classes: list[type[BasePermission]] = [AllowAny]

    @extend_schema(operation_id="corpora", responses=CorpusOut(many=True))
    def get(self, request: Request) -> Response:
        return Response(CorpusOut(listed_for(request.user), many=True).data)


class IndexOut(serializers.ModelSerializer[Index]):
    """An index and what it is made of."""

    class Meta:
        model = Index
        fields = ("digest", "recipe", "state", "corpus_sha256", "n_statements", "built_at")
        read_only_fields = fields


class IndexesView(StrictView):
    """The indexes of a corpus, the newest first; for a reviewer only the one that is searched."""

    permission_classes: list[type[BasePermission]] = [AllowAny]

    @extend_schema(operation_id="indexes", responses=IndexOut(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        chosen = _corpus(request, corpus)
        if problems_of(request.user):
            searched = index_of(chosen)
            searched.n_statements = searched_by(request.user, searched).considered(None)
            return Response(IndexOut([searched], many=True).data)
        built = [IndexState.READY, IndexState.RETIRED]
        rows = chosen.indexes.filter(state__in=built).order_by("-built_at", "-pk")
        return Response(IndexOut(rows, many=True).data)


class FeedbackIn(serializers.Serializer[Any]):
    """1 relevant, -1 not relevant, 0 neither. The newest word about a statement counts."""

    corpus = serializers.SlugField()
    key = serializers.CharField(max_length=200)
    value = serializers.ChoiceField([-1, 0, 1])
    query = serializers.IntegerField(required=False)
    reason = serializers.ChoiceField(Reason.choices, required=False, default="")
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=1000)


class FeedbackOut(serializers.ModelSerializer[Feedback]):
    reason = serializers.CharField()

    class Meta:
        model = Feedback
        fields = ("value", "reason", "note")
        read_only_fields = fields


class FeedbackView(StrictView):
    """Say whether a result is relevant."""

    permission_classes = [IsSignedIn]
    throttle_classes = [FeedbackOfMembers]
    token_scope = TokenScope.GRADE

    @writes("search_feedback", request=FeedbackIn, responses={201: FeedbackOut})
    def post(self, request: Request) -> Response:
        said = understood(FeedbackIn, request)
        statements = statements_for(request.user, _corpus(request, said.pop("corpus")))
        statement = get_object_or_404(statements, key=said.pop("key"))
        if said["reason"] and said["value"] != -1:
            raise ValidationError({"reason": "Only what is not relevant has a reason."})
        kept = say_relevant(user=caller(request), statement=statement, **said)
        return Response(FeedbackOut(kept).data, status=201)


def _corpus(request: Request, slug: str) -> Corpus:
    corpus = corpora_for(request.user).filter(slug=slug).first()
    if corpus is None:
        raise Http404
    return corpus


def _search(request: Request, corpus: Corpus, said: dict[str, Any]) -> Any:
    asked = Asked(said["q"], said["formula"], said["mode"], said["k"], filters_from(said))
    return search(user=request.user, corpus=corpus, asked=asked, purpose=Purpose.REST)
