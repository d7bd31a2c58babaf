"""A scripted world: drafts are right or wrong, verifiers err, and all is drawn from a seed and the name of a step.

It exists three times: as an exact law (enumeration in fractions), as a reference (plain loops without queue, prompts or
memory), and as a model that answers through the real prompts. The truth of a draft is an opaque token in its text.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from solvers.keys import idempotency_key

TOKEN = re.compile(r"Token ([0-9a-f]{64}) of ([0-9a-zA-Z.|:_-]{1,200})\.")


@dataclass(frozen=True)
class World:
    """The first draft is right with p0; a wrong base is made right with p and a right one spoilt with d; a verifier
    says sound of a right proof with s and of a wrong one with f."""

    p0: Fraction = Fraction(1, 10)
    p: Fraction = Fraction(1, 5)
    d: Fraction = Fraction(1, 10)
    s: Fraction = Fraction(4, 5)
    f: Fraction = Fraction(1, 5)


@dataclass(frozen=True)
class Shape:
    """Of a run: rounds N, proposers Kp, verifiers Kv."""

    rounds: int = 5
    proposers: int = 3
    verifiers: int = 3
    early_stop: bool = False
    stateless: bool = False


# --- the exact law -------------------------------------------------------------------------------------------------


def _binomial(n: int, q: Fraction) -> list[Fraction]:
    return [comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]


def chosen(world: World, q: Fraction, candidates: int, verifiers: int) -> dict[tuple[int, bool], Fraction]:
    """The law of (votes, truth) of the candidate with most votes, of so many that are each right with q.

    Candidates are alike, so whether the chosen one is right depends on its votes alone.
    """
    right, wrong = _binomial(verifiers, world.s), _binomial(verifiers, world.f)
    law, below = {}, Fraction(0)
    for votes in range(verifiers + 1):
        joint = {True: q * right[votes], False: (1 - q) * wrong[votes]}
        upto = below + joint[True] + joint[False]
        most = upto**candidates - below**candidates  # P(the most votes are exactly these)
        for truth, of in joint.items():
            law[votes, truth] = most * of / (joint[True] + joint[False]) if most else Fraction(0)
        below = upto
    return law


def exact(world: World, shape: Shape) -> tuple[Fraction, Fraction, Fraction]:
    """(probability that the result is right, expected rounds, expected calls)."""
    ended, rounds, calls = Fraction(0), Fraction(0), Fraction(0)
    base = {
        True: Fraction(0),
        False: Fraction(0),
    }  # probability of going on with a base that is right or wrong
    for number in range(1, shape.rounds + 1):
        if number == 1:
            parts = [(Fraction(1), world.p0, 1)]
        else:
            improved = world.p if shape.stateless else 1 - world.d
            parts = [(base[True], improved, shape.proposers), (base[False], world.p, shape.proposers)]
        alive = sum((weight for weight, _, _ in parts), Fraction(0))
        rounds += alive
        calls += alive * (parts[0][2] + shape.verifiers)
        base = {True: Fraction(0), False: Fraction(0)}
        for weight, q, candidates in parts:
            for (votes, truth), of in chosen(world, q, candidates, shape.verifiers).items():
                if shape.early_stop and shape.verifiers and votes == shape.verifiers:
                    ended += weight * of * truth
                else:
                    base[truth] += weight * of
    return ended + base[True], rounds, calls


def exact_best_of(world: World, n: int, verifiers: int = 3) -> Fraction:
    """The probability that the best of n independent drafts is right."""
    return sum((of for (_, truth), of in chosen(world, world.p0, n, verifiers).items() if truth), Fraction(0))


# --- draws ---------------------------------------------------------------------------------------------------------


def _below(probability: Fraction, seed: int, *names: str) -> bool:
    drawn = int.from_bytes(hashlib.sha256("|".join([str(seed), *names]).encode()).digest()[:8])
    return Fraction(drawn, 2**64) < probability


def token(seed: int, key: str, truth: bool) -> str:
    return hashlib.sha256(f"{seed}|{key}|{int(truth)}".encode()).hexdigest()


def is_right(seed: int, proof: str) -> bool:
    """The truth of a draft, as only the world can read it."""
    found = TOKEN.search(proof)
    assert found, proof[:200]
    return token(seed, found[2], truth=True) == found[1]


# --- the reference: plain loops -------------------------------------------------------------------------------------


def reference(world: World, shape: Shape, seed: int, name: Callable[[str], str]) -> tuple[str, bool, int]:
    """(token of the result, its truth, steps). `name` makes the key that is sent of a step's key."""

    def votes(round: int, key: str, truth: bool) -> int:
        said = [name(f"r{round}.v{number}") for number in range(1, shape.verifiers + 1)]
        mine = token(seed, name(key), truth)
        return sum(_below(world.s if truth else world.f, seed, one, mine) for one in said)

    key, truth = "r1.draft", _below(world.p0, seed, name("r1.draft"))
    most, steps = votes(1, key, truth), 1 + shape.verifiers
    for round in range(2, shape.rounds + 1):
        if shape.early_stop and shape.verifiers and most == shape.verifiers:
            break
        base, best = truth and not shape.stateless, None
        for number in range(1, shape.proposers + 1):
            mine = f"r{round}.p{number}"
            drawn = _below(world.d if base else world.p, seed, name(mine))
            right = not drawn if base else drawn
            found = votes(round, mine, right)
            if best is None or found > best[0]:
                best = found, mine, right
        assert best is not None
        most, key, truth = best
        steps += shape.proposers + shape.verifiers
    return token(seed, name(key), truth), truth, steps


