"""Let bets be paid by post, and money go back by post."""

import totalizator.core.encrypted
from django.db import migrations, models


def keep(table: str, *, only: str, before: str) -> migrations.RunSQL:
    """Return an operation after which the columns `only` of a row may change, as `before` might until now."""

    def rule(columns: str) -> str:
        return f"""
        CREATE OR REPLACE FUNCTION {table}_keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' OR to_jsonb(NEW) - '{{{columns}}}'::text[] <> to_jsonb(OLD) - '{{{columns}}}'::text[] THEN
                RAISE EXCEPTION '{table}: only {columns} may change' USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$
        """

    return migrations.RunSQL(sql=rule(f"{before},{only}"), reverse_sql=rule(before))


# Payee and payer change only when they are encrypted under a new key.
KEEP_ORDERS = keep("pools_betorder", only="payer_address", before="state,ticket,paid_by_id,payer_name,payer_account")
KEEP_PROPOSALS = keep("pools_receiptproposal", only="payee_address", before="payee_name,payee_account")


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0012_outbox"),
    ]

    operations = [
        migrations.AddField(
            model_name="betorder",
            name="payer_address",
            field=totalizator.core.encrypted.EncryptedTextField(
                default="", help_text="Of who pays by post: where money goes back to (¶41)."
            ),
        ),
        migrations.AddField(
            model_name="receiptproposal",
            name="payee_address",
            field=totalizator.core.encrypted.EncryptedTextField(default="", help_text="For a return by post."),
        ),
        migrations.AlterField(
            model_name="betorder",
            name="payer_account",
            field=totalizator.core.encrypted.EncryptedTextField(
                help_text="IBAN: where money goes back to (¶41); empty: it goes by post."
            ),
        ),
        migrations.AlterField(
            model_name="receiptproposal",
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
        KEEP_ORDERS,
        KEEP_PROPOSALS,
    ]
