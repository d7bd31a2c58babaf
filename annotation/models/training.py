"""Rows of training: items with a gold answer and its rationale, and what reviewers answered to them.

They have tables of their own, so that no score, agreement or export of labels can include them. A training item has its
own problem and answer: it is not a run of a system.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models import Instance, TextFormat


class TrainingSet(models.Model):
    """The training of a campaign's reviewers. Replaced as a whole while the campaign is in draft."""

    campaign = models.OneToOneField("annotation.Campaign", on_delete=models.PROTECT, related_name="training")
    may_skip = models.BooleanField(default=False, help_text="Reviewers may go to real work without it.")
    sha256 = models.CharField(max_length=64, help_text="Of all items with their gold.")
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    attached_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"training of {self.campaign_id}"


class TrainingItem(models.Model):
    """A problem and an answer to it, with the payloads that the protocol shows; `note` is about the whole. `instance`
    is the problem where it is one of the release, whose files are shown too."""

    training = models.ForeignKey(TrainingSet, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=500)
    domain = models.CharField(max_length=100)
    problem = models.JSONField()
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, null=True, related_name="+")
    answer = models.JSONField()
    text = models.TextField()
    text_format = models.CharField(max_length=20, choices=TextFormat.choices)
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["training", "number"], name="training_item_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="training_items_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"training item {self.number}"


class TrainingGold(models.Model):
    """The gold value of a question (or a step of it), and why; the rationale of a question is stored once."""

    item = models.ForeignKey(TrainingItem, on_delete=models.CASCADE, related_name="gold")
    question = models.CharField(max_length=100)
    step = models.CharField(max_length=50, blank=True)
    value = models.TextField()
    rationale = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "question", "step"], name="training_gold_once"),
            models.CheckConstraint(condition=~Q(value=""), name="training_gold_has_a_value"),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.value}"


class TrainingAttempt(models.Model):
    """What a reviewer answered to a training item: once, before seeing its gold."""

    item = models.ForeignKey(TrainingItem, on_delete=models.PROTECT, related_name="attempts")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="training_attempts"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "reviewer"], name="training_attempt_once"),
        ]

    def __str__(self) -> str:
        return f"attempt at training item {self.item_id}"


class TrainingAnswer(models.Model):
    """One question's answer in an attempt; "" where it could not be judged."""

    attempt = models.ForeignKey(TrainingAttempt, on_delete=models.PROTECT, related_name="answers")
    question = models.CharField(max_length=100)
    step = models.CharField(max_length=50, blank=True)
    value = models.TextField(blank=True)
    comment = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "question", "step"], name="training_answer_once"),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.value}"


class TrainingSkip(models.Model):
    """A reviewer skipped (the rest of) the training, where that is allowed."""

    training = models.ForeignKey(TrainingSet, on_delete=models.PROTECT, related_name="skips")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["training", "reviewer"], name="training_skipped_once"),
        ]

    def __str__(self) -> str:
        return f"training {self.training_id} skipped"
