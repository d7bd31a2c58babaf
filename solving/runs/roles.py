"""The models of a solver: one for all roles of its recipe, and those of single roles."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from accounts.refusal import Refused
from llm.completion import DECODING, decoding_fault
from llm.strict_json import first_objection
from solvers.asking import Prices
from solvers.recipe import Recipe, get_recipe
from solving.models import Solver

# Lengths are the recipe's, and the seed of a request would be the same in every attempt.
DECODED = DECODING - {"max_tokens", "max_completion_tokens", "seed"}
_Price = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=6)]


@dataclass(frozen=True)
class AskedModel:
    """A model with what it is asked by, and its prices."""

    endpoint: str
    model: str
    decoding: Mapping[str, Any]
    prices: Prices


class _Role(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    endpoint: str = ""
    model: str = Field(min_length=1, max_length=200)
    decoding: dict[str, Any] = {}
    prompt_price: _Price = Decimal(0)
    completion_price: _Price = Decimal(0)
    cached_price: _Price | None = None


def model_of(solver: Solver, prompt: str) -> AskedModel:
    """The model that is asked with this prompt of the solver's recipe."""
    own = solver.roles.get(get_recipe(solver.recipe).role_of(prompt)) if solver.roles else None
    if own is None:
        prices = Prices(solver.prompt_price, solver.completion_price, solver.cached_price)
        return AskedModel(solver.endpoint, solver.model, solver.decoding, prices)
    role = _Role.model_validate(own)
    prices = Prices(role.prompt_price, role.completion_price, role.cached_price)
    return AskedModel(role.endpoint, role.model, role.decoding, prices)


def endpoints_of(solver: Solver) -> list[str]:
    """All endpoints that the solver may ask."""
    return sorted({solver.endpoint, *(role["endpoint"] for role in solver.roles.values())})


def is_priced(solver: Solver) -> bool:
    """Whether any model of the solver has a price."""
    own = [_Role.model_validate(role) for role in solver.roles.values()]
    prices = [(one.prompt_price, one.completion_price) for one in own]
    return any(map(any, [(solver.prompt_price, solver.completion_price), *prices]))


def read_roles(recipe: Recipe, given: Mapping[str, Any], endpoint: str) -> dict[str, dict[str, Any]]:
    """Roles as a solver keeps them; those without an endpoint use the solver's. Raises Refused, naming the role."""
    found = {}
    for name, said in given.items():
        if name not in recipe.roles:
            reason = f"{recipe.name} has no role {name!r}; it has {', '.join(recipe.roles)}."
            raise Refused(reason, code="no_role", field="roles")
        try:
            role = _Role.model_validate(said)
        except ValidationError as error:
            reason = f"Role {name}: {first_objection(error, whole='model')}."
            raise Refused(reason, code="bad_role", field="roles") from error
        try:
            check_decoding(role.decoding)
            check_cached_price(role.cached_price, role.prompt_price)
        except Refused as refusal:
            raise Refused(f"Role {name}: {refusal.reason}", code=refusal.code, field="roles") from refusal
        prices = ("prompt_price", "completion_price", "cached_price")
        plain = {price: getattr(role, price) for price in prices}
        found[name] = {
            "endpoint": role.endpoint or endpoint, "model": role.model, "decoding": role.decoding,
            **{price: f"{value.normalize():f}" for price, value in plain.items() if value is not None},
        }  # fmt: skip
    return found


def check_decoding(decoding: Mapping[str, Any]) -> None:
    if unknown := sorted(set(decoding) - DECODED):
        raise Refused(f"A solver does not set {unknown[0]!r}.", code="bad_decoding", field="decoding")
    if fault := decoding_fault(decoding):
        raise Refused(fault, code="bad_decoding", field="decoding")


def check_cached_price(cached: Decimal | None, sent: Decimal) -> None:
    """Refuse a price with which a call could cost more than was reserved for it."""
    if cached is not None and not 0 <= cached <= sent:
        reason = "The price of tokens from a cache is at most that of tokens sent, and not negative."
        raise Refused(reason, field="cached_price")
