"""The eight steps of a study in words, and the one thing to do next. Decided from what `facts` counted."""

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from annotation.core.phases import Phase
from reports.hub.facts import Facts, Round
from stats.core.text import counted


class State(StrEnum):
    """How a step looks; the value is what a screen reader says."""

    DONE = "done"
    WORKING = "in progress"
    NEEDED = "needs you"
    AHEAD = "not started"


@dataclass(frozen=True)
class Step:
    """One line of the hub. `verb` is the text of its link; `done` of `of` draws a bar where there is one; `other` is
    another way to do it, with the text of its link."""

    name: str
    state: State
    says: str
    detail: str
    link: str
    verb: str
    done: int = 0
    of: int = 0
    other: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Next:
    """What to do now and why; without a `link` there is nothing to do."""

    says: str
    reason: str
    link: str = ""
    verb: str = ""


def steps_of(facts: Facts) -> list[Step]:
    """All eight, in their order."""
    return [
        _problems(facts),
        _outputs(facts),
        _form(facts),
        _people(facts),
        _grading(facts),
        _judges(facts),
        _results(facts),
        _publication(facts),
    ]


def _problems(facts: Facts) -> Step:
    says = f"{counted(facts.problems, 'problem')} in {counted(facts.fields, 'field')}"
    frozen = facts.release.frozen_at
    detail = f"Frozen on {date_format(frozen, 'j M Y')}" if frozen else "Not frozen yet"
    return Step("Problems", State.DONE, says, detail, _release(facts), "View")


def _outputs(facts: Facts) -> Step:
    if not facts.outputs:
        says = "What the systems wrote is not here yet"
        return Step("Outputs", State.NEEDED, says, "From a file, a folder or a ZIP", _import(facts), "Import")
    left = [
        counted(number, noun, noun)
        for number, noun in ((facts.blank, "blank"), (facts.failed, "failed"))
        if number
    ]
    says = ", ".join([counted(facts.systems, "system"), counted(facts.outputs, "answer"), *left])
    if facts.nothing_to_read:
        detail = f"{counted(facts.nothing_to_read, 'answer')} with neither a text nor a PDF"
        return Step("Outputs", State.NEEDED, says, detail, _release(facts), "Attach files")
    if facts.undecided_texts:
        texts = "may reveal its author" if facts.undecided_texts == 1 else "may reveal their authors"
        detail = f"{counted(facts.undecided_texts, 'text')} {texts}"
        link = reverse("quarantine", args=[facts.release.name])
        return Step("Outputs", State.NEEDED, says, detail, link, "Decide")
    return Step(
        "Outputs",
        State.DONE,
        says,
        "No text reveals its author, as far as the scan can tell",
        _release(facts),
        "View",
    )


def _form(facts: Facts) -> Step:
    labels = dict.fromkeys(one.campaign.rubric.label for one in facts.rounds)
    if labels:
        says, detail = ", ".join(labels), "A form in use is never edited; a change makes a new version"
        return Step("Form", State.DONE, says, detail, reverse("rubrics"), "View")
    says, detail = "Chosen when grading is set up", "Use one of the protocol’s forms, or compose your own"
    return Step("Form", State.AHEAD, says, detail, reverse("rubrics"), "Forms")


def _people(facts: Facts) -> Step:
    link = reverse("people")
    undecided = max((one.undecided_conflicts for one in facts.rounds), default=0)
    invited = f"{counted(facts.invited, 'invitation')} not yet accepted" if facts.invited else ""
    if undecided:
        says = f"{counted(undecided, 'referee waits', 'referees wait')} for a decision about a conflict"
        return Step("People", State.NEEDED, says, invited, reverse("conflicts"), "Decide")
    held = max((one.people for one in facts.rounds), default=0)
    if held:
        return Step(
            "People", State.DONE, counted(held, "referee"), invited or "All have joined", link, "View"
        )
    state = State.WORKING if facts.invited else State.AHEAD
    return Step(
        "People", state, invited or "Nobody is assigned yet", "Referees join by invitation", link, "Invite"
    )


