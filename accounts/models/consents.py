"""That a player accepted the rules: who, which version, when (¶9.9)."""

from django.db import models

from accounts.models.persons import Person


class Consent(models.Model):
    """One person's consent to one version of the rules text. Append-only."""

    pk = models.CompositePrimaryKey("person_id", "rules_version")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="consents", db_index=False)
    rules_version = models.CharField(max_length=71, help_text="`sha256:` + hex, of the text.")
    accepted_at = models.DateTimeField()
