"""Two runs of the same masking on the same proofs: how far they mask and recover the same. Pure.

STATISTICS.md 1.4. A mask of the first run is found again if its normalised formula is one of the second run's masks of
the same proof; a mask of a proof that the second run did not mask is not found again and counts. Experts may say of
others that they are as good as found (`proximate`). Dependencies are the labels that a problem refers to; their
agreement, over proofs that both runs masked, is a Jaccard index, though the paper calls it recall. The text around the
proof is compared by symmetric BLEU-4.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchmark.citations.folding import undelimited
from benchmark.protocols.masked_steps.schema import Mask
from stats.core.estimate import Reason, undefined
from stats.core.intervals import proportion
from stats.scores.bleu import bleu_summary

Proof = tuple[str, int | str]
_REFERENCE = re.compile(r"\\(?:ref|eqref|cref|Cref|autoref|label)\s*\{([^{}]*)\}")


def labels(text: str) -> frozenset[str]:
    """The labels that a text refers to or sets."""
    return frozenset(
        name.strip() for found in _REFERENCE.findall(text) for name in found.split(",") if name.strip()
    )


def reproducibility(
    first: Iterable[Mapping[str, Any]], second: Iterable[Mapping[str, Any]], proximate: Collection[str] = ()
) -> dict[str, object]:
    """The document of two runs; `proximate` are the keys of first masks that experts found in other words.

    Raises ValueError if a mask of `proximate` is not of the first run, or is found again anyway.
    """
    one, two = _by_proof(first), _by_proof(second)
    shared = sorted(one.keys() & two.keys())
    found = {
        str(mask.index): undelimited(mask.mask_content)
        in {undelimited(m.mask_content) for m in two.get(proof, ())}
        for proof, masks in one.items()
        for mask in masks
    }
    wrong = sorted(index for index in set(proximate) if found.get(index, True))
    if wrong:
        raise ValueError(f"mask {wrong[0]} is not among those of the first run that were not found again")
    exact = sum(found.values())
    # labels of both runs over labels of either, summed over proofs
    common = union = 0
    for proof in shared:
        mine, theirs = (frozenset().union(*(labels(m.problem) for m in run[proof])) for run in (one, two))
        common, union = common + len(mine & theirs), union + len(mine | theirs)
    jaccard = proportion(common, union) if union else undefined("wilson", Reason.ZERO_DENOM, n=0)
    bleu = bleu_summary((one[proof][0].problem, two[proof][0].problem) for proof in shared)
    return {
        "proofs": {
            "shared": len(shared),
            "first_only": len(one) - len(shared),
            "second_only": len(two) - len(shared),
        },
        "shares": {
            "masks_exact": proportion(exact, len(found)).as_json(),
            "masks_with_proximate": proportion(exact + len(set(proximate)), len(found)).as_json(),
            "dependencies_jaccard": jaccard.as_json(),
        },
        "context_bleu": vars(bleu).copy() if bleu else None,
    }


def _by_proof(payloads: Iterable[Mapping[str, Any]]) -> Mapping[Proof, list[Mask]]:
    grouped: dict[Proof, list[Mask]] = defaultdict(list)
    for mask in map(Mask.model_validate, payloads):
        grouped[mask.proof].append(mask)
    return grouped
