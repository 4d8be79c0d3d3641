"""Conflicts, evidence, dissent, lost keys, late annulments: all of them rows that stay as they were written."""

import django.contrib.postgres.fields
import django.db.models.deletion
import totalizator.core.filed_files
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only

# As before, and until the first signature a dissent may be added to the document, and nothing else changed in it.
KEEP_PROTOCOLS = migrations.RunSQL(
    sql="""
    CREATE OR REPLACE FUNCTION pools_keep_protocol() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.sealed_at IS NOT NULL
           OR (NEW.pool_id, NEW.version, NEW.number, NEW.attempt, NEW.drawn_up_at)
              IS DISTINCT FROM (OLD.pool_id, OLD.version, OLD.number, OLD.attempt, OLD.drawn_up_at)
           OR (NEW.document_text IS DISTINCT FROM OLD.document_text AND (
               EXISTS (SELECT FROM pools_protocolsignature WHERE pool_id = OLD.pool_id AND version = OLD.version)
               OR (NEW.document_text::jsonb #- '{protocol,dissent}')
                  IS DISTINCT FROM (OLD.document_text::jsonb #- '{protocol,dissent}')
               OR NOT COALESCE((NEW.document_text::jsonb #> '{protocol,dissent}')
                               @> (OLD.document_text::jsonb #> '{protocol,dissent}'), false))) THEN
            RAISE EXCEPTION 'protocol % is append-only: it can only be sealed, once', OLD.number
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$
    """,
    reverse_sql="""
    CREATE OR REPLACE FUNCTION pools_keep_protocol() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.sealed_at IS NOT NULL
           OR (NEW.pool_id, NEW.version, NEW.number, NEW.document_text, NEW.drawn_up_at)
              IS DISTINCT FROM (OLD.pool_id, OLD.version, OLD.number, OLD.document_text, OLD.drawn_up_at) THEN
            RAISE EXCEPTION 'protocol % is append-only: it can only be sealed, once', OLD.number
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$
    """,
)


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0015_paper_form_person"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ConflictDeclaration",
            fields=[
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conflicts",
                        to="pools.pool",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "pool_id", "member_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                ("declared_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="evidence", to="pools.pool"
                    ),
                ),
                (
                    "filed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "condition",
                    models.CharField(blank=True, help_text="Its code; empty: the whole event.", max_length=20),
                ),
                ("source", models.CharField(help_text="Who says so: a federation, a broadcaster.", max_length=200)),
                ("address", models.CharField(blank=True, help_text="Where it was found.", max_length=500)),
                ("captured_at", models.DateTimeField()),
                (
                    "file",
                    models.FileField(
                        max_length=200, storage=totalizator.core.filed_files.private_storage, upload_to=""
                    ),
                ),
                ("original_name", models.CharField(max_length=200)),
                ("content_type", models.CharField(max_length=40)),
                ("size", models.PositiveIntegerField(help_text="Bytes.")),
                ("digest", models.CharField(help_text="`sha256:` + hex, of the content.", max_length=71)),
                ("filed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="KeyRevocationProposal",
            fields=[
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="revocation_proposals",
                        to="pools.commissionkey",
                    ),
                ),
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500)),
                ("proposed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="LateAnnulment",
            fields=[
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="late_annulments", to="pools.pool"
                    ),
                ),
                (
                    "noted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("condition", models.CharField(blank=True, help_text="Empty: the whole event.", max_length=20)),
                ("reason", models.CharField(max_length=500)),
                ("document", models.CharField(help_text="The paper that annuls it.", max_length=200)),
                ("noted_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="ProtocolDissent",
            fields=[
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.pool"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.commissionkey"
                    ),
                ),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "pool_id", "version", "member_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("version", models.PositiveSmallIntegerField()),
                ("words", models.CharField(max_length=2000)),
                (
                    "signature",
                    models.CharField(blank=True, help_text="In base64; empty when in the document.", max_length=88),
                ),
                ("said_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="poolmember",
            name="chair",
            field=models.BooleanField(default=False, help_text="Owner of the first key that the quorum names."),
        ),
        migrations.AddField(
            model_name="protocol",
            name="attempt",
            field=models.PositiveSmallIntegerField(default=1, help_text="Of the two entries that it is drawn up from."),
        ),
        migrations.AddField(
            model_name="resultentry",
            name="corrects",
            field=models.PositiveSmallIntegerField(default=0, help_text="Version of the protocol; 0: a first result."),
        ),
        migrations.AddField(
            model_name="resultentry",
            name="document",
            field=models.CharField(blank=True, help_text="Of a correction: which paper says so.", max_length=200),
        ),
        migrations.AddField(
            model_name="resultentry",
            name="evidence",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                default=list,
                help_text="Numbers of `Evidence` of the pool.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="resultentry",
            name="reason",
            field=models.CharField(blank=True, help_text="Of a correction.", max_length=500),
        ),
        migrations.AddField(
            model_name="resultentry",
            name="void_reasons",
            field=models.JSONField(default=dict, help_text="Why it did not take place: by condition code, or `event`."),
        ),
        migrations.AddConstraint(
            model_name="poolmember",
            constraint=models.UniqueConstraint(
                condition=models.Q(("chair", True)), fields=("pool",), name="pools_one_chair"
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("digest", ""), _negated=True), ("size__gt", 0)),
                name="pools_evidence_is_there",
            ),
        ),
        append_only("pools_conflictdeclaration"),
        append_only("pools_evidence"),
        append_only("pools_keyrevocationproposal"),
        append_only("pools_lateannulment"),
        append_only("pools_protocoldissent"),
        KEEP_PROTOCOLS,
    ]
