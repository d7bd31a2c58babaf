"""REST endpoints of knowledge banks and block lists, for coordinators and owners."""

from typing import Any

from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsStaffOfTheStudy, StaffReadAndOwnersPost
from accounts.rest.errors import RefusalOut
from accounts.rest.idempotency import writes
from solving.materials.actions import add_material
from solving.models import Material


class MaterialIn(serializers.Serializer[Any]):
    """`content` of a bank: {"entries": [{key, title, statement, assumptions, conditions, tags, source}]}.

    Of a block list: {identifiers, titles, hosts, phrases}, each a list of texts.
    """

    kind = serializers.ChoiceField(Material.Kind.choices)
    name = serializers.SlugField(max_length=100)
    content = serializers.DictField()


class MaterialOut(serializers.ModelSerializer[Material]):
    class Meta:
        model = Material
        fields: tuple[str, ...] = ("id", "kind", "name", "sha256", "added_at")
        read_only_fields: tuple[str, ...] = fields


class WholeMaterialOut(MaterialOut):
    content = serializers.DictField()

    class Meta(MaterialOut.Meta):
        fields = read_only_fields = (*MaterialOut.Meta.fields, "content")


class MaterialList(generics.ListAPIView[Material]):
    """All banks and block lists; an owner's POST adds one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = MaterialOut
    filters = {"kind": "kind", "name": "name"}
    queryset = Material.objects.order_by("kind", "name").defer("content")

    @writes("material_add", request=MaterialIn, responses={201: WholeMaterialOut, 409: RefusalOut})
    def post(self, request: Request) -> Response:
        """The bank or block list with exactly this content, which may be there already."""
        added = add_material(actor=caller(request), **understood(MaterialIn, request))
        return Response(WholeMaterialOut(added).data, status=201)


class MaterialDetail(generics.RetrieveAPIView[Material]):
    """One with its content."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = WholeMaterialOut
    queryset = Material.objects.all()
