"""Take bets by transfer and on paper; let two people decide about money that found no place."""

import django.db.models.deletion
import totalizator.core.encrypted
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


def keep(table: str, *, only: str) -> migrations.RunSQL:
    """Return an operation after which a row is never deleted, and only the columns `only` of it ever change."""
    return migrations.RunSQL(
        sql=f"""
        CREATE FUNCTION {table}_keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' OR to_jsonb(NEW) - '{{{only}}}'::text[] <> to_jsonb(OLD) - '{{{only}}}'::text[] THEN
                RAISE EXCEPTION '{table}: only {only} may change' USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_keep()
        """,
        reverse_sql=f"DROP TRIGGER keep_row ON {table}; DROP FUNCTION {table}_keep()",
    )


# Payee and payer change only when they are encrypted under a new key.
KEEP_ORDERS = keep("pools_betorder", only="state,ticket,paid_by_id,payer_name,payer_account")
KEEP_PROPOSALS = keep("pools_receiptproposal", only="payee_name,payee_account")
KEEP_FORMS = keep("pools_paperform", only="state,why,note,proposed_by_id,approved_by_id,approved_at,ticket")

NO_NUMBER_TWICE = migrations.RunSQL(
    sql="ALTER TABLE pools_paperregister ADD CONSTRAINT pools_register_numbers_once"
    " EXCLUDE USING gist (int8range(first, last, '[]') WITH &&)",
    reverse_sql="ALTER TABLE pools_paperregister DROP CONSTRAINT pools_register_numbers_once",
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_bank_statements"),
        ("pools", "0008_incidents"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ReceiptProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("account", "to a game account"),
                            ("bet", "stake of a bet"),
                            ("jackpot", "to the jackpot (¶17.1-17.3)"),
                            ("returned", "back to the payer"),
                            ("booked", "booked before by a document"),
                        ],
                        max_length=10,
                    ),
                ),
                ("amount", models.BigIntegerField(help_text="Kopecks: what lay open when it was proposed.")),
                ("payee_name", totalizator.core.encrypted.EncryptedTextField(help_text="For a return.")),
                ("payee_account", totalizator.core.encrypted.EncryptedTextField(help_text="For a return.")),
                ("reason", models.TextField()),
                ("document", models.CharField(help_text="The paper that says so.", max_length=200)),
                ("proposed_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.gameaccount",
                    ),
                ),
            ],
        ),
        migrations.AlterField(
            model_name="bet",
            name="channel",
            field=models.CharField(
                choices=[
                    ("cash", "cash at a betting point"),
                    ("account", "game account"),
                    ("card", "prepaid card"),
                    ("transfer", "bank or postal transfer"),
                    ("paper", "paper form at a betting point"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="incident",
            name="channel",
            field=models.CharField(
                blank=True,
                choices=[
                    ("cash", "cash at a betting point"),
                    ("account", "game account"),
                    ("card", "prepaid card"),
                    ("transfer", "bank or postal transfer"),
                    ("paper", "paper form at a betting point"),
                ],
                help_text="Empty: every channel.",
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="BetOrder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("selections", models.TextField(help_text="As in bets.csv: `1;X;1+2`.")),
                ("stake", models.BigIntegerField(help_text="Kopecks.")),
                ("payer_name", totalizator.core.encrypted.EncryptedTextField()),
                (
                    "payer_account",
                    totalizator.core.encrypted.EncryptedTextField(help_text="IBAN: where money goes back to (¶41)."),
                ),
                (
                    "rules_version",
                    models.CharField(help_text="Of the rules that the payer agreed to (¶9.9).", max_length=71),
                ),
                ("made_at", models.DateTimeField()),
                ("made_by", models.CharField(help_text="As in the journal: `user:12`.", max_length=80)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "to be paid"), ("registered", "paid and registered as a bet")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("ticket", models.CharField(max_length=40, null=True, unique=True)),
                (
                    "paid_by",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bet_order",
                        to="accounts.bankline",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        help_text="Who plays, where that is known (X15).",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.person",
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="bet_orders", to="pools.pool"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PaperRegister",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "jackpot",
                    models.CharField(
                        help_text="The kind of game printed on it: `sportloto`, `totolot`.", max_length=10
                    ),
                ),
                ("first", models.BigIntegerField()),
                ("last", models.BigIntegerField()),
                ("issued_at", models.DateTimeField()),
                (
                    "issued_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "point",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="paper_registers",
                        to="accounts.bettingpoint",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PaperForm",
            fields=[
                ("number", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("entered", "entered, to be approved"),
                            ("registered", "registered as a bet"),
                            ("to_return", "refused, its money to be returned"),
                            ("returned", "returned"),
                            ("jackpot", "to the jackpot (¶17.1-17.2)"),
                            ("spoiled", "spoiled"),
                        ],
                        max_length=10,
                    ),
                ),
                ("selections", models.TextField(blank=True)),
                ("stake", models.BigIntegerField(help_text="Kopecks taken for it.", null=True)),
                (
                    "written_at",
                    models.DateTimeField(help_text="As on the paper; what counts is when it was entered.", null=True),
                ),
                ("entered_at", models.DateTimeField(help_text="By the database's clock.")),
                (
                    "why",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("late", "the pool was closed (¶9.10)"),
                            ("missing", "requisites missing (¶17.1)"),
                            ("unreadable", "requisites unreadable (¶17.2)"),
                            ("rejected", "not as on the paper"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="What spoiled it, the receipt of its return.", max_length=200
                    ),
                ),
                ("approved_at", models.DateTimeField(null=True)),
                ("ticket", models.CharField(max_length=40, null=True, unique=True)),
                (
                    "approved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entered_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="paper_forms",
                        to="pools.pool",
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        help_text="The jackpot.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "till",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.till"
                    ),
                ),
                (
                    "register",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="forms", to="pools.paperregister"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReceiptDecision",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="pools.receiptproposal",
                    ),
                ),
                ("decided_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="receiptproposal",
            name="order",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.betorder"
            ),
        ),
        migrations.AddField(
            model_name="receiptproposal",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="receiptproposal",
            name="receipt",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="accounts.receipt"
            ),
        ),
        migrations.AddConstraint(
            model_name="betorder",
            constraint=models.CheckConstraint(condition=models.Q(("stake__gt", 0)), name="pools_order_positive"),
        ),
        migrations.AddConstraint(
            model_name="betorder",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("paid_by__isnull", True), ("state", "open"), ("ticket__isnull", True)),
                    models.Q(("paid_by__isnull", False), ("state", "registered"), ("ticket__isnull", False)),
                    _connector="OR",
                ),
                name="pools_order_registered_iff_paid",
            ),
        ),
        migrations.AddConstraint(
            model_name="paperregister",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__gt", 0), ("last__gte", models.F("first"))), name="pools_register_has_forms"
            ),
        ),
        migrations.AddIndex(
            model_name="paperform",
            index=models.Index(
                condition=models.Q(("state__in", ["entered", "to_return"])), fields=["number"], name="pools_forms_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="paperform",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "registered"), ("ticket__isnull", False)),
                    models.Q(models.Q(("state", "registered"), _negated=True), ("ticket__isnull", True)),
                    _connector="OR",
                ),
                name="pools_form_registered_iff_bet",
            ),
        ),
        migrations.AddConstraint(
            model_name="paperform",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["to_return", "returned", "jackpot"]), models.Q(("why", ""), _negated=True)),
                    models.Q(models.Q(("state__in", ["to_return", "returned", "jackpot"]), _negated=True), ("why", "")),
                    _connector="OR",
                ),
                name="pools_form_refused_for_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="paperform",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "registered"), _negated=True),
                    models.Q(("entered_by", models.F("approved_by")), _negated=True),
                    _connector="OR",
                ),
                name="pools_form_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="paperform",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "jackpot"), _negated=True),
                    models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                    _connector="OR",
                ),
                name="pools_form_jackpot_by_two",
            ),
        ),
        migrations.AddField(
            model_name="receiptdecision",
            name="approved_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="receiptdecision",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="receiptdecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                name="pools_receipt_decided_by_two",
            ),
        ),
        append_only("pools_receiptdecision"),
        append_only("pools_paperregister"),
        KEEP_ORDERS,
        KEEP_PROPOSALS,
        KEEP_FORMS,
        NO_NUMBER_TWICE,
    ]