def key_of(solver: str, seed: int, instance: str, attempt: int) -> Callable[[str], str]:
    """The key that is sent of a step's key."""
    return lambda step: idempotency_key(solver, seed, instance, attempt, step)


# --- the model -----------------------------------------------------------------------------------------------------


def answer(world: World, seed: int, request: Mapping[str, Any], key: str) -> str:
    """What the model replies to a question with this key, read from the prompt that was sent."""
    system, user = (message["content"] for message in request["messages"])
    schema = json.loads(system.partition("It follows this JSON schema:\n")[2].partition("\n")[0])
    asked = schema["title"]
    if asked == "Reviews":
        reviews = []
        for number, text in _fields(user, r"candidate_(\d+)"):
            found = TOKEN.search(text)
            assert found, text[:200]
            truth = is_right(seed, text)
            sound = _below(world.s if truth else world.f, seed, key, found[1])
            marks = dict.fromkeys(("grounding", "faithfulness", "gap_free", "constructive", "format"), "pass")
            verdict = "sound" if sound else "flawed"
            reviews.append(
                {"candidate": int(number), "verdict": verdict, "commandments": marks, "issues": []}
            )
        return json.dumps({"reviews": reviews})
    if asked == "Draft":
        truth = _below(world.p0, seed, key)
        return json.dumps({"proof_latex": f"Token {token(seed, key, truth)} of {key}."})
    assert asked == "Proposal", asked
    drafts = [text for _, text in _fields(user, "(chosen_draft)")]
    base = bool(drafts) and is_right(seed, drafts[0])
    drawn = _below(world.d if base else world.p, seed, key)
    truth = not drawn if base else drawn
    return json.dumps({"proof_latex": f"Token {token(seed, key, truth)} of {key}."})


def _fields(user: str, name: str) -> list[tuple[str, str]]:
    """(what the name's group found, text) of each framed field with such a name."""
    framed = rf"\[\[DATA {name} ([A-Za-z0-9]+)\]\]\n(.*?)\n\[\[END [a-z_0-9]+ \2\]\]"
    return [(hit[1], hit[3]) for hit in re.finditer(framed, user, re.DOTALL)]
