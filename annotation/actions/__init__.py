"""The verbs that write expert labels: keyword-only, atomic, each with its audit row."""

from annotation.actions.adjudicating import adjudicate
from annotation.actions.assigning import (
    apply_plan,
    plan_assignment,
    release_assignment,
    release_late,
    say_out_of_field,
    take_anywhere,
    take_next,
    take_next_of,
)
from annotation.actions.calibrating import (
    answer_again,
    discuss,
    end_calibration,
    make_calibration,
    reveal_calibration,
    save_second_answers,
)
from annotation.actions.campaigns import (
    close_campaign,
    create_campaign,
    draw_items,
    open_campaign,
    require_staff,
    set_least_authors,
)
from annotation.actions.conflicts import (
    apply_conflicts,
    decide_conflict,
    enter_conflict,
    fix_conflicts,
)
from annotation.actions.grading import (
    DraftConflict,
    NoPlace,
    Sent,
    open_item,
    reopen_grade,
    revise_grade,
    save_draft,
    submit_grade,
    submit_or_revise,
)
from annotation.actions.guessing import ask_for_guesses, guess_system
from annotation.actions.pairs import draw_pairs
from annotation.actions.quarantine import decide_identity, redact_release, withdraw_decision
from annotation.actions.reminding import remind_campaign, remind_due
from annotation.actions.revealing import (
    VerdictCopy,
    amend_after_verdict,
    attach_verdicts,
    mark_claims,
    save_amendment,
)
from annotation.actions.revising import discard_draw, keep_setup, revise_campaign
from annotation.actions.rubrics import import_rubrics
from annotation.actions.sharing import decide_comment, propose_comment, share_comment
from annotation.actions.training import answer_training, attach_training, save_training_draft, skip_training
from annotation.actions.unblinding import confirm_unblinding, request_unblinding, withdraw_unblinding

__all__ = [
    "DraftConflict",
    "NoPlace",
    "Sent",
    "VerdictCopy",
    "adjudicate",
    "amend_after_verdict",
    "answer_again",
    "answer_training",
    "apply_conflicts",
    "apply_plan",
    "ask_for_guesses",
    "attach_training",
    "attach_verdicts",
    "close_campaign",
    "confirm_unblinding",
    "create_campaign",
    "decide_comment",
    "decide_conflict",
    "decide_identity",
    "discard_draw",
    "discuss",
    "draw_items",
    "draw_pairs",
    "end_calibration",
    "enter_conflict",
    "fix_conflicts",
    "guess_system",
    "import_rubrics",
    "keep_setup",
    "make_calibration",
    "mark_claims",
    "open_campaign",
    "open_item",
    "plan_assignment",
    "propose_comment",
    "redact_release",
    "release_assignment",
    "release_late",
    "remind_campaign",
    "remind_due",
    "reopen_grade",
    "request_unblinding",
    "require_staff",
    "reveal_calibration",
    "revise_campaign",
    "revise_grade",
    "save_amendment",
    "save_draft",
    "save_second_answers",
    "save_training_draft",
    "say_out_of_field",
    "set_least_authors",
    "share_comment",
    "skip_training",
    "submit_grade",
    "submit_or_revise",
    "take_anywhere",
    "take_next",
    "take_next_of",
    "withdraw_decision",
    "withdraw_unblinding",
]
