"""What analyses return, as the JSON that REST, commands and artifacts give of it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from canonical.documents import as_json
from reports.audit.corrections import corrected
from reports.audit.document import judge_audit
from reports.campaign.agreement import agreement_by_question
from reports.campaign.blinding import blinding
from reports.campaign.calibration import calibration_agreement
from reports.campaign.monitoring import anchoring_of, monitoring
from reports.campaign.reliability import reliability
from reports.campaign.results import campaign_results, monitored_reviewers, question_reliability
from reports.cases.study import case_table
from reports.comparison.document import comparison
from reports.conditions.document import conditions
from reports.judges.choosing import judge_matrix
from reports.judges.pairs import judge_pair
from reports.scores.document import score
from reports.scores.expert_scores import expert_scores
from reports.scores.judge_scores import metric_score
from reports.scores.success_types import success_types_rows as success_types


def _as_document(analysis: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(analysis)
    def document(*args: Any, **kwargs: Any) -> Any:
        return as_json(analysis(*args, **kwargs))

    return document


agreement_document = _as_document(agreement_by_question)
anchoring_document = _as_document(anchoring_of)
blinding_document = _as_document(blinding)
calibration_document = _as_document(calibration_agreement)
campaign_results_document = _as_document(campaign_results)
case_document = _as_document(case_table)
comparison_document = _as_document(comparison)
condition_document = _as_document(conditions)
corrected_document = _as_document(corrected)
expert_document = _as_document(expert_scores)
judge_audit_document = _as_document(judge_audit)
judge_pair_document = _as_document(judge_pair)
matrix_document = _as_document(judge_matrix)
metric_document = _as_document(metric_score)
monitoring_document = _as_document(monitoring)
question_document = _as_document(question_reliability)
reliability_document = _as_document(reliability)
reviewers_document = _as_document(monitored_reviewers)
score_document = _as_document(score)
success_types_rows = _as_document(success_types)
