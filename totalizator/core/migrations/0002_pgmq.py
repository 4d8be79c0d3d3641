"""Install pgmq, the message queue inside PostgreSQL that is the broker unless CELERY_BROKER_URL names another.

The SQL is the one inside the pinned package `pgmq`, so that the functions and their client always belong together.
A database where pgmq is already there, as an extension, is left as it is.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from pgmq.install import get_embedded_install_sql

PRESENT = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'pgmq')"
EXTENSION = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pgmq')"


def _is_true(editor: BaseDatabaseSchemaEditor, question: str) -> bool:
    with editor.connection.cursor() as cursor:
        cursor.execute(question)
        return bool(cursor.fetchone()[0])


def install(_: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the schema pgmq, unless it is there."""
    if not _is_true(editor, PRESENT):
        editor.execute(get_embedded_install_sql(), params=None)


def remove(_: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the schema pgmq with the messages in it, unless it is an extension's."""
    if not _is_true(editor, EXTENSION):
        editor.execute("DROP SCHEMA IF EXISTS pgmq CASCADE", params=None)


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]
    operations = [migrations.RunPython(install, remove)]
