"""Querysets of uploaded prompts."""

from collections.abc import Sequence

from accounts.refusal import Refused
from judging.models import UploadedPrompt


def prompts_called(protocol: str, labels: Sequence[str]) -> list[UploadedPrompt]:
    """The uploaded prompts of a protocol with these labels, such as "mask-proof.v1".

    Raises Refused for one that is not there, and for two about one predicate.
    """
    known = {
        prompt.label: prompt for prompt in UploadedPrompt.objects.filter(protocol=protocol).order_by("pk")
    }
    missing = [label for label in labels if label not in known]
    if missing:
        there = ", ".join(known) or "none"
        raise Refused(
            f"There is no uploaded prompt {missing[0]!r} for {protocol}; there are: {there}.",
            code="no_prompt",
            field="own_prompts",
        )
    found = [known[label] for label in dict.fromkeys(labels)]
    predicates = [prompt.predicate for prompt in found]
    if len(set(predicates)) < len(predicates):
        raise Refused("Choose one prompt for each predicate.", code="prompts_compete", field="own_prompts")
    return found
