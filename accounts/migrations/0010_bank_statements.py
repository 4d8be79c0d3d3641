"""Keep the bank's statements, each line once, and the money that waits for its place."""

import django.db.models.deletion
import totalizator.core.encrypted
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only

# A receipt is of one line for ever, and what still waits of it only falls.
KEEP_RECEIPT = migrations.RunSQL(
    sql="""
    CREATE FUNCTION accounts_keep_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.open_amount = 0
           OR NEW.line_id IS DISTINCT FROM OLD.line_id OR NEW.open_amount > OLD.open_amount THEN
            RAISE EXCEPTION 'receipt of line %: what waits of it only falls', OLD.line_id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_receipt BEFORE UPDATE OR DELETE ON accounts_receipt
        FOR EACH ROW EXECUTE FUNCTION accounts_keep_receipt()
    """,
    reverse_sql="DROP TRIGGER keep_receipt ON accounts_receipt; DROP FUNCTION accounts_keep_receipt()",
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_api_tokens"),
    ]

    operations = [
        migrations.CreateModel(
            name="BankLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveIntegerField(help_text="The line in the file.")),
                ("booked_on", models.DateField()),
                ("is_credit", models.BooleanField()),
                ("amount", models.BigIntegerField(help_text="Kopecks.")),
                ("bank_reference", models.CharField(blank=True, max_length=80)),
                ("end_to_end_id", models.CharField(blank=True, max_length=80)),
                ("identity", models.BinaryField(max_length=32, unique=True)),
                (
                    "order",
                    models.OneToOneField(
                        help_text="The payment order that this debit executes.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bank_line",
                        to="accounts.paymentorder",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BankStatement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file_digest", models.CharField(max_length=71)),
                ("place", models.PositiveIntegerField(help_text="The line in the file in which it begins.")),
                ("form", models.CharField(help_text="`camt.053`, `mt940`, `csv`.", max_length=10)),
                ("number", models.CharField(blank=True, max_length=80)),
                ("opening", models.BigIntegerField(help_text="Kopecks; empty where the file does not say.", null=True)),
                ("closing", models.BigIntegerField(null=True)),
                ("lines_in_file", models.PositiveIntegerField()),
                ("lines_new", models.PositiveIntegerField(help_text="The others were known from an earlier file.")),
                ("imported_at", models.DateTimeField()),
                ("imported_by", models.CharField(help_text="As in the journal: `user:12`.", max_length=80)),
            ],
        ),
        migrations.CreateModel(
            name="OwnBankAccount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("iban", models.CharField(max_length=34, unique=True)),
                ("bank", models.CharField(help_text="BIC.", max_length=11)),
                ("holder", models.CharField(help_text="As the bank writes it.", max_length=140)),
                ("entered_at", models.DateTimeField()),
            ],
        ),
        migrations.AlterField(
            model_name="ledgeraccount",
            name="kind",
            field=models.CharField(
                choices=[
                    ("till", "cash in a till"),
                    ("bank", "bank account"),
                    ("cash_desk", "cash in the cash desk"),
                    ("cash_in_transit", "cash being handed over"),
                    ("cash_shortage", "cash that was short"),
                    ("at_provider", "money that a payment system holds for us"),
                    ("game_account", "player's game account"),
                    ("prepaid_card", "prepaid card"),
                    ("withdrawals_due", "withdrawals on their way"),
                    ("orders_due", "payment orders on their way"),
                    ("bank_suspense", "transfers whose place is not known yet"),
                    ("pool_pot", "pool's pot"),
                    ("winnings_due", "winnings to be paid"),
                    ("refunds_due", "stakes to be returned"),
                    ("jackpot", "jackpot"),
                    ("tax_due", "income tax withheld"),
                    ("agent_due", "agent's commission to be paid"),
                    ("takeout", "takeout"),
                    ("cash_excess", "cash that was over"),
                    ("organizer", "organizer's own money"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="transfer",
            name="kind",
            field=models.CharField(
                choices=[
                    ("deposit", "deposit"),
                    ("provider_paid_over", "payment system paid over what it held"),
                    ("withdrawal", "withdrawal"),
                    ("withdrawal_paid", "withdrawal paid"),
                    ("withdrawal_returned", "withdrawal failed or cancelled"),
                    ("order_executed", "payment order executed"),
                    ("bank_receipt", "transfer received"),
                    ("receipt_returned", "transfer to be returned"),
                    ("receipt_booked", "transfer that a document had booked"),
                    ("till_float", "float given to a till"),
                    ("cash_sent", "cash sent"),
                    ("cash_received", "cash received"),
                    ("cash_short", "cash was short"),
                    ("cash_over", "cash was over"),
                    ("card_sold", "prepaid card sold"),
                    ("card_expired", "rest of an expired card (¶38.4)"),
                    ("stake", "stake"),
                    ("refund", "stake to be returned"),
                    ("refund_paid", "stake returned"),
                    ("takeout", "takeout"),
                    ("winnings", "winnings"),
                    ("winning_paid", "winning paid"),
                    ("tax", "income tax withheld"),
                    ("agent_commission", "agent's commission"),
                    ("top_up", "organizer's addition to a fund"),
                    ("jackpot_drawn", "jackpot put into a pool"),
                    ("jackpot_undrawn", "jackpot not won, taken back"),
                    ("jackpot_no_winner", "fund without winners (¶17.4, ¶38.1)"),
                    ("jackpot_cap", "cut off by the maximum winning (¶6)"),
                    ("jackpot_remainder", "remainder of rounding (D-6)"),
                    ("jackpot_unclaimed", "unclaimed winning (¶17.5, ¶38.2)"),
                    ("jackpot_requisites", "payment without requisites (¶17.1)"),
                    ("jackpot_unreadable", "payment with unreadable requisites (¶17.2)"),
                    ("jackpot_late_payment", "payment that came late (¶17.3)"),
                    ("jackpot_organizer", "organizer's money (¶17.6, ¶38.3)"),
                    ("reversal", "reversal"),
                ],
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="BankLineWords",
            fields=[
                (
                    "line",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="words",
                        serialize=False,
                        to="accounts.bankline",
                    ),
                ),
                ("party_name", totalizator.core.encrypted.EncryptedTextField()),
                ("party_account", totalizator.core.encrypted.EncryptedTextField()),
                ("party_bank", totalizator.core.encrypted.EncryptedTextField()),
                ("purpose", totalizator.core.encrypted.EncryptedTextField()),
            ],
        ),
        migrations.AddField(
            model_name="bankline",
            name="statement",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="lines", to="accounts.bankstatement"
            ),
        ),
        migrations.AddField(
            model_name="bankstatement",
            name="account",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="statements",
                to="accounts.ownbankaccount",
            ),
        ),
        migrations.AddField(
            model_name="bankline",
            name="account",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lines",
                to="accounts.ownbankaccount",
            ),
        ),
        migrations.CreateModel(
            name="PaymentFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message_id", models.CharField(max_length=35, unique=True)),
                ("orders", models.PositiveIntegerField()),
                ("total", models.BigIntegerField(help_text="Kopecks.")),
                ("digest", models.CharField(max_length=71, unique=True)),
                ("content", totalizator.core.encrypted.EncryptedTextField()),
                ("made_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payment_files",
                        to="accounts.ownbankaccount",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                (
                    "line",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="receipt",
                        serialize=False,
                        to="accounts.bankline",
                    ),
                ),
                ("open_amount", models.BigIntegerField(help_text="Kopecks in `bank_suspense`; only falls.")),
                (
                    "why",
                    models.CharField(
                        choices=[
                            ("new", "not looked at yet"),
                            ("no_reference", "no requisites (¶17.1)"),
                            ("unreadable", "unreadable requisites (¶17.2)"),
                            ("late", "paid late (¶17.3)"),
                            ("part_paid", "less than the stake (¶9.13)"),
                            ("overpaid", "more than the stake: the rest"),
                            ("paid_before", "the bet was paid before"),
                            ("nobodys", "no such account or bet"),
                            ("refused", "refused"),
                            ("placed", "placed"),
                        ],
                        default="new",
                        max_length=12,
                    ),
                ),
                ("reference", models.CharField(blank=True, help_text="As read: `ACC-00000017-53`.", max_length=20)),
                ("refusal", models.TextField(blank=True, help_text="What the account or the pool said.")),
                ("looked_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("why", "placed"), _negated=True),
                        fields=["why", "line"],
                        name="accounts_receipts_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("open_amount", 0), ("why", "placed")),
                            models.Q(models.Q(("why", "placed"), _negated=True), ("open_amount__gt", 0)),
                            _connector="OR",
                        ),
                        name="accounts_receipt_open_iff_not_placed",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Placement",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "receipt_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="From 1.")),
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
                ("amount", models.BigIntegerField(help_text="Kopecks.")),
                (
                    "subject",
                    models.CharField(help_text="`game_account:17`, `bet:2411-1-…`, `order:3`.", max_length=120),
                ),
                ("placed_at", models.DateTimeField()),
                (
                    "placed_by",
                    models.CharField(help_text="As in the journal: `user:12`, `task:match_receipts`.", max_length=80),
                ),
                (
                    "receipt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="placements",
                        to="accounts.receipt",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="bankstatement",
            constraint=models.UniqueConstraint(
                fields=("account", "file_digest", "place"), name="accounts_statement_once"
            ),
        ),
        migrations.AddIndex(
            model_name="bankline",
            index=models.Index(fields=["account", "booked_on", "bank_reference"], name="accounts_bank_references"),
        ),
        migrations.AddIndex(
            model_name="bankline",
            index=models.Index(
                condition=models.Q(("is_credit", False), ("order__isnull", True)),
                fields=["id"],
                name="accounts_other_debits",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankline",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="accounts_bank_line_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="bankline",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_credit", False), ("order__isnull", True), _connector="OR"),
                name="accounts_order_is_debit",
            ),
        ),
        migrations.AddConstraint(
            model_name="placement",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="accounts_placement_positive"
            ),
        ),
        append_only("accounts_bankstatement"),
        append_only("accounts_bankline"),
        append_only("accounts_placement"),
        KEEP_RECEIPT,
    ]
