"""Who showed a document when a paper form was written (X15)."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0016_claimed_numbers"), ("pools", "0014_release_and_incidents")]
    operations = [
        migrations.AddField(
            "paperform",
            "person",
            models.ForeignKey(
                help_text="Who showed a document (X15).",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.person",
            ),
        ),
    ]
