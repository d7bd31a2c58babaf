"""The verb of indexes: build one, which retires the one before."""

import datetime as dt
import logging
import shutil
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.holding import held, is_held
from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.rendering.stored import call_worker
from retrieval.index import BadIndex, build
from retrieval.index import Index as OpenIndex
from retrieval.recipes import Recipe
from search.indexes.embedding import recipe_named, vectors_of
from search.indexes.entries import entries_of
from search.models import Corpus, Index, IndexState

logger = logging.getLogger(__name__)
TASK = "search.build"
GIVEN_UP_AFTER = dt.timedelta(hours=6)
# A command holds the file of its build a moment after the row is there.
_BEGUN_BY_THEN = dt.timedelta(minutes=1)
_STOPPED = "The build did not end. Its process was probably stopped."


def build_index(*, actor: User | None, corpus: Corpus, recipe: str, model: str = "") -> Index:
    """Build the index of a corpus by the recipe with this name; the one before is retired when it is ready.

    `model` is a declared one behind an endpoint; left out, a recipe of meaning has the model on this machine.

    What is there already, made of the same statements by the same rules, is kept. Raises Refused for an unknown
    recipe, an empty corpus, and while another build of the corpus runs.
    """
    asked = ask_for_index(actor=actor, corpus=corpus, recipe=recipe, model=model, call=False)
    with held(_file_of(asked)):
        return _build_claimed(asked)


def build_waiting() -> int:
    """Build every index that somebody asked for in the browser; returns how many."""
    _give_up_what_stopped()
    done = 0
    for asked in Index.objects.filter(state=IndexState.WAITING).order_by("pk"):
        mine = Index.objects.filter(pk=asked.pk, state=IndexState.WAITING)
        try:
            with held(_file_of(asked)) as is_mine:
                if is_mine and mine.update(state=IndexState.BUILDING):
                    _build_claimed(asked)
                    done += 1
        except Exception as error:  # it is written on the row, and the next one is to be built too
            logger.exception("index %s of %s failed", asked.pk, asked.corpus_id)
            mine.update(state=IndexState.FAILED, problem=(str(error) or type(error).__name__)[:2_000])
    return done


def _give_up_what_stopped() -> None:
    """A build whose process died, or could not write down how it ended, has failed."""
    building = Index.objects.filter(state=IndexState.BUILDING, asked_at__lt=timezone.now() - _BEGUN_BY_THEN)
    for index in building:
        if not is_held(_file_of(index)):
            stopped = Index.objects.filter(pk=index.pk, state=IndexState.BUILDING)
            stopped.update(state=IndexState.FAILED, problem=_STOPPED)
            _file_of(index).unlink(missing_ok=True)
            shutil.rmtree(_folder_of(index), ignore_errors=True)


def _file_of(asked: Index) -> Path:
    """Held while the index is built."""
    settings.INDEX_DIR.mkdir(parents=True, exist_ok=True)
    return Path(settings.INDEX_DIR) / f"building-{asked.pk}.held"


def _folder_of(asked: Index) -> Path:
    """Where the index is built, before its digest names it."""
    return Path(settings.INDEX_DIR) / f"building-{asked.pk}"


def _build_claimed(asked: Index) -> Index:
    try:
        corpus, folder = asked.corpus, _folder_of(asked)
        try:
            sha256, entries = entries_of(corpus)
            recipe = Recipe.from_json(asked.recipe)
            vectors = vectors_of(entries, recipe.model) if recipe.model else None
            digest = build(folder, entries, corpus_digest=sha256, recipe=recipe, vectors=vectors)
            place = settings.INDEX_DIR / digest
            if place.exists():  # the same index, which stays unless it is damaged
                try:
                    OpenIndex.open(place).verify()
                except BadIndex:
                    shutil.rmtree(place)
            if not place.exists():
                folder.rename(place)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        with transaction.atomic():
            same = Index.objects.filter(corpus=corpus, digest=digest).first()
            others = Index.objects.filter(corpus=corpus, state=IndexState.READY).exclude(digest=digest)
            for other in others:
                if other.recipe_name == asked.recipe_name:
                    Index.objects.filter(pk=other.pk).update(state=IndexState.RETIRED)
            if same is not None:
                asked.delete()
                Index.objects.filter(pk=same.pk).update(state=IndexState.READY, built_at=timezone.now())
                return same
            Index.objects.filter(pk=asked.pk).update(
                state=IndexState.READY,
                digest=digest,
                corpus_sha256=sha256,
                n_statements=len(entries),
                built_at=timezone.now(),
            )
            return Index.objects.get(pk=asked.pk)
    except BaseException as error:
        problem = str(error) or type(error).__name__
        Index.objects.filter(pk=asked.pk).update(state=IndexState.FAILED, problem=problem[:2_000])
        raise


@transaction.atomic
def ask_for_index(
    *, actor: User | None, corpus: Corpus, recipe: str, model: str = "", call: bool = True
) -> Index:
    """The row of a new index: a worker is called to build it, or without `call` the caller does. Raises Refused."""
    chosen = recipe_named(recipe, model)
    if not corpus.statements.exists():
        raise Refused(f"The corpus {corpus.slug} has no statements yet.", code="empty_corpus")
    _give_up_what_stopped()
    waiting = Index.objects.filter(corpus=corpus, state=IndexState.WAITING)
    waiting.filter(asked_at__lt=timezone.now() - GIVEN_UP_AFTER).update(
        state=IndexState.FAILED, problem=_STOPPED
    )
    try:
        with transaction.atomic():
            state = IndexState.WAITING if call else IndexState.BUILDING
            asked = Index.objects.create(corpus=corpus, recipe=chosen.as_json(), asked_by=actor, state=state)
    except IntegrityError as error:
        raise Refused(f"An index of {corpus.slug} is being built right now.", code="building") from error
    record(
        actor=actor,
        verb="build_index",
        target=asked,
        details={"corpus": corpus.slug, "recipe": recipe, "model": model},
    )
    if call:
        call_worker(TASK)
    return asked
