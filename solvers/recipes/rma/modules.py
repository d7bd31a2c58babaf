"""What is done before the first draft: making the problem precise, reading sources, and the knowledge bank."""

from collections.abc import Mapping, Sequence
from typing import Any

from solvers.memory import Memory
from solvers.recipes.rma.settings import Settings
from solvers.recipes.rma.writing import Part, asked
from solvers.steps import Ask, Given, Tool

BACKGROUND = ("problem", "literature", "knowledge")


def modules(given: Given, settings: Settings, memory: Memory) -> Part[None]:
    """Write what the modules find to memory. A module whose reply cannot be read leaves nothing there."""
    yield from _analysis(settings, memory)
    if settings.literature and given.fields.get("has_artifact"):
        yield from _literature(settings, memory)
    if settings.knowledge and given.fields.get("has_bank"):
        yield from _knowledge(settings, memory)


def _problem(memory: Memory) -> dict[str, str]:
    return {"problem": "\n\n".join(entry.text for entry in memory.of("problem"))}


def _module(key: str, prompt: str, fields: Mapping[str, str], settings: Settings) -> Ask:
    return Ask(key, prompt, fields, settings.module_tokens, 1, "module", key.partition(".")[0])


def _analysis(settings: Settings, memory: Memory) -> Part[None]:
    if settings.analysis == "off":
        return
    if settings.analysis == "auto":
        question = _module("analysis.needed", "needs-analysis.v1", _problem(memory), settings)
        reply = (yield from asked([question], settings.retries))[question.key]
        if reply.parsed and not reply.document["needed"]:
            return
    question = _module("analysis", "analyse.v1", _problem(memory), settings)
    reply = (yield from asked([question], settings.retries))[question.key]
    if reply.parsed:
        said = reply.document
        lines = [said["formal"], f"Target: {said['target']}"]
        lines += [f"{one['name']}: {one['meaning']}" for one in said["symbols"]]
        lines += [f"Subgoal {one['id']}: {one['goal']}" for one in said["subgoals"]]
        lines += [f"Given: {text}" for text in said["explicit"]]
        lines += [f"Implied: {text}" for text in said["implicit"]]
        text = "\n".join(lines)
        memory.write("problem", round=1, agent="module", role="module", text=text, step=question.key)


def _literature(settings: Settings, memory: Memory) -> Part[None]:
    question = _module("literature.plan", "literature-plan.v1", _problem(memory), settings)
    reply = (yield from asked([question], settings.retries))[question.key]
    queries = list(dict.fromkeys(one["text"] for one in reply.document.get("queries", [])))
    if not queries:
        return
    searches = [
        Tool(f"literature.search{number}", "search", {"query": query}, 1, "module", "literature")
        for number, query in enumerate(queries, 1)
    ]
    found = yield searches
    ranks = [list(found[one.key].document.get("results", []))[: settings.results] for one in searches]
    # One result of each query in turn, so that no query takes all places.
    turns = [ranking[place] for place in range(settings.results) for ranking in ranks if place < len(ranking)]
    keys = list(dict.fromkeys(one["key"] for one in turns))[: settings.opened]
    if not keys:
        return
    opening = [
        Tool(f"literature.open{number}", "open", {"query": key}, 1, "module", "literature")
        for number, key in enumerate(keys, 1)
    ]
    opened = yield opening
    texts = {
        key: str(opened[one.key].document["text"])[: settings.source_chars]
        for key, one in zip(keys, opening, strict=True)
        if opened[one.key].document.get("status") == "resolved"
    }
    if not texts:
        return
    sources = {f"source_{number}": f"{key}\n{text}" for number, (key, text) in enumerate(texts.items(), 1)}
    if not settings.structured_summary:
        for number, text in enumerate(sources.values(), 1):
            step = f"literature.open{number}"
            memory.write("literature", round=1, agent="module", role="module", text=text, step=step)
        return
    question = _module("literature.understand", "understand.v1", {**_problem(memory), **sources}, settings)
    reply = (yield from asked([question], settings.retries))[question.key]
    if not reply.parsed:
        return
    said = reply.document
    items = [one for one in said["items"] if not settings.irrelevant_filter or one["fits"] == "yes"]
    lines = [said["summary"]] if said["summary"] else []
    for one in sorted(items, key=lambda item: str(item["role"])):
        lines.append(f"{one['source']}, for {one['role'] or 'the whole problem'}: {one['statement']}")
        lines += [f"  assumes: {text}" for text in one["assumptions"]]
        lines.append(f"  concludes: {one['conclusion']}")
    if summary := "\n".join(lines):
        memory.write("literature", round=1, agent="module", role="module", text=summary, step=question.key)


def _knowledge(settings: Settings, memory: Memory) -> Part[None]:
    problem = _problem(memory)
    look = Tool(
        "knowledge.search",
        "knowledge",
        {"query": problem["problem"], "k": settings.bank_entries},
        1,
        "module",
        "knowledge",
    )
    found = (yield [look])[look.key]
    entries: Sequence[Mapping[str, Any]] = found.document.get("entries", [])
    if not entries:
        return
    if not settings.assumption_check:
        memory.write(
            "knowledge",
            round=1,
            agent="module",
            role="module",
            text=str(found.document["text"]),
            step=look.key,
        )
        return
    question = _module(
        "knowledge.apply", "knowledge.v1", {**problem, "entries": str(found.document["text"])}, settings
    )
    reply = (yield from asked([question], settings.retries))[question.key]
    if not reply.parsed:
        return
    known = {str(one["key"]) for one in entries}
    used = [
        one
        for one in reply.document["used"]
        if one["entry"] in known and all(condition["status"] == "holds" for condition in one["conditions"])
    ]
    if used:
        text = "\n".join(f"{one['entry']}: {one['instance']}" for one in used)
        memory.write("knowledge", round=1, agent="module", role="module", text=text, step=question.key)
