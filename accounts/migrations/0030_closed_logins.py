"""Log-ins of staff are closed by one person, and opened again by another."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

from totalizator.core.append_only import append_only

# Whoever writes past the services cannot open in silence what was closed (R1).
OPENED_BY_ANOTHER = migrations.RunSQL(
    sql="""
    CREATE FUNCTION accounts_login_by_another() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM accounts_loginclosing c WHERE c.person_id = NEW.id
                   AND NOT EXISTS (SELECT FROM accounts_loginopening o WHERE o.closing_id = c.id)) THEN
            RAISE EXCEPTION 'user %: nobody has opened the closed log-in', NEW.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER login_by_another BEFORE UPDATE OF is_active ON accounts_user
        FOR EACH ROW WHEN (NEW.is_active AND NOT OLD.is_active) EXECUTE FUNCTION accounts_login_by_another()
    """,
    reverse_sql="DROP TRIGGER login_by_another ON accounts_user; DROP FUNCTION accounts_login_by_another()",
)


def _person(related_name: str = "+") -> Any:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL, related_name=related_name
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0029_card_sale_receipt"),
    ]

    operations = [
        migrations.CreateModel(
            name="LoginClosing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField()),
                ("closed_at", models.DateTimeField()),
                ("closed_by", _person()),
                ("person", _person(related_name="login_closings")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=~Q(person=F("closed_by")), name="accounts_nobody_closes_the_own_login"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="LoginOpening",
            fields=[
                (
                    "closing",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="opening",
                        serialize=False,
                        to="accounts.loginclosing",
                    ),
                ),
                ("reason", models.TextField()),
                ("opened_at", models.DateTimeField()),
                ("closed_by", _person()),
                ("opened_by", _person()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=~Q(closed_by=F("opened_by")), name="accounts_login_opened_by_another"
                    )
                ]
            },
        ),
        append_only("accounts_loginclosing"),
        append_only("accounts_loginopening"),
        OPENED_BY_ANOTHER,
    ]
