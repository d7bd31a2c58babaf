"""Expert labels: campaigns, drawn items, assignments, drafts and immutable grades."""

from annotation.models.adjudication import Adjudication, Cause
from annotation.models.bank import SharedComment, SharingState
from annotation.models.calibration import CalibrationItem, CalibrationRemark, CalibrationRound
from annotation.models.campaigns import (
    Campaign,
    CampaignKind,
    CampaignSetup,
    Item,
    ProblemRule,
    Reminder,
    Rubric,
    RubricDraft,
    SetupStep,
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
from annotation.models.grades import (
    Answer,
    Comment,
    CommentKind,
    Flag,
    FlagSpan,
    Grade,
    LabelState,
    SeenBefore,
    Severity,
    Unjudged,
)
from annotation.models.guesses import GuessQuestion, SystemGuess
from annotation.models.later import LaterAnswer, LaterGrade, Occasion, SideDraft
from annotation.models.places import Assignment, AssignmentState, Draft, ReleaseReason
from annotation.models.reveal import ClaimMark, Mark, Reveal, RevealArm, ShownClaim, ShownVerdict
from annotation.models.training import (
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)
