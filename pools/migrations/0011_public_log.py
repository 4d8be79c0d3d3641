"""Keep a public log of what is published, and the pieces of the tree over a pool's bets."""

import django.db.models.deletion
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0010_rules_text_kept"),
    ]

    operations = [
        migrations.CreateModel(
            name="LogNode",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "level", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("level", models.PositiveSmallIntegerField()),
                ("position", models.BigIntegerField(help_text="Among the subtrees of its level, from 0.")),
                ("hash", models.BinaryField(max_length=32)),
            ],
        ),
        migrations.CreateModel(
            name="BetChunk",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "pool_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="From 0.")),
                ("first_ticket", models.CharField(max_length=40)),
                ("root", models.BinaryField(max_length=32)),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.pool"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LogEntry",
            fields=[
                ("index", models.BigIntegerField(help_text="From 0.", primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("commitment", "commitment to the bets of a pool"),
                            ("protocol", "protocol of a result"),
                            ("settlement", "official settlement"),
                            ("correction", "correcting document"),
                            ("journal", "state of the journal"),
                        ],
                        max_length=10,
                    ),
                ),
                ("subject", models.CharField(help_text="Of a pool's documents the pool's code.", max_length=120)),
                ("version", models.PositiveIntegerField()),
                ("digest", models.CharField(help_text="Of the published file's bytes.", max_length=71)),
                ("at", models.DateTimeField(help_text="Never before that of the line above.")),
                ("line", models.TextField(help_text="The line itself, without its newline: what is hashed.")),
            ],
            options={
                "indexes": [models.Index(fields=["subject", "index"], name="pools_log_subject")],
            },
        ),
        migrations.CreateModel(
            name="LogHead",
            fields=[
                ("size", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "at",
                    models.DateTimeField(
                        help_text="Read while nobody else could append; never before that of a smaller head."
                    ),
                ),
                ("root", models.CharField(help_text="Hex.", max_length=64)),
                (
                    "document_text",
                    models.TextField(help_text="The head as published: canonical JSON with its signature."),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["at", "size"], name="pools_log_head_at")],
            },
        ),
        *(append_only(f"pools_{table}") for table in ("logentry", "lognode", "loghead", "betchunk")),
    ]
