"""What REST shows and takes of people. Fields are listed one by one."""

from rest_framework import serializers

from accounts.access import role_names
from accounts.models import AccessToken, Conflict, Expertise, User


class ExpertiseOut(serializers.ModelSerializer[Expertise]):
    class Meta:
        model = Expertise
        fields = ("domain", "confidence")
        read_only_fields = fields


class ConflictOut(serializers.ModelSerializer[Conflict]):
    class Meta:
        model = Conflict
        fields = ("kind", "key", "reason")
        read_only_fields = fields


class MeOut(serializers.ModelSerializer[User]):
    roles = serializers.SerializerMethodField()
    expertise = ExpertiseOut(many=True)
    conflicts = ConflictOut(many=True)

    class Meta:
        model = User
        fields = ("email", "name", "roles", "expertise", "conflicts")
        read_only_fields = fields

    def get_roles(self, user: User) -> list[str]:
        return sorted(role_names(user))


class TokenOut(serializers.ModelSerializer[AccessToken]):
    class Meta:
        model = AccessToken
        fields: tuple[str, ...] = ("id", "label", "created_at")
        read_only_fields = fields


class TokenIn(serializers.ModelSerializer[AccessToken]):
    class Meta:
        model = AccessToken
        fields = ("label",)


class NewTokenOut(TokenOut):
    """A token as it is shown once."""

    secret = serializers.CharField(read_only=True, help_text="Cannot be shown again.")

    class Meta(TokenOut.Meta):
        fields = (*TokenOut.Meta.fields, "secret")
        read_only_fields = fields
