"""Guesses of the system: asked for by campaign, given once for a submitted place, never changed."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

UNSUBMITTED = "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) <> 'submitted'"
GUESS_AFTER_GRADE = Guard("annotation_systemguess", "INSERT", UNSUBMITTED, "a guess comes after the grade")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0009_reminders'),
        ('benchmark', '0004_release_description'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GuessQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='guess_question', to='annotation.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='SystemGuess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='system_guess', to='annotation.assignment')),
                ('system', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='guesses', to='benchmark.system')),
            ],
        ),
        install(
            [
                *append_only("annotation_guessquestion"),
                *append_only("annotation_systemguess"),
                GUESS_AFTER_GRADE,
            ]
        ),
    ]