def _grading(facts: Facts) -> Step:
    if not facts.rounds:
        says, detail = "Not set up", "Waits for outputs" if not facts.outputs else "Takes a few minutes"
        reports = f"{reverse('import-labels')}?{urlencode({'release': facts.release.name})}"
        other = (reports, "Import reports that exist") if facts.outputs else ("", "")
        return Step("Grading", State.AHEAD, says, detail, _new_campaign(facts), "Set up", other=other)
    drafts = [one for one in facts.rounds if one.campaign.phase == Phase.DRAFT]
    done, places = sum(one.submitted for one in facts.rounds), sum(one.places for one in facts.rounds)
    says = f"{done:,} of {counted(places, 'report')}" if places else "Being set up"
    if drafts and not facts.rounds_open:
        link = reverse("campaign-setup", args=[drafts[0].campaign.slug])
        return Step(
            "Grading",
            State.NEEDED,
            says,
            f"{drafts[0].campaign.name} is not open yet",
            link,
            "Continue",
            done,
            places,
        )
    shown = (facts.rounds_open or facts.rounds)[-1]
    link = reverse("campaign", args=[shown.campaign.slug])
    if not facts.rounds_open:
        return Step(
            "Grading", State.DONE, says, "Closed: reports no longer change", link, "View", done, places
        )
    late = sum(one.late for one in facts.rounds_open)
    state = State.NEEDED if late or any(map(_complete, facts.rounds_open)) else State.WORKING
    return Step("Grading", state, says, _when(facts.rounds_open), link, "View", done, places)


def _complete(one: Round) -> bool:
    return 0 < one.places == one.submitted


def _when(rounds: list[Round]) -> str:
    """When the rounds that are open end, and what is late or was given back."""
    due = max((one.campaign.due_on for one in rounds if one.campaign.due_on), default=None)
    parts = ["No closing date is set"]
    if due:
        days = (due - timezone.now().date()).days
        parts = [
            f"Due in {counted(days, 'day')}"
            if days > 0
            else "Due today"
            if days == 0
            else "Past its due date"
        ]
    if late := sum(one.late for one in rounds):
        parts.append(f"{late} late")
    if back := sum(one.given_back for one in rounds):
        parts.append(f"{back} given back")
    return ", ".join(parts)


def _judges(facts: Facts) -> Step:
    ask = reverse("judges")
    if not facts.judge_runs and facts.judges:
        return Step(
            "Judges",
            State.DONE,
            f"Verdicts of {', '.join(dict.fromkeys(facts.judges))} were imported",
            "Hidden from referees until they submit",
            ask,
            "Ask a judge",
        )
    if not facts.judge_runs:
        return Step(
            "Judges",
            State.AHEAD,
            "No AI judge was asked",
            "Optional; hidden from referees until they submit",
            ask,
            "Ask a judge",
        )
    done, asked = sum(run.done for run in facts.judge_runs), sum(run.asked for run in facts.judge_runs)
    failed = sum(run.failed for run in facts.judge_runs)
    running = any(run.running for run in facts.judge_runs)
    state = State.NEEDED if failed else State.WORKING if running else State.DONE
    names = ", ".join(dict.fromkeys(run.judge for run in facts.judge_runs))
    detail = f"{counted(failed, 'call')} failed" if failed else "Hidden from referees until they submit"
    worst = max(facts.judge_runs, key=lambda run: (run.failed > 0, run.running, run.pk))
    link = reverse("judge-run", args=[worst.pk])
    return Step(
        "Judges", state, f"{names}: {done:,} of {asked:,} answered", detail, link, "View", done, asked
    )


def _results(facts: Facts) -> Step:
    link = reverse("score", args=[facts.release.name])
    splits = sum(one.splits for one in facts.rounds_closed)
    if splits:
        says = f"{counted(splits, 'proof')} on which referees differ"
        return Step(
            "Results", State.NEEDED, says, "Until they are decided, the majority counts", link, "View"
        )
    if facts.rounds_open:
        return Step(
            "Results",
            State.AHEAD,
            "Hidden until grading closes",
            "Scores, agreement and the grid of verdicts",
            link,
            "See the page",
        )
    if facts.rounds_closed:
        return Step(
            "Results",
            State.DONE,
            "Scores, agreement and the grid of verdicts",
            "Nothing is left to decide",
            link,
            "View",
        )
    if not facts.outputs:  # the page of results shows nothing without them
        return Step("Results", State.AHEAD, "Waits for outputs", "", _import(facts), "Import outputs")
    return Step(
        "Results",
        State.AHEAD,
        "Waits for grading",
        "A judge’s scores alone are shown as such",
        link,
        "See the page",
    )


