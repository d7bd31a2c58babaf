"""All tables and guards of accounts at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import accounts.models
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import append_only, install

GUARDS = [
    *append_only("accounts_auditevent"),
]


class Migration(migrations.Migration):

    replaces = [('accounts', '0001_initial'), ('accounts', '0002_guards'), ('accounts', '0003_invitations'), ('accounts', '0004_preferences_and_erasure'), ('accounts', '0005_raters'), ('accounts', '0006_rater_is_unique'), ('accounts', '0007_saved_comments'), ('accounts', '0008_access_tokens'), ('accounts', '0009_access_tokens_expire'), ('accounts', '0010_conflicts_decided'), ('accounts', '0011_invitations_mailed')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('rater', models.CharField(default=accounts.models.new_rater, editable=False, help_text='The name of this person in label tables; that of an imported rater is as in their file.', max_length=500, unique=True)),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False)),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now)),
                ('capacity', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('away_until', models.DateField(blank=True, null=True)),
                ('credit', models.CharField(choices=[('named', 'By name'), ('pseudonym', 'Under a pseudonym'), ('anonymous', 'Not at all')], default='anonymous', max_length=20)),
                ('pseudonym', models.CharField(blank=True, max_length=100)),
                ('reminders', models.BooleanField(default=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_unique_whatever_case'), models.CheckConstraint(condition=models.Q(('credit__in', ['named', 'pseudonym', 'anonymous'])), name='user_credit_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('credit', 'pseudonym'), _negated=True), models.Q(('pseudonym', ''), _negated=True), _connector='OR'), name='user_pseudonym_is_given'), models.CheckConstraint(condition=models.Q(('capacity__isnull', True), ('capacity__gte', 1), _connector='OR'), name='user_capacity_from_one'), models.CheckConstraint(condition=models.Q(('erased_at__isnull', True), models.Q(('is_active', False), ('name', ''), ('pseudonym', '')), _connector='OR'), name='user_erased_has_nothing_left')],
            },
        ),
        migrations.CreateModel(
            name='Role',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='roles', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(choices=[('reviewer', 'Reviewer'), ('coordinator', 'Coordinator'), ('owner', 'Owner')], max_length=20)),
                ('granted_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'name'), name='role_held_once'), models.CheckConstraint(condition=models.Q(('name__in', ['reviewer', 'coordinator', 'owner'])), name='role_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('reviewer', 'Reviewer'), ('coordinator', 'Coordinator'), ('owner', 'Owner')], max_length=20)),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('invited_by', models.ForeignKey(blank=True, help_text='Empty for an invitation made at the console.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_by', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
                ('mail_error', models.CharField(blank=True, db_default='', help_text='Why the mail server did not take the message.', max_length=300)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['reviewer', 'coordinator', 'owner'])), name='invitation_role_is_known'), models.CheckConstraint(condition=models.Q(('mailed_at__isnull', True), ('mail_error', ''), _connector='OR'), name='invitation_mailed_or_not'), models.CheckConstraint(condition=models.Q(('accepted_at__isnull', True), ('withdrawn_at__isnull', True), _connector='OR'), name='invitation_not_both_accepted_and_withdrawn'), models.CheckConstraint(condition=models.Q(models.Q(('accepted_at__isnull', True), ('accepted_by__isnull', True)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False)), _connector='OR'), name='invitation_accepted_by_someone_at_some_time'), models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('accepted_at__isnull', True), ('withdrawn_at__isnull', True)), name='invitation_open_once_per_address')],
            },
        ),
        migrations.CreateModel(
            name='Expertise',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='expertise', to=settings.AUTH_USER_MODEL)),
                ('domain', models.CharField(max_length=100)),
                ('confidence', models.PositiveSmallIntegerField(choices=[(1, 'familiar'), (2, 'working knowledge'), (3, 'expert')], default=2)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'domain'), name='expertise_once_per_domain'), models.CheckConstraint(condition=models.Q(('confidence__range', (1, 3))), name='expertise_confidence_1_to_3'), models.CheckConstraint(condition=models.Q(('domain', ''), _negated=True), name='expertise_names_a_domain')],
            },
        ),
        migrations.CreateModel(
            name='Conflict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('system', 'AI system or its maker'), ('institution', 'Institution'), ('person', 'Person'), ('paper', 'Paper'), ('problem', 'Problem')], max_length=20)),
                ('key', models.CharField(help_text="Whom or what it is with, in the user's words.", max_length=200)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'key'), name='conflict_named_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['system', 'institution', 'person', 'paper', 'problem'])), name='conflict_kind_is_known'), models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='conflict_names_something'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True)), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='conflict_decided_by_someone_at_some_time')],
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_tokens', to=settings.AUTH_USER_MODEL)),
                ('label', models.CharField(max_length=100)),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('scope', models.CharField(choices=[('read', 'Read'), ('grade', 'Read and grade'), ('manage', 'Everything you may do')], default='read', max_length=10)),
                ('password_mark', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('label', ''), _negated=True), name='access_token_has_a_label'), models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'grade', 'manage'])), name='access_token_scope_is_known'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='access_token_expires_after_it_was_made')],
            },
        ),
        migrations.CreateModel(
            name='SavedComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_comments', to=settings.AUTH_USER_MODEL)),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('changed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='saved_comment_says_something')],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('key', models.CharField(max_length=200)),
                ('request_sha256', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField()),
                ('body', models.JSONField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotency_key_once_per_user')],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('verb', models.CharField(max_length=60)),
                ('target_kind', models.CharField(max_length=60)),
                ('target_key', models.CharField(max_length=200)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('details', models.JSONField(default=dict)),
            ],
            options={
                'indexes': [models.Index(fields=['target_kind', 'target_key'], name='audit_by_target')],
                'constraints': [models.CheckConstraint(condition=models.Q(('verb', ''), _negated=True), name='audit_event_has_a_verb')],
            },
        ),
        install(GUARDS),
    ]
