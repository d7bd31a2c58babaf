"""Re2Math: the need is planned (E1), turned into a query (E2), one result is chosen (E3) and read (E4), or the cited
source is handed over (E7). One query, twenty results, one source at most."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from solvers.memory import Memory
from solvers.recipes.gaps.blocks import blocks_of, pieces_of
from solvers.recipes.rma.replies import Line, Shape, Text
from solvers.recipes.rma.writing import Part, asked
from solvers.steps import Ask, CapReached, Document, Ended, Given, Solving, Tool

TITLE = "Gaps closed from the literature"
PROTOCOLS = ("re2math",)
SHARES = ("rma",)
TOP = 20
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# Our list of words that say nothing in a query; the authors' code has one of its own, of 22 words.
_STOP = frozenset({
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the", "this",
    "to", "we", "which", "with",
})  # fmt: skip


class Plan(Shape):
    """What the next step of the proof needs."""

    planning_anchor: Text


class Query(Shape):
    query: Annotated[str, Field(min_length=1, max_length=500)]


class Chosen(Shape):
    """A result by its number, or none."""

    index: int | None
    title: Line = ""
    reason: Line = ""


class Solved(Shape):
    """The statement taken from the source, or none."""

    relevance_score: Annotated[int, Field(ge=0, le=10)]
    reason: Text = ""
    extracted_theorem: Text | None


class Taken(Shape):
    """The statement taken from the cited source, or none."""

    reason: Text = ""
    extracted_theorem: Text | None


PROMPTS: dict[str, type[BaseModel]] = {
    "plan.v1": Plan,
    "query.v1": Query,
    "choose.v1": Chosen,
    "read.v1": Solved,
    "oracle.v1": Taken,
}
ROLES = {
    "plan": ("plan.v1",),
    "query": ("query.v1",),
    "choose": ("choose.v1",),
    "read": ("read.v1", "oracle.v1"),
}


class Settings(BaseModel):
    """Defaults are the paper's; where the released code differs, `settings/released-code.json` has its choice."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    query_words: Annotated[int, Field(ge=1, le=50)] | None = None
    """Cut a query to its first words; the released code keeps five."""
    shortlist_fallback: Literal["abstain", "first"] = "abstain"
    """What an unreadable choice means; in the released code, the first result."""
    exclude_citing: Literal["at_selection", "by_judge_only"] = "at_selection"
    """Whether the citing paper can be opened."""
    least_score: Annotated[int, Field(ge=0, le=10)] = 0
    """A statement counts only with at least this relevance; 6 in the released code."""
    snippet_chars: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Of each result, 360 in the released code."""
    source_chars: Annotated[int, Field(ge=100, le=1_000_000)] = 80_000
    """Of a source that was found."""
    oracle_source: Literal["fulltext", "blocks"] = "fulltext"
    """How the cited source is handed over: whole, or as at most 24 passages around its statements. The released code
    has both."""
    oracle_chars: Annotated[int, Field(ge=100, le=1_000_000)] = 150_000
    """Of a cited source that is handed over whole, as in the released code."""
    retries: Annotated[int, Field(ge=0, le=3)] = 1
    """How often a reply that is not the object asked for is asked for again."""
    short_tokens: Annotated[int, Field(ge=1, le=100_000)] = 1_024
    read_tokens: Annotated[int, Field(ge=1, le=100_000)] = 4_000


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a gap. What was planned and asked is part of the result, also where nothing was found."""
    result: dict[str, Any] = {}
    try:
        context = {
            name: str(given.fields[name]) for name in ("setup", "target", "local") if given.fields.get(name)
        }
        if given.fields.get("oracle"):
            return (yield from _read_cited(settings, context, given.fields["oracle"], result))
        anchor = str(given.fields.get("anchor") or "")
        if not anchor:
            planned = yield from _short(settings, "plan", "plan.v1", context)
            if planned is None:
                return Ended("failed", "no_reply", result)
            anchor = planned["planning_anchor"]
            result["planning_anchor"] = anchor
        queried = yield from _short(settings, "query", "query.v1", {**context, "need": anchor})
        if queried is None:
            return Ended("failed", "no_reply", result)
        result["query"] = query = cut_query(queried["query"], settings.query_words)
        found = (yield [Tool("search", "search", {"query": query}, phase="search")])["search"]
        shown = list(found.document.get("results", []))[:TOP]
        sources = [source_of(one) for one in shown]
        # Several statements of one paper are one candidate.
        result["candidates"] = [one for place, one in enumerate(sources) if one not in sources[:place]]
        if not shown:
            return Ended("abstained", "finished", {**result, "reason": "The search found nothing."})
        listed = "\n".join(
            f"{number}. {one['title'] or one['key']} ({', '.join(one.get('authors', ()))}, "
            f"{one.get('year') or 'n.d.'})\n{str(one.get('snippet', ''))[: settings.snippet_chars]}"
            for number, one in enumerate(shown, 1)
        )
        chosen = yield from _short(
            settings, "choose", "choose.v1", {**context, "need": anchor, "results": listed}
        )
        if chosen is None and settings.shortlist_fallback == "abstain":
            return Ended("failed", "no_reply", result)
        index = 1 if chosen is None else chosen["index"]
        if index is None or not 1 <= index <= len(shown):
            return Ended("abstained", "finished", {**result, "reason": "No result was chosen."})
        source = shown[index - 1]
        citing = str(given.fields.get("citing") or "")
        if (
            settings.exclude_citing == "at_selection"
            and citing
            and citing in (source["key"], source.get("paper"))
        ):
            return Ended("abstained", "finished", {**result, "reason": "The citing paper itself was chosen."})
        opened = yield [Tool("open", "open", {"query": source["key"]}, phase="open")]
        return (yield from _read(settings, context, source, opened["open"].document, result))
    except CapReached as cap:
        return Ended("failed", cap.because, result)


