"""REST endpoints of solvers, for coordinators and owners."""

from typing import Any

from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import StaffReadAndOwnersPost
from accounts.rest.errors import RefusalOut
from accounts.rest.idempotency import writes
from solving.models import Solver
from solving.runs.actions import System, make_solver
from work.serializers import price


class SolverIn(serializers.Serializer[Any]):
    """A recipe with those settings that differ from its defaults, and a model with its prices for a million tokens."""

    slug = serializers.SlugField(max_length=80)
    recipe = serializers.CharField(max_length=50)
    endpoint = serializers.CharField(max_length=100)
    model = serializers.CharField(max_length=200)
    settings = serializers.DictField(default=dict)
    roles = serializers.DictField(
        child=serializers.DictField(),
        default=dict,
        help_text="Roles of the recipe with a model of their own: {role: {model, and if wanted endpoint, decoding, "
        "prompt_price, completion_price, cached_price}}.",
    )
    decoding = serializers.DictField(default=dict)
    family = serializers.CharField(max_length=100, default="", allow_blank=True)
    training_cutoff = serializers.DateField(default=None, allow_null=True)
    prompt_price = price()
    completion_price = price()
    cached_price = price(
        default=None, allow_null=True, help_text="Of tokens from a cache, if they cost less."
    )


class SolverOut(serializers.ModelSerializer[Solver]):
    name = serializers.CharField(help_text="As the benchmark's system is called.")

    class Meta:
        model = Solver
        fields = (
            "id", "name", "slug", "version", "recipe", "recipe_sha256", "settings", "endpoint", "model", "decoding",
            "family", "training_cutoff", "prompt_price", "completion_price", "cached_price", "roles", "sha256",
            "created_at",
        )  # fmt: skip
        read_only_fields = fields


class SolverList(generics.ListAPIView[Solver]):
    """All versions of all solvers; an owner's POST makes one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = SolverOut
    filters = {"slug": "slug", "recipe": "recipe"}
    queryset = Solver.objects.order_by("slug", "-version")

    @writes("solver_make", request=SolverIn, responses={201: SolverOut, 409: RefusalOut})
    def post(self, request: Request) -> Response:
        """The version with exactly this content, which may exist already."""
        made = make_solver(actor=caller(request), system=System(**understood(SolverIn, request)))
        return Response(SolverOut(made).data, status=201)
