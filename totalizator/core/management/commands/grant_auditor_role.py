"""`manage.py grant_auditor_role`: let the auditor's database role read everything but secrets, and change nothing."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from psycopg import sql

from totalizator.core.encrypted import EncryptedTextField

# Tables that are all secret: who is logged in, second factors, what a repeated request is answered with.
HIDDEN_TABLES = frozenset(
    {
        "account_emailaddress",
        "account_emailconfirmation",
        "accounts_apitoken",
        "core_cache",
        "core_replayedanswer",
        "django_session",
        "mfa_authenticator",
        "usersessions_usersession",
    }
)
# Bytes are keys, salts and keyed digests: hidden, but for these, which prove something in public.
OPEN_BYTES = frozenset({("core_journalseal", "marks"), ("pools_lognode", "hash"), ("pools_betchunk", "root")})
SECRET_COLUMNS = frozenset(
    {
        ("accounts_user", "email"),
        ("accounts_user", "first_name"),
        ("accounts_user", "last_name"),
        ("accounts_user", "password"),
        ("accounts_user", "username"),
        ("pools_commissionkey", "wrapped_private"),
    }
)
_COLUMNS = """
SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position),
       array_agg((data_type = 'bytea') ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name ORDER BY table_name
"""


class Command(BaseCommand):
    help = "Grant the auditor's role its privileges; run as the owner, after every migrate."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", default="totalizator_auditor")

    def handle(self, *args: Any, role: str, **options: Any) -> None:
        to = sql.Identifier(role)
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(to))
            cursor.execute(sql.SQL("REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {}").format(to))
            cursor.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(to))
            for table, columns in readable_columns():
                names = sql.SQL(", ").join(map(sql.Identifier, columns))
                grant = sql.SQL("GRANT SELECT ({}) ON {} TO {}").format(names, sql.Identifier(table), to)
                cursor.execute(grant)


def readable_columns() -> Iterator[tuple[str, list[str]]]:
    """Yield every table that an auditor reads with its columns that hold no secret."""
    encrypted = {
        (model._meta.db_table, field.column)
        for model in apps.get_models()
        for field in model._meta.local_fields
        if isinstance(field, EncryptedTextField)
    }
    hidden = SECRET_COLUMNS | encrypted
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        for table, names, are_bytes in cursor.fetchall():
            shown = [
                name
                for name, is_bytes in zip(names, are_bytes, strict=True)
                if (table, name) not in hidden and (not is_bytes or (table, name) in OPEN_BYTES)
            ]
            if table not in HIDDEN_TABLES and shown:
                yield table, shown
