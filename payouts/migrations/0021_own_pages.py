"""What players file and choose on their own pages: documents of disputes, letters or none."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import totalizator.core.filed_files
from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("payouts", "0020_ticket_scans"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DisputeDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "file",
                    models.FileField(
                        max_length=200, storage=totalizator.core.filed_files.private_storage, upload_to=""
                    ),
                ),
                ("content_type", models.CharField(max_length=40)),
                ("size", models.PositiveIntegerField(help_text="Bytes.")),
                ("digest", models.CharField(help_text="`sha256:` + hex, of the content.", max_length=71)),
                ("filed_at", models.DateTimeField()),
                (
                    "dispute",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="documents",
                        to="payouts.dispute",
                    ),
                ),
                (
                    "filed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="NoticeChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("letters", models.BooleanField(help_text="Whether notices are sent by e-mail too.")),
                ("chosen_at", models.DateTimeField()),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notice_choices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="disputedocument",
            constraint=models.UniqueConstraint(fields=("dispute", "digest"), name="payouts_dispute_document_once"),
        ),
        migrations.AddIndex(
            model_name="noticechoice",
            index=models.Index(fields=["player", "-id"], name="payouts_latest_choice"),
        ),
        append_only("payouts_disputedocument"),
        append_only("payouts_noticechoice"),
    ]
