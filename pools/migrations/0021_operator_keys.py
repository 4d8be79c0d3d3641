"""Keep every key that the operator has signed with, beginning with the one under the log as it is."""

import base64

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from totalizator.core import signing
from totalizator.core.append_only import append_only


def register_present_key(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Register the key of the settings, if anything was signed yet."""
    first = apps.get_model("pools", "LogHead").objects.order_by("size").first()
    if first is not None:
        public = base64.b64encode(signing.operator_public_key()).decode()
        keys = apps.get_model("pools", "OperatorKey").objects
        keys.create(key_id=signing.operator_key_id(), public=public, first_used_at=first.at)


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0020_log_of_reports"),
    ]

    operations = [
        migrations.CreateModel(
            name="OperatorKey",
            fields=[
                ("key_id", models.CharField(max_length=41, primary_key=True, serialize=False)),
                ("public", models.CharField(help_text="32 bytes in base64.", max_length=44)),
                ("first_used_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="OperatorKeyNotice",
            fields=[
                (
                    "key",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="notice",
                        serialize=False,
                        to="pools.operatorkey",
                    ),
                ),
                (
                    "document_text",
                    models.TextField(help_text="Canonical JSON with the former key's signature, one line."),
                ),
                ("published_at", models.DateTimeField()),
                (
                    "former",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.operatorkey"
                    ),
                ),
            ],
        ),
        append_only("pools_operatorkey"),
        append_only("pools_operatorkeynotice"),
        migrations.RunPython(register_present_key, migrations.RunPython.noop),
    ]
