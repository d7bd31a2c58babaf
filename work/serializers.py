"""Fields of REST bodies that several kinds of work share: prices, caps, and how a run is steered."""

from decimal import Decimal
from functools import partial
from typing import Any

from rest_framework import serializers

from work.models import RunState

price = partial(serializers.DecimalField, max_digits=12, decimal_places=6, min_value=0, default=Decimal(0))
cost = partial(
    serializers.DecimalField, max_digits=16, decimal_places=6, min_value=0, default=None, allow_null=True
)
tokens = partial(serializers.IntegerField, min_value=1, max_value=2**62, default=None, allow_null=True)
STATES = [(state.value, state.label) for state in (RunState.RUNNING, RunState.PAUSED, RunState.CANCELLED)]


class StateOrCapIn(serializers.Serializer[Any]):
    """The state that a run is to have, or another cap of it."""

    to = serializers.ChoiceField(STATES, required=False)
    max_tokens = tokens()
    max_cost = cost()

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        """Refuse both, of which only the state would be taken."""
        if "to" in said and (said["max_tokens"] is not None or said["max_cost"] is not None):
            raise serializers.ValidationError("Give a state or a cap, one after the other.")
        return said
