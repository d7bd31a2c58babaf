"""Whether a source and the published paper that its manifest names are one work: compared, and decided by people."""

from types import EllipsisType

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.citations.identifiers import arxiv_id
from benchmark.citations.identity import same_work
from benchmark.citations.reading import read_source
from construction.models import Identity, MatchDecision, Publication, Source
from construction.sources.manifest import Published


def compare(source: Source, published: Published | EllipsisType | None) -> None:
    """Store the published paper of a source with what the program finds; `...` is the one that is stored, None is none.

    A person's decision stays as long as the program asks the same question about the same two papers.
    """
    stored = Publication.objects.filter(source=source).first()
    if published is None:
        if stored:
            stored.delete()
        return
    if isinstance(published, EllipsisType):
        if stored is None:
            return
        published = Published(stored.title, tuple(stored.authors), stored.year, stored.venue, stored.doi)
    identifier = f"arXiv:{source.key}" if arxiv_id(source.key) else ""
    match = same_work(
        read_source(
            title=source.title, authors=" and ".join(source.authors), year=source.year, identifier=identifier
        ),
        read_source(
            title=published.title,
            authors=" and ".join(published.authors),
            year=published.year,
            identifier=published.doi,
        ),
    )
    values = {
        "title": published.title, "authors": list(published.authors), "year": published.year,
        "venue": published.venue, "doi": published.doi, "found": match.identity.value, "reason": match.reason,
        "evidence": [list(one) for one in match.evidence],
    }  # fmt: skip
    if stored and stored.decision and any(getattr(stored, name) != value for name, value in values.items()):
        values |= {"decision": "", "decided_by": None, "decided_at": None}
    Publication.objects.update_or_create(source=source, defaults=values)


@transaction.atomic
def decide(*, actor: User, publication: Publication, decision: str) -> Publication:
    """Answer an open question, or answer it otherwise; "" withdraws the answer."""
    if decision not in ("", *MatchDecision.values):
        known = ", ".join(MatchDecision.values)
        raise Refused(
            f"{decision!r} is not an answer; choose {known}.", code="bad_decision", field="decision"
        )
    locked = (
        Publication.objects.select_for_update(of=("self",)).select_related("source").get(pk=publication.pk)
    )
    if locked.found != Identity.ASK:
        raise Refused("The program is certain about this pair.", code="not_asked")
    if not decision and not locked.decision:
        raise Refused("There is no answer to withdraw.", code="not_decided")
    before = locked.decision
    locked.decision = decision
    locked.decided_by, locked.decided_at = (actor, timezone.now()) if decision else (None, None)
    locked.save(update_fields=["decision", "decided_by", "decided_at"])
    details = {"source": str(locked.source), "decision": decision, "before": before}
    record(actor=actor, verb="decide_publication", target=locked.source, details=details)
    return locked


def questions(show: str = "open") -> QuerySet[Publication]:
    """Pairs about which the program asks: open ones (those put off last), or those that were decided."""
    asked = Publication.objects.filter(found=Identity.ASK).select_related("source", "decided_by")
    if show == "decided":
        return asked.filter(decision__in=(MatchDecision.SAME, MatchDecision.DIFFERENT)).order_by(
            "-decided_at", "-pk"
        )
    return asked.filter(decision__in=("", MatchDecision.LATER)).order_by("decision", "source__key", "pk")


def differing(pair: Publication) -> list[tuple[str, str, str, bool]]:
    """(what, of the source, in print, whether they differ) for the two sides of a question."""
    source = pair.source
    rows = [
        ("Title", source.title, pair.title),
        ("Authors", "; ".join(source.authors), "; ".join(pair.authors)),
        ("Year", str(source.year or ""), str(pair.year or "")),
        (
            "Where",
            f"{source.key}{source.version}",
            ", ".join(part for part in (pair.venue, pair.doi) if part),
        ),
    ]
    return [
        (what, ours, theirs, what != "Where" and ours.casefold().split() != theirs.casefold().split())
        for what, ours, theirs in rows
    ]
