"""RMA: analyse, read, draft, then rounds in which proposers revise and verifiers review, over one memory."""

from collections.abc import Sequence

from solvers.memory import Memory, shown
from solvers.recipes.rma import replies as shapes
from solvers.recipes.rma.candidates import Candidate, ranked
from solvers.recipes.rma.modules import BACKGROUND, modules
from solvers.recipes.rma.settings import Settings as Settings
from solvers.recipes.rma.writing import Part, candidate_of, checked, ended_with, verified, written
from solvers.steps import Ask, CapReached, Ended, Given, Solving

TITLE = "RMA: proposers and verifiers over one memory"
PROTOCOLS = ("proofs",)
PROMPTS = shapes.PROMPTS
ROLES = {
    "module": ("needs-analysis.v1", "analyse.v1", "literature-plan.v1", "understand.v1", "knowledge.v1"),
    "initializer": ("draft.v1",),
    "proposer": ("propose.v1", "repair.v1"),
    "verifier": ("verify.v1",),
}

__all__ = ["PROMPTS", "PROTOCOLS", "ROLES", "TITLE", "Settings", "solve"]


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a problem. At a cap the best of what there is so far is the answer."""
    candidates: list[Candidate] = []
    try:
        memory.write(
            "problem", round=1, agent="init", role="initializer", text=str(given.fields["statement"])
        )
        yield from modules(given, settings, memory)
        view = shown([(name, memory.of(name)) for name in BACKGROUND], settings.context_tokens)
        question = Ask(
            "r1.draft", "draft.v1", view.fields, settings.draft_tokens, 1, "init", "draft", reads=view.reads
        )
        first = (yield from written([question], settings))[question.key]
        if first.parsed and first.document.get("abstain"):
            return Ended("abstained", "finished", {"reason": first.document.get("reason", "")})
        made = candidate_of("r1.draft", 1, "init", 0, first)
        if made is None:
            return Ended("failed", "no_reply")
        yield from _round(given, settings, memory, 1, [made], candidates)
        for round in range(2, settings.rounds + 1):
            if settings.early_stop and _satisfying(settings, candidates):
                return ended_with(_eligible(settings, candidates), settings, "finished")
            # The best of the last round that has any is what this one revises.
            last = max(one.round for one in candidates if one.round < round)
            base = ranked([one for one in candidates if one.round == last], settings.verifiers)[0]
            proposals = yield from _propose(settings, memory, base, round)
            if proposals:
                yield from _round(given, settings, memory, round, proposals, candidates)
    except CapReached as cap:
        return ended_with(_eligible(settings, candidates), settings, cap.because)
    finished = settings.early_stop and _satisfying(settings, candidates)
    return ended_with(_eligible(settings, candidates), settings, "finished" if finished else "rounds")


def _propose(settings: Settings, memory: Memory, base: Candidate, round: int) -> Part[list[Candidate]]:
    """The revised proofs of a round. Proposers read the memory as it was when the round began, not each other."""
    proofs, feedback = memory.of("proof"), memory.of("feedback")
    chosen = [entry for entry in proofs if entry.number == base.entry]
    parts = [("problem", memory.of("problem"))]  # the most important first
    if settings.memory != "stateless":
        parts.append(("chosen_draft", chosen))
        parts.append(("feedback", [entry for entry in feedback if entry.round == base.round]))
    if settings.memory == "full":
        parts.append(("other_drafts", [entry for entry in reversed(proofs) if entry not in chosen]))
        older = [entry for entry in reversed(feedback) if entry.round != base.round]
        parts.append(("other_feedback", older))
    if settings.memory != "stateless":
        parts += [(name, memory.of(name)) for name in ("literature", "knowledge")]
    view = shown(parts, settings.context_tokens)
    questions = [
        Ask(
            f"r{round}.p{number}",
            "propose.v1",
            view.fields,
            settings.draft_tokens,
            round,
            f"p{number}",
            "propose",
            reads=view.reads,
        )
        for number in range(1, settings.proposers + 1)
    ]
    replies = yield from written(questions, settings)
    made = [
        candidate_of(question.key, round, question.agent, number, replies[question.key])
        for number, question in enumerate(questions, 1)
    ]
    return [one for one in made if one is not None]


def _round(
    given: Given,
    settings: Settings,
    memory: Memory,
    round: int,
    made: Sequence[Candidate],
    candidates: list[Candidate],
) -> Part[None]:
    """What follows the writing of a round's proofs: checks by program, memory, reviews."""
    candidates += made
    try:
        yield from checked(made, settings)
    finally:
        for one in made:
            role = "initializer" if one.agent == "init" else "proposer"
            entry = memory.write(
                "proof", round=round, agent=one.agent, role=role, text=one.proof, step=one.step
            )
            one.entry = entry.number
    view = shown([(name, memory.of(name)) for name in BACKGROUND], settings.context_tokens)
    yield from verified(given, settings, memory, round, made, view.fields, view.reads)


def _satisfying(settings: Settings, candidates: Sequence[Candidate]) -> bool:
    return any(one.satisfies(settings.verifiers) for one in candidates)


def _eligible(settings: Settings, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Among which candidates the answer is chosen. A round that a cap interrupted counts as last if nothing else is."""
    if settings.select == "best" or not candidates:
        return list(candidates)
    reviewed = [one for one in candidates if len(one.verdicts) == settings.verifiers] or candidates
    last = max(one.round for one in reviewed)
    return [one for one in reviewed if one.round == last]
