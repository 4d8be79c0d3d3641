"""Keep lines that may be known out of the books, and hold deposits that may not be credited, until two decide."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0021_regulator"),
    ]

    operations = [
        migrations.CreateModel(
            name="BankLineProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "same",
                    models.BooleanField(help_text="Whether it is the payment that `line.resembles` has told already."),
                ),
                ("document", models.CharField(help_text="What the bank says about it.", max_length=200)),
                ("proposed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="DepositReturn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=200)),
                (
                    "document",
                    models.CharField(
                        blank=True, help_text="Empty: the payment system is asked to do it.", max_length=200
                    ),
                ),
                (
                    "returned",
                    models.BooleanField(
                        default=True, help_text="What the document says: whether the payer has the money."
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "proposed"),
                            ("approved", "approved"),
                            ("unknown", "unknown"),
                            ("sent", "under way"),
                            ("done", "done"),
                            ("failed", "failed"),
                        ],
                        default="proposed",
                        max_length=8,
                    ),
                ),
                ("proposed_at", models.DateTimeField()),
                ("moved_at", models.DateTimeField()),
                ("provider_reference", models.CharField(blank=True, max_length=80)),
                ("told", models.CharField(blank=True, help_text="Why it failed.", max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name="HeldDeposit",
            fields=[
                (
                    "deposit",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="held",
                        serialize=False,
                        to="accounts.providerdeposit",
                    ),
                ),
                (
                    "taken",
                    models.BigIntegerField(help_text="In minor units of the currency, as the payment system says."),
                ),
                (
                    "currency",
                    models.CharField(
                        choices=[
                            ("BYN", "Belarusian ruble"),
                            ("RUB", "Russian ruble"),
                            ("USD", "US dollar"),
                            ("EUR", "euro"),
                        ],
                        max_length=3,
                    ),
                ),
                ("amount", models.BigIntegerField(help_text="Kopecks, by that rate.")),
                ("why", models.CharField(help_text="The code of what was refused, or `amount`.", max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[("held", "held"), ("credited", "credited"), ("returned", "given back")],
                        default="held",
                        max_length=8,
                    ),
                ),
                ("held_at", models.DateTimeField()),
                ("moved_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="bankline",
            name="resembles",
            field=models.ForeignKey(
                db_index=False,
                help_text="The line that tells the same payment, maybe: until two people know, this one is not in the books.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.bankline",
            ),
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
                    ("receivable", "winning of a cancelled bet, to be given back"),
                    ("game_account", "player's game account"),
                    ("prepaid_card", "prepaid card"),
                    ("withdrawals_due", "withdrawals on their way"),
                    ("orders_due", "payment orders on their way"),
                    ("held_deposits", "deposits that may not be credited"),
                    ("bank_suspense", "transfers whose place is not known yet"),
                    ("pool_pot", "pool's pot"),
                    ("winnings_due", "winnings to be paid"),
                    ("refunds_due", "stakes to be returned"),
                    ("jackpot", "jackpot"),
                    ("tax_due", "income tax withheld"),
                    ("agent_due", "agent's commission to be paid"),
                    ("takeout", "takeout"),
                    ("cash_excess", "cash that was over"),
                    ("cash_rounding", "what rounding cash down left"),
                    ("organizer", "organizer's own money"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="providerdeposit",
            name="state",
            field=models.CharField(
                choices=[
                    ("pending", "begun"),
                    ("failed", "failed"),
                    ("settled", "credited"),
                    ("held", "held: it may not be credited"),
                    ("returned", "given back"),
                ],
                default="pending",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="transfer",
            name="kind",
            field=models.CharField(
                choices=[
                    ("deposit", "deposit"),
                    ("deposit_held", "deposit that may not be credited"),
                    ("deposit_returned", "deposit given back to its payer"),
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
                    ("bet_cancelled", "stake of a cancelled bet, from the organizer (¶29)"),
                    ("winning_reclaimed", "paid winning of a cancelled bet (¶29)"),
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
                    ("jackpot_cancelled", "winning of a cancelled bet (¶29, D-3)"),
                    ("jackpot_requisites", "payment without requisites (¶17.1)"),
                    ("jackpot_unreadable", "payment with unreadable requisites (¶17.2)"),
                    ("jackpot_late_payment", "payment that came late (¶17.3)"),
                    ("jackpot_organizer", "organizer's money (¶17.6, ¶38.3)"),
                    ("reversal", "reversal"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="bankline",
            index=models.Index(
                condition=models.Q(("resembles__isnull", False)), fields=["id"], name="accounts_doubtful_lines"
            ),
        ),
        migrations.AddConstraint(
            model_name="bankline",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("resembles__isnull", True),
                    models.Q(("is_credit", True), ("part_of__isnull", True)),
                    _connector="OR",
                ),
                name="accounts_doubtful_line_is_credit",
            ),
        ),
        migrations.AddField(
            model_name="banklineproposal",
            name="line",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="accounts.bankline"
            ),
        ),
        migrations.AddField(
            model_name="banklineproposal",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="depositreturn",
            name="approved_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="depositreturn",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="helddeposit",
            name="instrument",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.paymentinstrument",
            ),
        ),
        migrations.AddField(
            model_name="helddeposit",
            name="rate",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.currencyrate",
            ),
        ),
        migrations.AddField(
            model_name="depositreturn",
            name="held",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="returns", to="accounts.helddeposit"
            ),
        ),
        migrations.CreateModel(
            name="BankLineDecision",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="accounts.banklineproposal",
                    ),
                ),
                ("decided_at", models.DateTimeField()),
                (
                    "approved_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="helddeposit",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0), ("taken__gt", 0)), name="accounts_held_deposit_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="depositreturn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                    ("approved_by__isnull", True),
                    _connector="OR",
                ),
                name="accounts_deposit_returned_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="depositreturn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("approved_by__isnull", True), ("state", "proposed")),
                    models.Q(models.Q(("state", "proposed"), _negated=True), ("approved_by__isnull", False)),
                    _connector="OR",
                ),
                name="accounts_return_moves_approved",
            ),
        ),
        migrations.AddConstraint(
            model_name="depositreturn",
            constraint=models.CheckConstraint(
                condition=models.Q(("returned", True), models.Q(("document", ""), _negated=True), _connector="OR"),
                name="accounts_not_returned_by_document",
            ),
        ),
        migrations.AddConstraint(
            model_name="depositreturn",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["approved", "unknown", "sent"])),
                fields=("held",),
                name="accounts_one_return_under_way",
            ),
        ),
        migrations.AddConstraint(
            model_name="banklinedecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                name="accounts_bank_line_told_by_two",
            ),
        ),
        append_only("accounts_banklineproposal"),
        append_only("accounts_banklinedecision"),
    ]
