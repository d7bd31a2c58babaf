"""All tables and guards of annotation at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import re
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    *append_only("annotation_rubric"),
    *append_only("annotation_grade"),
    *append_only("annotation_answer"),
    *append_only("annotation_comment"),
    Guard(
        "annotation_grade",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = "
            "a.item_id JOIN annotation_campaign c ON c.id = i.campaign_id WHERE a.id = "
            "NEW.assignment_id AND c.phase = 'closed')"
        ),
        "its campaign is closed",
    ),
    Guard(
        "annotation_item",
        "UPDATE",
        (
            "NEW.campaign_id <> OLD.campaign_id OR NEW.output_id <> OLD.output_id OR "
            "NEW.instance_id <> OLD.instance_id OR NEW.stratum <> OLD.stratum OR NEW.stratum_size"
            " <> OLD.stratum_size OR NEW.sample_size <> OLD.sample_size OR "
            "NEW.inclusion_probability <> OLD.inclusion_probability OR NEW.places <> OLD.places "
            "OR NEW.mirrored <> OLD.mirrored OR COALESCE(NEW.second_id, 0) <> "
            "COALESCE(OLD.second_id, 0) OR COALESCE(NEW.output_id, 0) <> COALESCE(OLD.output_id, "
            "0)"
        ),
        "the draw of an item is frozen",
    ),
    Guard(
        "annotation_assignment",
        "UPDATE",
        (
            "NEW.item_id <> OLD.item_id OR NEW.reviewer_id <> OLD.reviewer_id OR NEW.handle <> "
            "OLD.handle OR NEW.repeat <> OLD.repeat OR (NEW.swapped IS NULL) <> (OLD.swapped IS "
            "NULL) OR NEW.swapped <> OLD.swapped"
        ),
        "an assignment keeps its item and reviewer",
    ),
    Guard("annotation_assignment", "DELETE", "TRUE", "an assignment is released, not deleted"),
    Guard(
        "annotation_campaign",
        "UPDATE",
        (
            "OLD.phase <> 'draft' AND (NEW.release_id <> OLD.release_id OR NEW.rubric_id <> "
            "OLD.rubric_id OR NEW.kind <> OLD.kind OR NEW.track <> OLD.track OR "
            "NEW.reviewers_per_item <> OLD.reviewers_per_item OR NEW.seed <> OLD.seed OR "
            "NEW.problem_rule <> OLD.problem_rule)"
        ),
        "the terms of an opened campaign are frozen",
    ),
    Guard(
        "benchmark_redactedoutput",
        "INSERT",
        "EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = NEW.output_id)",
        "this output was drawn into a campaign",
    ),
    Guard(
        "benchmark_redactedoutput",
        "DELETE",
        "EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = OLD.output_id)",
        "this output was drawn into a campaign",
    ),
    Guard("benchmark_redactedoutput", "UPDATE", "TRUE", "a redaction is withdrawn, not changed"),
    Guard(
        "benchmark_identitydecision",
        "UPDATE",
        (
            "OLD.withdrawn_at IS NOT NULL OR NEW.verdict <> OLD.verdict OR NEW.output_id <> "
            "OLD.output_id OR NEW.reason <> OLD.reason"
        ),
        "a decision is withdrawn, not changed",
    ),
    Guard("benchmark_identitydecision", "DELETE", "TRUE", "a decision stays in the history"),
    Guard(
        "annotation_item",
        "INSERT",
        (
            "(SELECT o.instance_id FROM benchmark_output o WHERE o.id = NEW.output_id) <> "
            "NEW.instance_id OR (NEW.second_id IS NOT NULL AND (SELECT o.instance_id FROM "
            "benchmark_output o WHERE o.id = NEW.second_id) <> NEW.instance_id) OR (NEW.second_id"
            " IS NOT NULL) <> ((SELECT c.kind FROM annotation_campaign c WHERE c.id = "
            "NEW.campaign_id) = 'compare') OR (NEW.output_id IS NULL) <> ((SELECT c.kind FROM "
            "annotation_campaign c WHERE c.id = NEW.campaign_id) = 'construction') OR "
            "(NEW.output_id IS NULL AND (SELECT n.release_id FROM benchmark_instance n WHERE n.id"
            " = NEW.instance_id) <> (SELECT c.release_id FROM annotation_campaign c WHERE c.id = "
            "NEW.campaign_id))"
        ),
        "an item is an output or a pair of its instance, or the instance where its campaign audits them",
    ),
    Guard(
        "annotation_assignment",
        "INSERT",
        (
            "(NEW.swapped IS NULL) <> ((SELECT i.second_id FROM annotation_item i WHERE i.id = "
            "NEW.item_id) IS NULL) OR (NEW.repeat = TRUE AND NOT (SELECT i.mirrored FROM "
            "annotation_item i WHERE i.id = NEW.item_id))"
        ),
        "a pair has sides, and nothing else has",
    ),
    *append_only("annotation_adjudication"),
    Guard(
        "annotation_adjudication",
        "INSERT",
        (
            "(SELECT c.phase FROM annotation_campaign c WHERE c.id = (SELECT i.campaign_id FROM "
            "annotation_item i WHERE i.id = NEW.item_id)) <> 'closed' OR (NEW.amendment <> EXISTS"
            " (SELECT 1 FROM annotation_unblinding u JOIN annotation_item i ON i.campaign_id = "
            "u.campaign_id WHERE i.id = NEW.item_id AND u.confirmed_at IS NOT NULL)) OR "
            "(NEW.supersedes_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_adjudication"
            " a WHERE a.id = NEW.supersedes_id AND a.item_id = NEW.item_id AND a.question = "
            "NEW.question AND a.step = NEW.step))"
        ),
        "a decision belongs to a closed campaign, and to the question it supersedes",
    ),
    Guard(
        "annotation_unblinding",
        "INSERT",
        "(SELECT c.phase FROM annotation_campaign c WHERE c.id = NEW.campaign_id) <> 'closed'",
        "only a closed campaign is unblinded",
    ),
    Guard(
        "annotation_unblinding",
        "UPDATE",
        (
            "OLD.confirmed_at IS NOT NULL OR OLD.withdrawn_at IS NOT NULL OR NEW.campaign_id <> "
            "OLD.campaign_id OR NEW.reason <> OLD.reason OR NEW.requested_by_id <> "
            "OLD.requested_by_id OR NEW.requested_at <> OLD.requested_at"
        ),
        "an unblinding keeps its request and its end",
    ),
    Guard("annotation_unblinding", "DELETE", "TRUE", "an unblinding is withdrawn, not deleted"),
    *append_only("annotation_flag"),
    *append_only("annotation_flagspan"),
    Guard(
        "annotation_flag",
        "INSERT",
        (
            "NEW.output_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_grade g JOIN "
            "annotation_assignment a ON a.id = g.assignment_id JOIN annotation_item i ON i.id = "
            "a.item_id WHERE g.id = NEW.grade_id AND (i.output_id = NEW.output_id OR i.second_id "
            "= NEW.output_id))"
        ),
        "a flag is about an output of its item",
    ),
    *append_only("annotation_guessquestion"),
    *append_only("annotation_systemguess"),
    Guard(
        "annotation_systemguess",
        "INSERT",
        (
            "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) <> "
            "'submitted'"
        ),
        "a guess comes after the grade",
    ),
    Guard(
        "annotation_sharedcomment",
        "UPDATE",
        (
            "NEW.text <> OLD.text OR NEW.proposed_by_id <> OLD.proposed_by_id OR NEW.protocol <> "
            "OLD.protocol"
        ),
        "the words of a shared comment never change",
    ),
    Guard("annotation_sharedcomment", "DELETE", "TRUE", "a shared comment is withdrawn, not deleted"),
    Guard(
        "annotation_trainingset",
        "INSERT",
        "(SELECT c.phase FROM annotation_campaign c WHERE c.id = NEW.campaign_id) <> 'draft'",
        "the training of an opened campaign is frozen",
    ),
    Guard("annotation_trainingset", "UPDATE", "TRUE", "a training is replaced as a whole"),
    Guard(
        "annotation_trainingset",
        "DELETE",
        "(SELECT c.phase FROM annotation_campaign c WHERE c.id = OLD.campaign_id) <> 'draft'",
        "the training of an opened campaign is frozen",
    ),
    Guard(
        "annotation_trainingitem",
        "INSERT",
        (
            "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON "
            "t.campaign_id = c.id WHERE t.id = NEW.training_id) <> 'draft'"
        ),
        "the training of an opened campaign is frozen",
    ),
    Guard("annotation_trainingitem", "UPDATE", "TRUE", "a training is replaced as a whole"),
    Guard(
        "annotation_trainingitem",
        "DELETE",
        (
            "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON "
            "t.campaign_id = c.id WHERE t.id = OLD.training_id) <> 'draft'"
        ),
        "the training of an opened campaign is frozen",
    ),
    Guard(
        "annotation_traininggold",
        "INSERT",
        (
            "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON "
            "t.campaign_id = c.id JOIN annotation_trainingitem i ON i.training_id = t.id WHERE "
            "i.id = NEW.item_id) <> 'draft'"
        ),
        "the training of an opened campaign is frozen",
    ),
    Guard("annotation_traininggold", "UPDATE", "TRUE", "a training is replaced as a whole"),
    Guard(
        "annotation_traininggold",
        "DELETE",
        (
            "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON "
            "t.campaign_id = c.id JOIN annotation_trainingitem i ON i.training_id = t.id WHERE "
            "i.id = OLD.item_id) <> 'draft'"
        ),
        "the training of an opened campaign is frozen",
    ),
    *append_only("annotation_trainingattempt"),
    *append_only("annotation_traininganswer"),
    *append_only("annotation_trainingskip"),
    Guard(
        "annotation_trainingattempt",
        "INSERT",
        (
            "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON "
            "t.campaign_id = c.id JOIN annotation_trainingitem i ON i.training_id = t.id WHERE "
            "i.id = NEW.item_id) <> 'open'"
        ),
        "training is done while its campaign is open",
    ),
    Guard(
        "annotation_trainingskip",
        "INSERT",
        (
            "NOT EXISTS (SELECT 1 FROM annotation_trainingset t WHERE t.id = NEW.training_id AND "
            "t.may_skip)"
        ),
        "this training may not be skipped",
    ),
    Guard(
        "annotation_grade",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = "
            "a.item_id JOIN annotation_trainingset t ON t.campaign_id = i.campaign_id JOIN "
            "annotation_trainingitem x ON x.training_id = t.id WHERE a.id = NEW.assignment_id AND"
            " NOT EXISTS (SELECT 1 FROM annotation_trainingattempt y WHERE y.item_id = x.id AND "
            "y.reviewer_id = a.reviewer_id) AND NOT EXISTS (SELECT 1 FROM annotation_trainingskip"
            " s WHERE s.training_id = t.id AND s.reviewer_id = a.reviewer_id))"
        ),
        "training comes before real work",
        part="training",
    ),
    *append_only("annotation_unjudged"),
    *append_only("annotation_seenbefore"),
    Guard(
        "annotation_seenbefore",
        "INSERT",
        "NOT (SELECT g.seen_before FROM annotation_grade g WHERE g.id = NEW.grade_id)",
        "only who saw a solution before says where",
    ),
    Guard(
        "annotation_calibrationround",
        "UPDATE",
        (
            "OLD.ended_at IS NOT NULL OR NEW.campaign_id <> OLD.campaign_id OR NEW.made_by_id <> "
            "OLD.made_by_id OR NEW.made_at <> OLD.made_at OR (OLD.revealed_at IS NOT NULL AND "
            "(NEW.revealed_at IS NULL OR NEW.revealed_at <> OLD.revealed_at OR NEW.revealed_by_id"
            " <> OLD.revealed_by_id))"
        ),
        "a round is never hidden again, and its end is its end",
    ),
    Guard("annotation_calibrationround", "DELETE", "TRUE", "a round is ended, not deleted"),
    *append_only("annotation_calibrationitem"),
    Guard(
        "annotation_calibrationitem",
        "INSERT",
        (
            "(SELECT r.revealed_at FROM annotation_calibrationround r WHERE r.id = NEW.round_id) "
            "IS NOT NULL OR (SELECT r.campaign_id FROM annotation_calibrationround r WHERE r.id ="
            " NEW.round_id) <> (SELECT i.campaign_id FROM annotation_item i WHERE i.id = "
            "NEW.item_id)"
        ),
        "items of its campaign join a round before it is revealed",
    ),
    *append_only("annotation_calibrationremark"),
    Guard(
        "annotation_calibrationremark",
        "INSERT",
        (
            "NOT EXISTS (SELECT 1 FROM annotation_calibrationitem ci JOIN "
            "annotation_calibrationround r ON r.id = ci.round_id WHERE r.revealed_at IS NOT NULL "
            "AND r.ended_at IS NULL AND ci.id = NEW.subject_id)"
        ),
        "an item is discussed between the reveal and the end of its round",
    ),
    *append_only("annotation_latergrade"),
    *append_only("annotation_lateranswer"),
    Guard(
        "annotation_latergrade",
        "INSERT",
        (
            "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) <> "
            "'submitted' OR (NEW.occasion = 'discussion' AND NOT EXISTS (SELECT 1 FROM "
            "annotation_calibrationitem ci JOIN annotation_calibrationround r ON r.id = "
            "ci.round_id WHERE r.revealed_at IS NOT NULL AND r.ended_at IS NULL AND ci.item_id = "
            "(SELECT a.item_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id)))"
        ),
        "later answers come after the blind ones, while they are asked for",
    ),
    Guard(
        "annotation_grade",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_calibrationitem ci JOIN annotation_calibrationround"
            " r ON r.id = ci.round_id WHERE r.revealed_at IS NOT NULL AND ci.item_id = (SELECT "
            "a.item_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id))"
        ),
        "the blind answers of a revealed item are final",
        part="calibration",
    ),
    Guard(
        "annotation_assignment",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_calibrationitem ci JOIN annotation_calibrationround"
            " r ON r.id = ci.round_id WHERE r.revealed_at IS NOT NULL AND ci.item_id = "
            "NEW.item_id)"
        ),
        "a revealed item has no more places",
        part="calibration",
    ),
    *append_only("annotation_reveal"),
    *append_only("annotation_shownverdict"),
    *append_only("annotation_shownclaim"),
    *append_only("annotation_revealarm"),
    *append_only("annotation_claimmark"),
    Guard(
        "annotation_reveal",
        "INSERT",
        "(SELECT c.phase FROM annotation_campaign c WHERE c.id = NEW.campaign_id) <> 'draft'",
        "verdicts are attached before the campaign opens",
    ),
    Guard(
        "annotation_shownverdict",
        "INSERT",
        (
            "NOT EXISTS (SELECT 1 FROM annotation_reveal r JOIN annotation_item i ON "
            "i.campaign_id = r.campaign_id JOIN annotation_campaign c ON c.id = r.campaign_id "
            "WHERE r.id = NEW.reveal_id AND i.id = NEW.item_id AND c.phase = 'draft')"
        ),
        "a verdict is attached to an item of its draft",
    ),
    Guard(
        "annotation_shownclaim",
        "INSERT",
        (
            "NOT EXISTS (SELECT 1 FROM annotation_shownverdict v JOIN annotation_reveal r ON r.id"
            " = v.reveal_id JOIN annotation_campaign c ON c.id = r.campaign_id WHERE v.id = "
            "NEW.verdict_id AND c.phase = 'draft')"
        ),
        "claims are attached with their verdict",
    ),
    Guard(
        "annotation_revealarm",
        "INSERT",
        (
            "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) = "
            "'submitted' OR NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN "
            "annotation_item i ON i.id = a.item_id JOIN annotation_reveal r ON r.campaign_id = "
            "i.campaign_id WHERE a.id = NEW.assignment_id)"
        ),
        "an arm is drawn before the grade, where verdicts are attached",
    ),
    Guard(
        "annotation_claimmark",
        "INSERT",
        (
            "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_shownverdict v ON "
            "v.item_id = a.item_id JOIN annotation_shownclaim c ON c.verdict_id = v.id WHERE a.id"
            " = NEW.assignment_id AND c.id = NEW.claim_id AND a.state = 'submitted')"
        ),
        "claims of the own item are marked after the grade",
    ),
    Guard(
        "annotation_grade",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = "
            "a.item_id JOIN annotation_reveal r ON r.campaign_id = i.campaign_id WHERE a.id = "
            "NEW.assignment_id) AND (NEW.supersedes_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM "
            "annotation_revealarm m WHERE m.assignment_id = NEW.assignment_id))"
        ),
        "where a verdict is shown a place has its arm, and its first grade is final",
        part="reveal",
    ),
    Guard(
        "annotation_latergrade",
        "INSERT",
        (
            "NEW.occasion = 'verdict' AND NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN "
            "annotation_shownverdict v ON v.item_id = a.item_id WHERE a.id = NEW.assignment_id)"
        ),
        "an amendment follows a verdict that was shown",
        part="reveal",
    ),
    Guard(
        "annotation_grade",
        "INSERT",
        (
            "(NEW.supersedes_id IS NULL AND EXISTS (SELECT 1 FROM annotation_revealarm m WHERE "
            "m.assignment_id = NEW.assignment_id) AND (NEW.verdict_seen IS NULL OR "
            "NEW.verdict_seen <> EXISTS (SELECT 1 FROM annotation_revealarm m JOIN "
            "annotation_assignment a ON a.id = m.assignment_id JOIN annotation_shownverdict v ON "
            "v.item_id = a.item_id WHERE a.id = NEW.assignment_id AND m.before))) OR (NOT EXISTS "
            "(SELECT 1 FROM annotation_revealarm m WHERE m.assignment_id = NEW.assignment_id) AND"
            " NEW.verdict_seen IS NOT NULL AND NEW.idempotency_key NOT LIKE 'import:%')"
        ),
        "whether a verdict was in sight follows from the arm of the place",
        part="sight",
    ),
    *append_only("annotation_conflictsfixed"),
    Guard(
        "annotation_assignment",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_exclusion e WHERE e.item_id = NEW.item_id AND "
            "e.reviewer_id = NEW.reviewer_id)"
        ),
        "the item is not for this reviewer",
        part="excluded",
    ),
    Guard(
        "annotation_item",
        "INSERT",
        (
            "NEW.domain <> (SELECT n.domain FROM benchmark_instance n WHERE n.id = "
            "NEW.instance_id)"
        ),
        "an item has the domain of its instance",
        part="domain",
    ),
    Guard(
        "annotation_item",
        "UPDATE",
        (
            "NEW.domain <> (SELECT n.domain FROM benchmark_instance n WHERE n.id = "
            "NEW.instance_id)"
        ),
        "an item has the domain of its instance",
        part="domain",
    ),
    Guard(
        "benchmark_attachment",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = NEW.output_id OR "
            "i.second_id = NEW.output_id OR i.instance_id = NEW.instance_id)"
        ),
        "its output or instance was drawn into a campaign",
        part="drawn",
    ),
    Guard(
        "benchmark_attachment",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = OLD.output_id OR "
            "i.second_id = OLD.output_id OR i.instance_id = OLD.instance_id)"
        ),
        "its output or instance was drawn into a campaign",
        part="drawn",
    ),
    Guard(
        "annotation_campaign",
        "UPDATE",
        "OLD.phase <> 'draft' AND NEW.split_by <> OLD.split_by",
        "what counts as a split is frozen when a campaign opens",
        part="split_by",
    ),
    Guard(
        "annotation_campaign",
        "UPDATE",
        "OLD.phase <> 'draft' AND COALESCE(NEW.condition, '') <> COALESCE(OLD.condition, '')",
        "the condition of a campaign is frozen when it opens",
        part="condition",
    ),
    Guard(
        "annotation_campaign",
        "UPDATE",
        "OLD.phase <> 'draft' AND NEW.with_search <> OLD.with_search",
        "whether reviewers can search is frozen when a campaign opens",
        part="search",
    ),
]


class Migration(migrations.Migration):

    replaces = [('annotation', '0001_initial'), ('annotation', '0002_guards'), ('annotation', '0003_drawn_texts_stay'), ('annotation', '0004_pairs'), ('annotation', '0005_pairs_keep_their_sides'), ('annotation', '0006_adjudication'), ('annotation', '0007_decisions_stay'), ('annotation', '0008_flags'), ('annotation', '0009_reminders'), ('annotation', '0010_guesses'), ('annotation', '0011_shared_comments'), ('annotation', '0012_training'), ('annotation', '0013_instances_as_items'), ('annotation', '0014_reasons'), ('annotation', '0015_campaign_setup'), ('annotation', '0016_calibration'), ('annotation', '0017_reveal'), ('annotation', '0018_verdict_seen'), ('annotation', '0019_free_items_by_lot'), ('annotation', '0020_side_drafts'), ('annotation', '0021_conflicts'), ('annotation', '0022_conflicts_kept'), ('annotation', '0023_item_domain'), ('annotation', '0024_highlights'), ('annotation', '0025_rubric_drafts'), ('annotation', '0026_attachments_drawn'), ('annotation', '0027_split_by'), ('annotation', '0028_comments_from_elsewhere'), ('annotation', '0029_files_in_training'), ('annotation', '0030_condition'), ('annotation', '0031_search')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rubric',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.CharField(max_length=50)),
                ('name', models.CharField(max_length=100)),
                ('version', models.PositiveSmallIntegerField()),
                ('content', models.JSONField()),
                ('sha256', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('protocol', 'name', 'version'), name='rubric_version_once')],
            },
        ),
        migrations.CreateModel(
            name='RubricDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.CharField(max_length=50)),
                ('content', models.JSONField()),
                ('saves', models.PositiveIntegerField(default=1)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('saved_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('saves__gte', 1)), name='rubric_draft_was_saved')],
            },
        ),
        migrations.CreateModel(
            name='Reminder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('sent_on', models.DateField()),
                ('waiting', models.PositiveIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('reviewer', 'sent_on'), name='reminder_once_a_day'), models.CheckConstraint(condition=models.Q(('waiting__gte', 1)), name='reminder_of_something')],
            },
        ),
        migrations.CreateModel(
            name='ConflictTarget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('conflict', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='targets', to='accounts.conflict')),
                ('kind', models.CharField(choices=[('system', 'System'), ('paper', 'Paper'), ('problem', 'Problem')], max_length=20)),
                ('key', models.CharField(max_length=301)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('conflict', 'kind', 'key'), name='conflict_target_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['system', 'paper', 'problem'])), name='conflict_target_kind_is_known'), models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='conflict_target_names_something')],
            },
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='benchmark.release')),
                ('rubric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='annotation.rubric')),
                ('kind', models.CharField(choices=[('grade', 'Whole-answer grading'), ('audit', 'Audit of judge labels'), ('compare', 'Blind comparison of two answers'), ('construction', 'Construction audit of instances')], max_length=20)),
                ('track', models.CharField(blank=True, default='raw', max_length=50)),
                ('condition', models.CharField(blank=True, max_length=50, null=True, validators=[django.core.validators.RegexValidator(re.compile('^[-a-zA-Z0-9_]+\\Z'), 'Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.', 'invalid')])),
                ('reviewers_per_item', models.PositiveSmallIntegerField(default=3)),
                ('problem_rule', models.CharField(choices=[('free', 'Any reviewer may see any outputs of a problem'), ('together', 'The same reviewers see all outputs of a problem'), ('apart', 'No reviewer sees two outputs of the same problem')], default='free', max_length=10)),
                ('split_by', models.CharField(choices=[('level', 'Graders give different answers'), ('verdict', 'Graders differ on whether it is solved')], db_default='level', default='level', max_length=10)),
                ('with_search', models.BooleanField(db_default=False, default=False)),
                ('most_per_reviewer', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('instructions', models.TextField(blank=True)),
                ('seed', models.PositiveBigIntegerField()),
                ('due_on', models.DateField(blank=True, null=True)),
                ('phase', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed')], default='draft', max_length=20)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['grade', 'audit', 'compare', 'construction'])), name='campaign_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'construction'), ('track', '')), models.Q(models.Q(('kind', 'construction'), _negated=True), models.Q(('track', ''), _negated=True)), _connector='OR'), name='campaign_of_instances_alone_has_no_track'), models.CheckConstraint(condition=models.Q(('condition', None), models.Q(models.Q(('kind', 'construction'), _negated=True), models.Q(('condition', ''), _negated=True)), _connector='OR'), name='campaign_condition_is_of_runs'), models.CheckConstraint(condition=models.Q(('problem_rule__in', ['free', 'together', 'apart'])), name='campaign_problem_rule_is_known'), models.CheckConstraint(condition=models.Q(('split_by__in', ['level', 'verdict'])), name='campaign_split_by_is_known'), models.CheckConstraint(condition=models.Q(('most_per_reviewer__isnull', True), ('most_per_reviewer__gte', 1), _connector='OR'), name='campaign_most_per_reviewer_from_one'), models.CheckConstraint(condition=models.Q(('reviewers_per_item__range', (1, 25))), name='campaign_reviewers_per_item_1_to_25'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('opened_at__isnull', True), ('phase', 'draft')), models.Q(('closed_at__isnull', True), ('opened_at__isnull', False), ('phase', 'open')), models.Q(('closed_at__isnull', False), ('opened_at__isnull', False), ('phase', 'closed')), _connector='OR'), name='campaign_phase_has_its_times')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.campaign')),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='benchmark.output')),
                ('second', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='second_items', to='benchmark.output')),
                ('mirrored', models.BooleanField(default=False)),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='benchmark.instance')),
                ('domain', models.CharField(db_default='', max_length=100)),
                ('revealed', models.BooleanField(db_default=False)),
                ('stratum', models.CharField(blank=True, max_length=200)),
                ('stratum_size', models.PositiveIntegerField()),
                ('sample_size', models.PositiveIntegerField()),
                ('inclusion_probability', models.FloatField()),
                ('places', models.PositiveSmallIntegerField(default=3)),
                ('places_taken', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'indexes': [models.Index(models.F('campaign'), django.db.models.expressions.CombinedExpression(models.F('instance_id'), '%%', models.Value(4096)), condition=models.Q(('places_taken__lt', models.F('places'))), name='item_free_by_lot')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('second__isnull', True)), fields=('campaign', 'output'), name='item_once_per_campaign'), models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('campaign', 'output', 'second'), name='item_pair_once_per_campaign'), models.UniqueConstraint(condition=models.Q(('output__isnull', True)), fields=('campaign', 'instance'), name='item_instance_once_per_campaign'), models.CheckConstraint(condition=models.Q(models.Q(('mirrored', False), ('second__isnull', True)), models.Q(('output__isnull', False), ('second__gt', models.F('output')), ('second__isnull', False)), _connector='OR'), name='item_pair_has_an_order_and_only_pairs_are_mirrored'), models.CheckConstraint(condition=models.Q(('sample_size__gte', 1), ('stratum_size__gte', models.F('sample_size'))), name='item_sample_within_its_stratum'), models.CheckConstraint(condition=models.Q(('inclusion_probability__gt', 0), ('inclusion_probability__lte', 1)), name='item_inclusion_probability_in_0_1'), models.CheckConstraint(condition=models.Q(('places_taken__lte', models.F('places'))), name='item_never_over_its_places')],
            },
        ),
        migrations.CreateModel(
            name='Unblinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unblindings', to='annotation.campaign')),
                ('reason', models.CharField(max_length=1000)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('confirmed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('campaign',), name='unblinding_asked_once_per_campaign'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='unblinding_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('confirmed_at__isnull', True), ('confirmed_by__isnull', True)), models.Q(('confirmed_at__isnull', False), ('confirmed_by__isnull', False), ('withdrawn_at__isnull', True)), _connector='OR'), name='unblinding_is_confirmed_or_withdrawn'), models.CheckConstraint(condition=models.Q(('confirmed_by__isnull', True), models.Q(('confirmed_by', models.F('requested_by')), _negated=True), _connector='OR'), name='unblinding_takes_two_people')],
            },
        ),
        migrations.CreateModel(
            name='SharedComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.CharField(max_length=50)),
                ('campaign', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='shared_comments', to='annotation.campaign')),
                ('text', models.TextField()),
                ('state', models.CharField(choices=[('proposed', 'Proposed'), ('shared', 'Shared'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], default='proposed', max_length=20)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='shared_comment_says_something'), models.CheckConstraint(condition=models.Q(('state__in', ['proposed', 'shared', 'declined', 'withdrawn'])), name='shared_comment_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('state', 'proposed')), models.Q(models.Q(('state', 'proposed'), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='shared_comment_is_proposed_or_decided')],
            },
        ),
        migrations.CreateModel(
            name='CalibrationRound',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration_rounds', to='annotation.campaign')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('revealed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revealed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('campaign',), name='calibration_one_round_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('revealed_at__isnull', True), ('revealed_by__isnull', True)), models.Q(('ended_at__isnull', True), ('revealed_at__isnull', False), ('revealed_by__isnull', False)), models.Q(('ended_at__gte', models.F('revealed_at')), ('revealed_at__isnull', False), ('revealed_by__isnull', False)), _connector='OR'), name='calibration_is_revealed_before_it_ends')],
            },
        ),
        migrations.CreateModel(
            name='ConflictsFixed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts_fixed', to='annotation.campaign')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts_fixed', to=settings.AUTH_USER_MODEL)),
                ('targets', models.JSONField(default=list, help_text='Pairs of kind and key.')),
                ('fixed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'indexes': [models.Index(fields=['reviewer', 'campaign'], name='conflicts_fixed_by_reviewer')],
            },
        ),
        migrations.CreateModel(
            name='LeastAuthors',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='least_authors', to='annotation.campaign')),
                ('least', models.PositiveSmallIntegerField()),
                ('set_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('set_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('least__range', (1, 100))), name='least_authors_1_to_100')],
            },
        ),
        migrations.CreateModel(
            name='GuessQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='guess_question', to='annotation.campaign')),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='Reveal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='reveal', to='annotation.campaign')),
                ('question', models.CharField(max_length=100)),
                ('judge', models.CharField(max_length=200)),
                ('predicate', models.CharField(max_length=100)),
                ('before_share', models.FloatField(default=0, help_text='Share of places that see the verdict before.')),
                ('seed', models.PositiveBigIntegerField()),
                ('withheld', models.PositiveIntegerField(help_text='Reasons left out because they name a system or a model.')),
                ('sha256', models.CharField(max_length=64)),
                ('attached_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('attached_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('before_share__range', (0, 1))), name='reveal_share_0_to_1')],
            },
        ),
        migrations.CreateModel(
            name='CampaignSetup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='setup', to='annotation.campaign')),
                ('reached', models.CharField(choices=[('terms', 'What is graded'), ('items', 'Items'), ('people', 'Reviewers'), ('options', 'Options'), ('plan', 'Assignment'), ('opening', 'Opening')], default='terms', max_length=20)),
                ('draw', models.JSONField(default=dict)),
                ('minutes_per_item', models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reached__in', ['terms', 'items', 'people', 'options', 'plan', 'opening'])), name='setup_step_is_known'), models.CheckConstraint(condition=models.Q(('minutes_per_item__isnull', True), ('minutes_per_item__range', (1, 600)), _connector='OR'), name='setup_minutes_1_to_600')],
            },
        ),
        migrations.CreateModel(
            name='TrainingSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='training', to='annotation.campaign')),
                ('may_skip', models.BooleanField(default=False, help_text='Reviewers may go to real work without it.')),
                ('sha256', models.CharField(help_text='Of all items with their gold.', max_length=64)),
                ('attached_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('attached_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.item')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.CharField(max_length=200)),
                ('overrules', models.BooleanField(default=False, help_text='No grader gave this value.')),
                ('cause', models.CharField(blank=True, choices=[('gap_overlooked', 'A gap or error was overlooked'), ('gap_seen_wrongly', 'A sound step was taken for a gap'), ('reading_of_rubric', 'Different readings of the rubric'), ('severity', 'Same finding, weighed differently'), ('reference_wrong', 'Error in the reference solution'), ('statement_wrong', 'The statement is wrong or ambiguous'), ('outside_field', 'A grader was outside their field'), ('slip', 'Slip in entering the answer'), ('other', 'Something else')], max_length=30)),
                ('note', models.TextField(blank=True)),
                ('informed', models.BooleanField(default=False)),
                ('amendment', models.BooleanField(default=False)),
                ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.adjudication')),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('supersedes__isnull', True)), fields=('item', 'question', 'step'), name='adjudication_one_first_per_question'), models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='adjudication_has_a_value'), models.CheckConstraint(condition=models.Q(('cause', ''), ('cause__in', ['gap_overlooked', 'gap_seen_wrongly', 'reading_of_rubric', 'severity', 'reference_wrong', 'statement_wrong', 'outside_field', 'slip', 'other']), _connector='OR'), name='adjudication_cause_is_known'), models.CheckConstraint(condition=models.Q(('overrules', False), models.Q(models.Q(('cause', ''), _negated=True), models.Q(('note', ''), _negated=True)), _connector='OR'), name='adjudication_overruling_has_cause_and_note')],
            },
        ),
        migrations.CreateModel(
            name='CalibrationItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.calibrationround')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='calibration', to='annotation.item')),
            ],
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='annotation.item')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('item', 'reviewer'), name='exclusion_once')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.item')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
                ('handle', models.CharField(max_length=40, unique=True)),
                ('position', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('submitted', 'Submitted'), ('released', 'Released')], default='waiting', max_length=20)),
                ('release_reason', models.CharField(blank=True, choices=[('out_of_field', "Out of the reviewer's field"), ('late', 'Late'), ('withdrawn', 'Withdrawn by the coordinator')], max_length=20)),
                ('pulled', models.BooleanField(default=False)),
                ('swapped', models.BooleanField(blank=True, null=True)),
                ('repeat', models.BooleanField(default=False)),
                ('assigned_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('first_opened_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('shown_sha256', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['reviewer', 'state', 'position'], name='assignment_queue'), models.Index(condition=models.Q(('repeat', False)), fields=['reviewer', 'position'], name='assignment_last_position')],
                'constraints': [models.UniqueConstraint(fields=('item', 'reviewer', 'repeat'), name='assignment_never_twice_to_one_reviewer'), models.CheckConstraint(condition=models.Q(('repeat', False), ('swapped__isnull', False), _connector='OR'), name='assignment_repeats_only_pairs'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'submitted'), ('submitted_at__isnull', False)), models.Q(models.Q(('state', 'submitted'), _negated=True), ('submitted_at__isnull', True)), _connector='OR'), name='assignment_submitted_has_its_time'), models.CheckConstraint(condition=models.Q(models.Q(('release_reason__in', ['out_of_field', 'late', 'withdrawn']), ('state', 'released')), models.Q(models.Q(('state', 'released'), _negated=True), ('release_reason', '')), _connector='OR'), name='assignment_released_has_its_reason'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'submitted', 'released'])), name='assignment_state_is_known')],
            },
        ),
        migrations.CreateModel(
            name='ShownVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reveal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='annotation.reveal')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='shown_verdict', to='annotation.item')),
                ('value', models.CharField(max_length=50)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='shown_verdict_has_a_value')],
            },
        ),
        migrations.CreateModel(
            name='TrainingItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('training', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.trainingset')),
                ('number', models.PositiveSmallIntegerField()),
                ('title', models.CharField(max_length=500)),
                ('domain', models.CharField(max_length=100)),
                ('problem', models.JSONField()),
                ('instance', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.instance')),
                ('answer', models.JSONField()),
                ('text', models.TextField()),
                ('text_format', models.CharField(choices=[('latex', 'LaTeX'), ('markdown', 'Markdown'), ('plain', 'Plain text')], max_length=20)),
                ('note', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('training', 'number'), name='training_item_number_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='training_items_count_from_one')],
            },
        ),
        migrations.CreateModel(
            name='TrainingSkip',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('training', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='skips', to='annotation.trainingset')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('training', 'reviewer'), name='training_skipped_once')],
            },
        ),
        migrations.CreateModel(
            name='CalibrationRemark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remarks', to='annotation.calibrationitem')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='calibration_remark_says_something')],
            },
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='draft', to='annotation.assignment')),
                ('version', models.PositiveIntegerField(default=1)),
                ('content', models.JSONField()),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('locked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Grade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grades', to='annotation.assignment')),
                ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.grade')),
                ('rubric_sha256', models.CharField(max_length=64)),
                ('shown_sha256', models.CharField(blank=True, max_length=64)),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('seen_before', models.BooleanField(default=False)),
                ('statement_wrong', models.BooleanField(default=False)),
                ('verdict_seen', models.BooleanField(blank=True, null=True)),
                ('searches', models.SmallIntegerField(blank=True, null=True)),
                ('note', models.TextField(blank=True)),
                ('idempotency_key', models.CharField(max_length=200)),
                ('request_sha256', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('supersedes__isnull', True)), fields=('assignment',), name='grade_one_first_per_assignment'), models.UniqueConstraint(fields=('assignment', 'idempotency_key'), name='grade_once_per_idempotency_key'), models.CheckConstraint(condition=models.Q(('idempotency_key', ''), _negated=True), name='grade_has_an_idempotency_key'), models.CheckConstraint(condition=models.Q(('searches', None), ('searches__range', (0, 1000)), _connector='OR'), name='grade_searches_0_to_1000')],
            },
        ),
        migrations.CreateModel(
            name='SystemGuess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='system_guess', to='annotation.assignment')),
                ('system', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='guesses', to='benchmark.system')),
                ('named', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('named', ''), ('system__isnull', True), _connector='OR'), name='guess_named_or_chosen')],
            },
        ),
        migrations.CreateModel(
            name='LaterGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='later_grades', to='annotation.assignment')),
                ('occasion', models.CharField(choices=[('discussion', 'After the discussion of a calibration round'), ('verdict', 'After the verdict of a judge was shown')], max_length=20)),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'occasion'), name='later_grade_once_per_occasion'), models.CheckConstraint(condition=models.Q(('occasion__in', ['discussion', 'verdict'])), name='later_grade_occasion_is_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='later_grade_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='ShownClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='annotation.shownverdict')),
                ('number', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('verdict', 'number'), name='shown_claim_number_once'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='shown_claim_says_something')],
            },
        ),
        migrations.CreateModel(
            name='RevealArm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='reveal_arm', to='annotation.assignment')),
                ('before', models.BooleanField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='SideDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='side_drafts', to=settings.AUTH_USER_MODEL)),
                ('training_item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='annotation.trainingitem')),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='side_drafts', to='annotation.assignment')),
                ('occasion', models.CharField(blank=True, choices=[('discussion', 'After the discussion of a calibration round'), ('verdict', 'After the verdict of a judge was shown')], max_length=20)),
                ('version', models.PositiveIntegerField(default=1)),
                ('content', models.JSONField()),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('reviewer', 'training_item'), name='side_draft_once_per_training_item'), models.UniqueConstraint(fields=('assignment', 'occasion'), name='side_draft_once_per_occasion'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', True), ('occasion', ''), ('training_item__isnull', False)), models.Q(('assignment__isnull', False), ('occasion__in', ['discussion', 'verdict']), ('training_item__isnull', True)), _connector='OR'), name='side_draft_is_of_one_form')],
            },
        ),
        migrations.CreateModel(
            name='TrainingGold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold', to='annotation.trainingitem')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField()),
                ('rationale', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('item', 'question', 'step'), name='training_gold_once'), models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='training_gold_has_a_value')],
            },
        ),
        migrations.CreateModel(
            name='TrainingAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='annotation.trainingitem')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='training_attempts', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('item', 'reviewer'), name='training_attempt_once')],
            },
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='annotation.grade')),
                ('kind', models.CharField(choices=[('theorem', 'The anchor names a theorem'), ('author', 'The anchor names an author'), ('citation_key', 'The anchor holds a citation key'), ('doi', 'The anchor holds a DOI'), ('arxiv', 'The anchor holds an arXiv identifier'), ('source_title', "The anchor holds the source's title"), ('context', 'The context gives the step away'), ('public_solution', 'The solution is public'), ('restates_proof', 'The output restates the citing proof')], max_length=30)),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='leakage_flags', to='benchmark.output')),
                ('link', models.CharField(blank=True, max_length=500)),
                ('note', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ('theorem', 'author', 'citation_key', 'doi', 'arxiv', 'source_title', 'context', 'public_solution')), ('output__isnull', True)), models.Q(('kind__in', ('restates_proof',)), ('output__isnull', False)), _connector='OR'), name='flag_kind_is_known_and_has_its_subject'), models.CheckConstraint(condition=models.Q(('link', ''), ('link__startswith', 'http://'), ('link__startswith', 'https://'), _connector='OR'), name='flag_link_is_http'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'public_solution'), _negated=True), models.Q(('link', ''), _negated=True), _connector='OR'), name='flag_of_a_public_solution_says_where')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.grade')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(choices=[('answered', 'Answered'), ('abstain', 'Abstain'), ('unavailable', 'Unavailable')], default='answered', max_length=20)),
                ('confidence', models.FloatField(blank=True, null=True)),
                ('comment', models.TextField(blank=True)),
                ('preferred', models.ForeignKey(blank=True, help_text='The output that a preference names, whichever side it stood on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.output')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('preferred__isnull', True), ('value__in', ['first', 'second']), _connector='OR'), name='answer_prefers_one_of_two'), models.UniqueConstraint(fields=('grade', 'question', 'step'), name='answer_once_per_question_and_step'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'answered'), models.Q(('value', ''), _negated=True)), models.Q(('state__in', ['abstain', 'unavailable']), ('value', '')), _connector='OR'), name='answer_has_a_value_iff_answered'), models.CheckConstraint(condition=models.Q(('confidence__isnull', True), ('confidence__range', (0, 1)), _connector='OR'), name='answer_confidence_0_to_1')],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='annotation.grade')),
                ('block', models.CharField(blank=True, max_length=50)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('severity', models.CharField(choices=[('fatal', 'Fatal'), ('major', 'Major'), ('minor', 'Minor'), ('typo', 'Typo'), ('highlight', 'Highlight')], max_length=20)),
                ('kind', models.CharField(blank=True, choices=[('gap', 'Gap'), ('wrong_step', 'Wrong step'), ('missing_hypothesis', 'Missing hypothesis'), ('citation', 'Citation'), ('attribution', 'Attribution'), ('presentation', 'Presentation')], max_length=20)),
                ('text', models.TextField()),
                ('anchor', models.JSONField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('end__gte', models.F('start'))), name='comment_offsets_in_order'), models.CheckConstraint(condition=models.Q(models.Q(('anchor__isnull', True), models.Q(('block__contains', '-page'), _negated=True), models.Q(('block', ''), _negated=True)), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type', 'pdf'), ('block__contains', '-page')), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type', 'words'), models.Q(('block__contains', '-page'), _negated=True), models.Q(('block', ''), _negated=True)), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type__in', ['lost', 'whole']), ('block', '')), _connector='OR'), name='comment_anchor_fits_its_block'), models.CheckConstraint(condition=models.Q(('severity__in', ['fatal', 'major', 'minor', 'typo', 'highlight'])), name='comment_severity_is_known'), models.CheckConstraint(condition=models.Q(('kind', ''), ('kind__in', ['gap', 'wrong_step', 'missing_hypothesis', 'citation', 'attribution', 'presentation']), _connector='OR'), name='comment_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), ('severity', 'highlight'), _connector='OR'), name='comment_says_something')],
            },
        ),
        migrations.CreateModel(
            name='LaterAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('later', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.latergrade')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField(blank=True)),
                ('comment', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('later', 'question', 'step'), name='later_answer_once')],
            },
        ),
        migrations.CreateModel(
            name='Unjudged',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='unjudged', to='annotation.grade')),
                ('reason', models.CharField(choices=[('nothing', 'There is nothing here that could be judged'), ('unreadable', 'The text cannot be read as it is shown'), ('material', 'What one needs to judge it is missing or out of reach'), ('statement', 'The statement is too unclear to say what would be right'), ('other', 'Something else')], max_length=20)),
                ('note', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason__in', ['nothing', 'unreadable', 'material', 'statement', 'other'])), name='unjudged_reason_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('reason', 'other'), _negated=True), models.Q(('note', ''), _negated=True), _connector='OR'), name='unjudged_otherwise_says_why')],
            },
        ),
        migrations.CreateModel(
            name='SeenBefore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='seen_where', to='annotation.grade')),
                ('place', models.CharField(max_length=500)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('place', ''), _negated=True), name='seen_before_says_where')],
            },
        ),
        migrations.CreateModel(
            name='ClaimMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claim_marks', to='annotation.assignment')),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='annotation.shownclaim')),
                ('mark', models.CharField(choices=[('right', 'Right'), ('wrong', 'Wrong'), ('irrelevant', 'Irrelevant')], max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'claim'), name='claim_marked_once'), models.CheckConstraint(condition=models.Q(('mark__in', ['right', 'wrong', 'irrelevant'])), name='claim_mark_is_known')],
            },
        ),
        migrations.CreateModel(
            name='TrainingAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.trainingattempt')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField(blank=True)),
                ('comment', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('attempt', 'question', 'step'), name='training_answer_once')],
            },
        ),
        migrations.CreateModel(
            name='FlagSpan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flag', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spans', to='annotation.flag')),
                ('block', models.CharField(max_length=50)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('text', models.TextField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='flag_span_marks_something')],
            },
        ),
        install(GUARDS),
    ]
