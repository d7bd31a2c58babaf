"""Expert labels: campaigns, drawn items, assignments, drafts and immutable grades."""

from annotation.models.adjudication import Adjudication, Cause
from annotation.models.bank import SharedComment, SharingState
from annotation.models.calibration import CalibrationItem, CalibrationRemark, CalibrationRound
from annotation.models.campaigns import (
    Campaign,
    CampaignKind,
    Item,
    ProblemRule,
    Reminder,
    SplitBy,
    Unblinding,
)
from annotation.models.conflicts import (
    DEFAULT_LEAST,
    ConflictsFixed,
    ConflictTarget,
    Exclusion,
    LeastAuthors,
    TargetKind,
)
from annotation.models.flags import Flag, FlagSpan
from annotation.models.grades import Answer, Comment, CommentKind, Grade, LabelState, Severity
from annotation.models.guesses import GuessQuestion, SystemGuess
from annotation.models.later import LaterAnswer, LaterGrade, Occasion
from annotation.models.places import Assignment, AssignmentState, Draft, ReleaseReason
from annotation.models.reasons import SeenBefore, Unjudged
from annotation.models.reveal import ClaimMark, Mark, Reveal, RevealArm, ShownClaim, ShownVerdict
from annotation.models.rubrics import Rubric, RubricDraft
from annotation.models.setup import CampaignSetup, SetupStep
from annotation.models.side_drafts import SideDraft
from annotation.models.training import (
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)

__all__ = [
    "DEFAULT_LEAST",
    "Adjudication",
    "Answer",
    "Assignment",
    "AssignmentState",
    "CalibrationItem",
    "CalibrationRemark",
    "CalibrationRound",
    "Campaign",
    "CampaignKind",
    "CampaignSetup",
    "Cause",
    "ClaimMark",
    "Comment",
    "CommentKind",
    "ConflictTarget",
    "ConflictsFixed",
    "Draft",
    "Exclusion",
    "Flag",
    "FlagSpan",
    "Grade",
    "GuessQuestion",
    "Item",
    "LabelState",
    "LaterAnswer",
    "LaterGrade",
    "LeastAuthors",
    "Mark",
    "Occasion",
    "ProblemRule",
    "ReleaseReason",
    "Reminder",
    "Reveal",
    "RevealArm",
    "Rubric",
    "RubricDraft",
    "SeenBefore",
    "SetupStep",
    "Severity",
    "SharedComment",
    "SharingState",
    "ShownClaim",
    "ShownVerdict",
    "SideDraft",
    "SplitBy",
    "SystemGuess",
    "TargetKind",
    "TrainingAnswer",
    "TrainingAttempt",
    "TrainingGold",
    "TrainingItem",
    "TrainingSet",
    "TrainingSkip",
    "Unblinding",
    "Unjudged",
]
