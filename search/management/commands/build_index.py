"""manage.py build_index --corpus NAME [--recipe words|hybrid] [--model NAME]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from retrieval.recipes import NAMED
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index


class Command(TouchstoneCommand):
    help = "Build an index over a corpus. Equal statements and recipes give equal digests."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, help="short name of the corpus")
        parser.add_argument("--recipe", default="words", choices=list(NAMED), help="how it ranks")
        parser.add_argument(
            "--model",
            default="",
            help="a model of TOUCHSTONE_EMBEDDING_MODELS instead of the one on this machine",
        )

    def run(self, **options: Any) -> dict[str, object]:
        index = build_index(
            actor=None,
            corpus=corpus_named(options["corpus"]),
            recipe=options["recipe"],
            model=options["model"],
        )
        return {
            "corpus": index.corpus.slug,
            "recipe": index.recipe_name,
            "model": (index.recipe.get("model") or {}).get("name", ""),
            "statements": index.n_statements,
            "corpus_sha256": index.corpus_sha256,
            "digest": index.digest,
        }
