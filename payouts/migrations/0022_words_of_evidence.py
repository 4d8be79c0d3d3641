"""Name the encrypted columns of evidence, which another key must be able to write anew."""

from django.db import migrations

WORDS = {
    "payouts_disputestep": ("words",),
    "payouts_formerrecipient": ("full_name", "identity_number", "document"),
    "payouts_resultclaim": ("claimant", "story"),
    "payouts_resultclaimanswer": ("words",),
}


def trigger(table: str, columns: tuple[str, ...]) -> str:
    """Return the statements that make the table's trigger anew, with these columns as its arguments."""
    return (
        f"DROP TRIGGER append_only_rows ON {table};"
        f" CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION core_refuse_change({', '.join(columns)})"
    )


class Migration(migrations.Migration):
    dependencies = [("payouts", "0021_own_pages"), ("core", "0011_words_of_evidence")]

    operations = [
        migrations.RunSQL(sql=trigger(table, columns), reverse_sql=trigger(table, ()))
        for table, columns in WORDS.items()
    ]
