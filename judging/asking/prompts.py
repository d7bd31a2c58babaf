"""The prompts of a protocol's predicates, and the identities that make a judge version."""

from functools import cache

from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from judging.models import Judge, RunSubject
from llm import OwnPrompt, Prompt, ReplyFormat, load_prompt

_load_once = cache(load_prompt)


def predicate_prompt(protocol: Protocol, predicate: str) -> Prompt:
    """The newest prompt of a predicate; raises KeyError for a predicate the protocol does not have."""
    names = {known.key: known.prompt for known in protocol.all_predicates}
    return _load_once(protocol.folder / "prompts" / f"{names[predicate]}.md")


def prompt_of(judge: Judge, predicate: str) -> Prompt | OwnPrompt:
    """What a judge version asks: its own prompt, whose words it holds, or the protocol's as it is today.

    Raises KeyError for a predicate that neither has.
    """
    identity, protocol = judge.prompts[predicate], get_protocol(judge.protocol)
    if "text" not in identity:
        return predicate_prompt(protocol, predicate)
    return OwnPrompt(
        label=identity["name"],
        body=identity["text"],
        sha256=identity["sha256"],
        headings=tuple((name, heading) for name, heading in identity["fields"]),
        labels=predicate_prompt(protocol, predicate).labels,
        reply=ReplyFormat(**{**identity["reply"], "other": tuple(identity["reply"]["other"])})
        if identity["reply"]
        else None,
    )


def step_question(protocol: str, predicate: str) -> str:
    """The stepwise question of rubrics that the predicate's prompt also asks about every step; "" for most."""
    known = {known.key: known.steps for known in get_protocol(protocol).output_predicates}
    return known.get(predicate, "")


def pair_predicates(protocol: str) -> frozenset[str]:
    """Those predicates of the protocol called `protocol` that compare two outputs."""
    return frozenset(predicate.key for predicate in get_protocol(protocol).pair_predicates)


def predicates_about(subject: str, judge: Judge) -> list[str]:
    """The judge's predicates that a run with this RunSubject can ask, in the judge's order."""
    about_instances = {predicate.key for predicate in get_protocol(judge.protocol).instance_predicates}
    wanted = subject == RunSubject.INSTANCE
    return [predicate for predicate in judge.prompts if (predicate in about_instances) == wanted]


def asked_unless_named(subject: str, judge: Judge) -> list[str]:
    """What a run without named predicates asks: all but the diagnostic ones."""
    diagnostic = {predicate.key for predicate in get_protocol(judge.protocol).diagnostic_predicates}
    return [predicate for predicate in predicates_about(subject, judge) if predicate not in diagnostic]


def prompt_identities(protocol: Protocol) -> dict[str, dict[str, str]]:
    """Predicate to its prompt's file name and SHA-256."""
    return {
        predicate.key: {"name": predicate.prompt, "sha256": predicate_prompt(protocol, predicate.key).sha256}
        for predicate in protocol.all_predicates
    }