def _publication(facts: Facts) -> Step:
    missing = []
    if not facts.described:
        missing.append("title, creators and licence")
    if not facts.release.frozen_at:
        missing.append("frozen texts")
    if not facts.artifacts:
        missing.append("a frozen score")
    if missing:
        link, verb = reverse("release-describe", args=[facts.release.name]), "Describe"
        if facts.described:
            link = reverse(
                "artifacts" if facts.release.frozen_at else "release-freeze", args=[facts.release.name]
            )
            verb = "Freeze"
        state = State.WORKING if len(missing) < 3 else State.AHEAD
        says = "In preparation" if len(missing) < 3 else "Not started"
        return Step("Publication", state, says, f"Missing: {', '.join(missing)}", link, verb)
    link = reverse("records", args=[facts.release.name])
    current = [row for row in facts.records if row.withdrawn_at is None]
    if not current:
        says = "Every version was withdrawn" if facts.records else counted(facts.artifacts, "frozen score")
        detail = "Not public yet" if not facts.records else "The pages say why"
        return Step("Publication", State.WORKING, says, detail, link, "Publish")
    public = reverse("record-file", args=[f"{current[-1].name}/{current[-1].version}/"])
    says = f"{current[-1].name}, version {current[-1].version}, is public"
    detail = "Anyone can read and recompute it"
    return Step("Publication", State.DONE, says, detail, link, "View", other=(public, "Public page"))


def next_of(facts: Facts) -> Next:
    """The first thing that applies; at the end, that there is nothing to do."""
    name = facts.release.name
    if waiting := facts.import_waiting:
        link = reverse("import", args=[waiting.handle])
        if waiting.refusal:
            return Next(
                f"Look at what is wrong with {waiting.file_name}",
                "It was refused; nothing of it was stored.",
                link,
                "Open the import",
            )
        return Next(
            f"Finish the import of {waiting.file_name}",
            "It was checked and is not stored yet.",
            link,
            "Open the import",
        )
    if not facts.outputs:
        return Next(
            "Import what the systems wrote",
            "The problems are here; there is nothing to grade yet.",
            _import(facts),
            "Import outputs",
        )
    if facts.undecided_texts:
        reason = "No new draw takes one before you redact it or call it harmless."
        texts = counted(
            facts.undecided_texts, "text that may reveal its author", "texts that may reveal their authors"
        )
        return Next(f"Decide about {texts}", reason, reverse("quarantine", args=[name]), "Decide")
    if not facts.rounds:
        reason = "Choose what is graded, with which form, by whom; nobody sees anything before you open it."
        return Next("Set up the grading", reason, _new_campaign(facts), "Set up grading")
    for one in facts.rounds:
        if found := _next_of_round(one):
            return found
    if not facts.described:
        reason = "Title, creators and licence are needed before anything is published."
        return Next("Describe the study", reason, reverse("release-describe", args=[name]), "Describe")
    if not facts.release.frozen_at:
        reason = "A published score refers to texts that can no longer change."
        return Next("Freeze the texts", reason, reverse("release-freeze", args=[name]), "Freeze")
    if not facts.artifacts and facts.rounds_closed:
        reason = "It keeps everything a score depends on, so that anyone can recompute it."
        return Next("Freeze the score", reason, reverse("artifacts", args=[name]), "Freeze the score")
    plan = f"{_when(facts.rounds_open)}." if facts.rounds_open else "Every step is done."
    return Next("Nothing to do", plan)


def _next_of_round(one: Round) -> Next | None:
    campaign = one.campaign
    if one.undecided_conflicts:
        people = counted(one.undecided_conflicts, "referee")
        return Next(
            f"Decide about the conflicts of {people}",
            "They get no work before.",
            reverse("conflicts"),
            "Decide",
        )
    if campaign.phase == Phase.DRAFT:
        reason = "Referees see nothing of it until it is open."
        return Next(
            f"Finish setting up {campaign.name}",
            reason,
            reverse("campaign-setup", args=[campaign.slug]),
            "Continue",
        )
    if one.is_open and one.given_back:
        says = f"Find {counted(one.given_back, 'referee')} for what was given back"
        return Next(
            says, f"In {campaign.name}.", reverse("campaign-by-hand", args=[campaign.slug]), "Choose referees"
        )
    link = reverse("campaign", args=[campaign.slug])
    if one.late:
        return Next(
            f"{counted(one.late, 'report is', 'reports are')} late",
            f"{campaign.name} is past its due date.",
            link,
            "Remind or release",
        )
    if one.is_open and _complete(one):
        reason = "After closing, reports no longer change and results are shown."
        return Next(f"Close {campaign.name}: all reports are in", reason, link, "Go to closing")
    if one.splits:
        says = f"Decide about {counted(one.splits, 'proof')} on which referees differ"
        return Next(says, f"In {campaign.name}.", reverse("adjudication", args=[campaign.slug]), "Decide")
    return None


def _release(facts: Facts) -> str:
    return reverse("release", args=[facts.release.name])


def _import(facts: Facts) -> str:
    return f"{reverse('import-files')}?{urlencode({'release': facts.release.name})}"


def _new_campaign(facts: Facts) -> str:
    return f"{reverse('campaign-new')}?{urlencode({'release': facts.release.name})}"
