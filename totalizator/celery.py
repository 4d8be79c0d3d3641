"""The Celery application: finds the tasks of every app, and ticks the clock that moves pools."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")

app = Celery("totalizator")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
