"""Recipes: one folder for each below `recipes/`, and what a folder has to have.

    recipes/NAME/recipe.py       TITLE, PROTOCOLS, Settings (a pydantic model), PROMPTS, ROLES (prompts by role),
                                 solve(given, settings, memory)
    recipes/NAME/prompts/*.md    prompt files, named NAME.vN.md
    recipes/NAME/example.json    settings and replies of a whole attempt, which the contract test runs
    recipes/NAME/settings/*.json settings with names, for example those of a published ablation

A recipe that uses the code of another one names it in SHARES, so that its hash changes with that code.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from llm.structured import StructuredPrompt, structured_prompt
from solvers.memory import Memory
from solvers.steps import Given, Solving

HERE = Path(__file__).parent
RECIPES = HERE / "recipes"


class BadSettings(ValueError):
    """Settings that a recipe does not take; the message names the setting."""


@dataclass(frozen=True)
class Recipe:
    """A way to solve problems. `sha256` is that of its code, its prompts, and the code that all recipes share.

    `roles` are the prompts of each role; a solver may have a model of its own for a role.
    """

    name: str
    title: str
    protocols: tuple[str, ...]
    settings: type[BaseModel]
    prompts: Mapping[str, StructuredPrompt[Any]]
    roles: Mapping[str, tuple[str, ...]]
    solve: Callable[[Given, Any, Memory], Solving]
    sha256: str

    @property
    def folder(self) -> Path:
        return RECIPES / self.name

    def role_of(self, prompt: str) -> str:
        """Who asks with this prompt. Raises KeyError."""
        for role, prompts in self.roles.items():
            if prompt in prompts:
                return role
        raise KeyError(prompt)

    def read_settings(self, given: Mapping[str, Any]) -> Any:
        """The settings with defaults filled in. Raises BadSettings."""
        try:
            return self.settings.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "settings"
            raise BadSettings(f"{place}: {first['msg']}") from error

    @property
    def named_settings(self) -> dict[str, dict[str, Any]]:
        """The settings files of the recipe by name."""
        files = sorted((self.folder / "settings").glob("*.json"))
        return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


def recipe_names() -> list[str]:
    """The names of all recipes."""
    return sorted(path.parent.name for path in RECIPES.glob("*/recipe.py"))


@cache
def get_recipe(name: str) -> Recipe:
    """A recipe by name. Raises KeyError."""
    if name not in recipe_names():
        raise KeyError(f"there is no recipe {name!r}; there are {', '.join(recipe_names())}")
    module = import_module(f"solvers.recipes.{name}.recipe")
    shares = getattr(module, "SHARES", ())
    prompts = {}
    for label, reply in module.PROMPTS.items():
        owner = next((folder for folder in (name, *shares) if _prompt_file(folder, label).exists()), name)
        prompts[label] = structured_prompt(_prompt_file(owner, label), reply)
    total = hashlib.sha256()
    for folder in (HERE, *(RECIPES / one for one in (name, *shares))):
        for path in sorted([*folder.glob("*.py"), *folder.glob("prompts/*.md")]):
            total.update(path.relative_to(HERE).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return Recipe(
        name=name,
        title=module.TITLE,
        protocols=module.PROTOCOLS,
        settings=module.Settings,
        prompts=prompts,
        roles=module.ROLES,
        solve=module.solve,
        sha256=total.hexdigest(),
    )


def _prompt_file(folder: str, label: str) -> Path:
    return RECIPES / folder / "prompts" / f"{label}.md"