def _short(settings: Settings, key: str, prompt: str, fields: dict[str, str]) -> Part[Document | None]:
    question = Ask(key, prompt, fields, settings.short_tokens, phase=key)
    reply = (yield from asked([question], settings.retries))[key]
    return reply.document if reply.parsed else None


def _read(
    settings: Settings, context: dict[str, str], source: Document, opened: Document, result: dict[str, Any]
) -> Part[Ended]:
    """What the one source says for the gap."""
    result["selected_source"] = source_of(source)
    if opened.get("status") != "resolved":
        return Ended("abstained", "finished", {**result, "reason": "The source could not be read."})
    text = str(opened["text"])[: settings.source_chars]
    question = Ask("read", "read.v1", {**context, "source": text}, settings.read_tokens, phase="read")
    reply = (yield from asked([question], settings.retries))["read"]
    if not reply.parsed:
        return Ended("failed", "no_reply", result)
    statement = reply.document["extracted_theorem"] or ""
    if not statement.strip() or reply.document["relevance_score"] < settings.least_score:
        return Ended("abstained", "finished", {**result, "reason": reply.document["reason"]})
    return Ended("answered", "finished", {**result, "statement": statement})


def _read_cited(
    settings: Settings, context: dict[str, str], source: Document, result: dict[str, Any]
) -> Part[Ended]:
    """What the cited source says for the gap (E7). An attempt whose source is not there has no output."""
    result["selected_source"] = source_of(source)
    asked_for = {"query": source["key"], "cited": source["names"]}
    opened = (yield [Tool("open", "open", asked_for, phase="open")])["open"].document
    text = str(opened.get("text", "")) if opened.get("status") == "resolved" else ""
    if not text.strip():
        reason = "The cited source could not be read."
        return Ended("abstained", "finished", {**result, "no_output": True, "reason": reason})
    rules = ""
    if settings.oracle_source == "blocks":
        blocks = blocks_of(text)
        result["source_shown"] = "blocks" if blocks else "beginning"
        blocks = blocks or pieces_of(text)
        text = "\n\n".join(f"[BLOCK {number}]\n{block}" for number, block in enumerate(blocks, 1))
        rules = "The source is given in passages, each below its number."
    else:
        result["source_shown"] = "fulltext"
        text = text[: settings.oracle_chars]
    question = Ask(
        "read", "oracle.v1", {**context, "source": text}, settings.read_tokens, phase="read", rules=rules
    )
    reply = (yield from asked([question], settings.retries))["read"]
    if not reply.parsed:
        return Ended("failed", "no_reply", result)
    statement = reply.document["extracted_theorem"] or ""
    if not statement.strip():
        return Ended("abstained", "finished", {**result, "reason": reply.document["reason"]})
    return Ended("answered", "finished", {**result, "statement": statement})


def cut_query(query: str, words: int | None) -> str:
    """The query, or its first words that say something."""
    if words is None:
        return query.strip()
    said = [word for word in _WORD.findall(query) if word.lower() not in _STOP]
    return " ".join(said[:words]) or query.strip()


def source_of(result: Document) -> dict[str, Any]:
    """A result as an output names its source."""
    return {
        "title": result.get("title") or result.get("paper") or result["key"],
        "authors": " and ".join(result.get("authors", ())),
        "year": result.get("year"),
        "identifier": result.get("paper") or "",
    }
