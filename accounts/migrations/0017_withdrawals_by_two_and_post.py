"""Let two people end what is unknown, transfers come and go by post, and refusals be told in any language."""

import django.db.models.deletion
import totalizator.core.encrypted
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only

# `pool_closed: The pool is closed.`: the code says it all, in the language of whoever reads it.
REFUSALS_BY_CODE = "UPDATE accounts_receipt SET refusal = split_part(refusal, ':', 1) WHERE refusal <> ''"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0016_claimed_numbers"),
    ]

    operations = [
        migrations.RunSQL(REFUSALS_BY_CODE, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="PostalOperator",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="As the bank writes it.", max_length=140)),
                ("account", models.CharField(help_text="IBAN.", max_length=34)),
                ("bank", models.CharField(help_text="BIC.", max_length=11)),
                ("agreement", models.CharField(help_text="The paper: its number and day.", max_length=200)),
                ("valid_from", models.DateField()),
                ("entered_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PostalRegister",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.CharField(
                        help_text="As the post numbers it, and names it in the line's purpose.", max_length=40
                    ),
                ),
                ("file_digest", models.CharField(max_length=71, unique=True)),
                ("remittances", models.PositiveIntegerField()),
                ("imported_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="WithdrawalProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("paid", models.BooleanField(help_text="Whether the player has the money.")),
                (
                    "document",
                    models.CharField(help_text="The paper of the payment system that says so.", max_length=200),
                ),
                ("proposed_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="bankline",
            name="part_of",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="remittances",
                to="accounts.bankline",
            ),
        ),
        migrations.AddField(
            model_name="banklinewords",
            name="party_address",
            field=totalizator.core.encrypted.EncryptedTextField(
                default="", help_text="Where the sender of a remittance by post lives."
            ),
        ),
        migrations.AddField(
            model_name="paymentorder",
            name="payee_address",
            field=totalizator.core.encrypted.EncryptedTextField(
                default="", help_text="Where the post brings the money; empty: to an account."
            ),
        ),
        migrations.AlterField(
            model_name="paymentinstrument",
            name="kind",
            field=models.CharField(
                choices=[
                    ("bank", "bank account"),
                    ("credit", "credit card"),
                    ("debit", "debit card"),
                    ("wallet", "wallet of a payment system"),
                    ("post", "postal transfer"),
                ],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="paymentinstrument",
            name="provider",
            field=models.CharField(
                blank=True, help_text="The payment system; empty: it goes by the bank.", max_length=20
            ),
        ),
        migrations.AlterField(
            model_name="paymentinstrument",
            name="token",
            field=totalizator.core.encrypted.EncryptedTextField(
                help_text="The bank account, the address, or what the payment system calls it."
            ),
        ),
        migrations.AlterField(
            model_name="placement",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("account", "to a game account"),
                    ("bet", "stake of a bet"),
                    ("jackpot", "to the jackpot (¶17.1-17.3)"),
                    ("returned", "back to the payer"),
                    ("booked", "booked before by a document"),
                    ("register", "told part by part in the post's register"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="receipt",
            name="refusal",
            field=models.CharField(
                blank=True, help_text="The code of what the account or pool refused.", max_length=40
            ),
        ),
        migrations.AlterField(
            model_name="receipt",
            name="why",
            field=models.CharField(
                choices=[
                    ("new", "not looked at yet"),
                    ("no_reference", "no requisites (¶17.1)"),
                    ("unreadable", "unreadable requisites (¶17.2)"),
                    ("late", "paid late (¶17.3)"),
                    ("part_paid", "less than the stake (¶9.13)"),
                    ("overpaid", "more than the stake: the rest"),
                    ("paid_before", "the bet was paid before"),
                    ("other_payer", "paid by another than the order's payer (¶41)"),
                    ("register", "paid by the post, whose register is awaited"),
                    ("nobodys", "no such account or bet"),
                    ("refused", "refused"),
                    ("placed", "placed"),
                ],
                default="new",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="unmatcheditem",
            name="mismatch",
            field=models.CharField(
                choices=[
                    ("unknown_here", "the payment system knows it, we do not"),
                    ("unknown_there", "we know it, the payment system does not"),
                    ("amount", "another amount or currency"),
                    ("instrument", "another instrument than the money was sent to"),
                    ("state", "another state"),
                    ("refused", "the money came and may not be credited"),
                ],
                max_length=14,
            ),
        ),
        migrations.AddIndex(
            model_name="bankline",
            index=models.Index(
                condition=models.Q(("part_of__isnull", False)),
                fields=["part_of"],
                name="accounts_bank_line_remittances",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankline",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_credit", True), ("part_of__isnull", True), _connector="OR"),
                name="accounts_remittance_is_credit",
            ),
        ),
        migrations.AddField(
            model_name="postaloperator",
            name="entered_by",
            field=models.ForeignKey(
                db_index=False,
                help_text="Another person gives what goes by post to the bank.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="paymentorder",
            name="post",
            field=models.ForeignKey(
                db_index=False,
                help_text="Whose account it goes to, if the post brings the money to the payee.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.postaloperator",
            ),
        ),
        migrations.AddField(
            model_name="postalregister",
            name="imported_by",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="postalregister",
            name="line",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="postal_register", to="accounts.bankline"
            ),
        ),
        migrations.CreateModel(
            name="WithdrawalDecision",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="accounts.withdrawalproposal",
                    ),
                ),
                ("decided_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="withdrawalproposal",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="withdrawalproposal",
            name="withdrawal",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="accounts.withdrawal"
            ),
        ),
        migrations.AddIndex(
            model_name="postaloperator",
            index=models.Index(fields=["account", "valid_from"], name="accounts_postal_accounts"),
        ),
        migrations.AddField(
            model_name="withdrawaldecision",
            name="approved_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="withdrawaldecision",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="withdrawaldecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                name="accounts_withdrawal_ended_by_two",
            ),
        ),
        append_only("accounts_postaloperator"),
        append_only("accounts_postalregister"),
        append_only("accounts_withdrawalproposal"),
        append_only("accounts_withdrawaldecision"),
    ]
