"""The analyses of `manage.py analyse` on stored labels and on tables sent by REST."""
