"""What calls to a judge's model cost, and the most that one can."""

from decimal import Decimal

from django.conf import settings
from django.db import DatabaseError

from judging.asking.questions import question
from judging.models import Judge, JudgeTask
from work.endpoints import declared_endpoints
from work.kinds import Use

MILLION = Decimal(1_000_000)
_NONCE = "0" * 32  # of the length of the real one


def completion_limit(judge: Judge) -> int | None:
    """The most tokens of a reply, by the judge's decoding; None when it sets no limit.

    Of two limits a server may keep either. Judges from before such numbers were refused may have one below 1.
    """
    limits = [judge.decoding.get(name) for name in ("max_tokens", "max_completion_tokens")]
    return max((limit for limit in limits if type(limit) is int and limit > 0), default=None)


def use_of(judge: Judge, prompt_tokens: int, completion_tokens: int) -> Use:
    """The use of one call at the judge's prices."""
    prices = {kind: Decimal(str(judge.prices.get(kind, 0))) for kind in ("prompt", "completion")}
    cost = prompt_tokens * prices["prompt"] + completion_tokens * prices["completion"]
    return Use(prompt_tokens + completion_tokens, cost / MILLION)


def most_of_one_call(task: JudgeTask) -> Use:
    """The most that one request for a task can use; nothing for a task that cannot be asked at all.

    Whatever keeps it from being asked fails the task when its turn comes. Here it would end the worker.
    """
    judge = task.run.judge
    try:
        return use_of(judge, question(task, _NONCE).most_tokens, completion_limit(judge) or 0)
    except DatabaseError:
        raise
    except Exception:  # noqa: BLE001 # what a protocol makes of a payload can raise anything
        return Use()


def attempts(judge: Judge) -> int:
    """How often the client may send one request here."""
    endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS).get(judge.endpoint)
    return endpoint.max_attempts if endpoint else 1
