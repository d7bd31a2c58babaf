"""Writing and verifying proofs: what RMA and its baselines share."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from solvers.memory import Memory
from solvers.recipes.rma.candidates import Candidate, feedback_of, order_for, ranked, take_reviews
from solvers.recipes.rma.settings import Drafting
from solvers.steps import Ask, Because, Ended, Given, Reply, Step, Tool

Result = TypeVar("Result")
Part = Generator[Sequence[Step], Mapping[str, Reply], Result]  # a part of a recipe, with what it comes to
Asking = Part[dict[str, Reply]]

COMMANDMENTS = {
    "grounding": "every claim that is not trivial has a source or is derived",
    "faithfulness": "the statement that is proved is the problem's own, neither weakened nor simplified",
    "gap_free": "every inference is justified; nothing is left to the reader that is not routine",
    "constructive": "where the problem asks for an object or an algorithm, the proof gives it",
    "format": "the LaTeX compiles, statements are in environments, equations are numbered, references resolve",
}


def asked(questions: Sequence[Ask], retries: int) -> Asking:
    """The replies to questions; a reply that is not the object asked for is asked for again, as `KEY.again1`."""
    replies = dict((yield questions))
    for time in range(1, retries + 1):
        again = [one for one in questions if replies[one.key].state == "unparsed"]
        if not again:
            break
        keys = {one.key: f"{one.key}.again{time}" for one in again}
        more = yield [replace(one, key=keys[one.key]) for one in again]
        replies |= {key: more[new] for key, new in keys.items()}
    return replies


def written(questions: Sequence[Ask], settings: Drafting) -> Asking:
    """The replies to questions for proofs. Where a reply requests something, it is looked up and shown, and the same
    question is put again."""
    replies = yield from asked(questions, settings.retries)
    latest = {one.key: one for one in questions}
    for time in range(1, settings.tool_steps + 1):
        requests = {key: replies[key].document.get("request") for key in latest if replies[key].parsed}
        wanted = {key: said for key, said in requests.items() if said}
        if not wanted:
            break
        tools = [
            Tool(
                f"{key}.tool{time}",
                said["tool"],
                {"query": said["query"]},
                latest[key].round,
                latest[key].agent,
            )
            for key, said in wanted.items()
        ]
        results = yield tools
        again = []
        for key in wanted:
            one, request, result = latest[key], wanted[key], results[f"{key}.tool{time}"]
            told = result.document.get("text", "") if result.parsed else "The tool gave no result."
            found = f"{request['tool']} {request['query']}\n{told}"
            before = one.fields.get("looked_up", "")
            fields = {**one.fields, "looked_up": f"{before}\n\n{found}".strip()}
            again.append(replace(one, key=f"{key.partition('.more')[0]}.more{time}", fields=fields))
        more = yield from asked(again, settings.retries)
        for key, one in zip(list(wanted), again, strict=True):
            replies[key] = more[one.key]
            latest[key] = replace(latest[key], fields=one.fields)
    return replies


def checked(candidates: Sequence[Candidate], settings: Drafting) -> Part[None]:
    """Let a program look for faults in the LaTeX, and send those back at most `repairs` times."""
    for time in range(settings.repairs + 1 if settings.repairs else 0):
        tools = [
            Tool(f"{one.name}.check{time}", "check", {"latex": one.proof}, one.round, one.agent, "check")
            for one in candidates
            if time == 0 or one.faults
        ]
        if not tools:
            break
        found = yield tools
        faulty = []
        for one in candidates:
            reply = found.get(f"{one.name}.check{time}")
            if reply is not None:
                one.faults = len(reply.document.get("faults", [])) if reply.parsed else 0
                faulty += [(one, reply)] if one.faults else []
        if not faulty or time == settings.repairs:
            break
        questions = [
            Ask(
                f"{one.name}.repair{time + 1}",
                "repair.v1",
                {"proof": one.proof, "faults": "\n".join(map(str, reply.document["faults"]))},
                settings.draft_tokens,
                one.round,
                one.agent,
                "repair",
            )
            for one, reply in faulty
        ]
        replies = yield from asked(questions, settings.retries)
        for (one, _), question in zip(faulty, questions, strict=True):
            reply = replies[question.key]
            if reply.parsed and reply.document["proof_latex"].strip():
                one.proof, one.step = reply.document["proof_latex"], question.key


def verified(
    given: Given,
    settings: Drafting,
    memory: Memory,
    round: int,
    candidates: Sequence[Candidate],
    background: Mapping[str, str],
    reads: Sequence[int] = (),
) -> Asking:
    """Let each verifier review all candidates of a round, and write what they say to memory, by verifier."""
    rules = "Examine these commandments, and mark all others na:\n" + "\n".join(
        f"- {name}: {COMMANDMENTS[name]}" for name in settings.commandments
    )
    questions, orders = [], {}
    for number in range(1, settings.verifiers + 1):
        key = f"r{round}.v{number}"
        orders[key] = order = order_for(given, key, candidates)
        fields = {f"candidate_{place}": one.proof for place, one in enumerate(order, 1)}
        questions.append(
            Ask(
                key,
                "verify.v1",
                {**background, **fields},
                settings.review_tokens,
                round,
                f"v{number}",
                "verify",
                rules,
                tuple(reads),
            )
        )
    if not questions:
        return {}
    replies = yield from asked(questions, settings.retries)
    for question in questions:
        take_reviews(replies[question.key], orders[question.key], settings.commandments)
        if text := feedback_of(replies[question.key], orders[question.key]):
            memory.write(
                "feedback", round=round, agent=question.agent, role="verifier", text=text, step=question.key
            )
    return replies


def candidate_of(name: str, round: int, agent: str, number: int, reply: Reply) -> Candidate | None:
    """The proof in a reply, None where there is none."""
    proof = reply.document.get("proof_latex", "") if reply.parsed else ""
    if not proof.strip():
        return None
    return Candidate(name, round, agent, number, proof, reply.document.get("answer"), name)


def ended_with(candidates: Sequence[Candidate], settings: Drafting, because: Because) -> Ended:
    """The end of an attempt that has these candidates, the best of which is its answer."""
    order = ranked(candidates, settings.verifiers)
    ranking = tuple(one.shown() for one in order)
    if not order:
        return Ended("failed", because)
    best = order[0]
    if settings.release == "only_sound" and not best.satisfies(settings.verifiers):
        return Ended("abstained", because, {"reason": "No candidate was sound to all verifiers."}, ranking)
    result = {"proof_latex": best.proof, "answer": best.answer, "candidate": best.name, "rounds": best.round}
    return Ended("answered", because, result, ranking)
