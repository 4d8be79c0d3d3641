"""`manage.py rotate_personal_data_keys`: write everything encrypted anew under the first key. Safe to run again."""

from collections.abc import Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.core.management.base import BaseCommand
from django.db import connection, models, transaction
from psycopg import sql

from totalizator.core.encrypted import EncryptedTextField, encrypt_anew

CHUNK = 500
_SECRETS = {"secret", "seed"}  # of a one-time password's device, and of recovery codes


class Command(BaseCommand):
    help = "Encrypt all personal data anew under the first of PERSONAL_DATA_KEYS; afterwards the other keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        for model, field in encrypted_columns():
            self.stdout.write(f"{model._meta.label}.{field.name}: {rotate_column(model, field)}")
        self.stdout.write(f"second factors: {rotate_second_factors()}")


def encrypted_columns() -> Iterator[tuple[type[models.Model], EncryptedTextField]]:
    """Yield every encrypted column of the installation with its model."""
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, EncryptedTextField):
                yield model, field


def rotate_column(model: type[models.Model], field: EncryptedTextField) -> int:
    """Encrypt one column anew, some rows a transaction, and return how many; who writes meanwhile loses nothing."""
    after: list[Any] = []
    rotated = 0
    while True:
        with transaction.atomic():
            rows = _locked_rows(model, field, after)
            for key, token in rows:
                _write(model, field, key, encrypt_anew(token))
        if not rows:
            return rotated
        rotated += len(rows)
        after = rows[-1][0]


def rotate_second_factors() -> int:
    """Encrypt the secrets of second factors anew, which allauth keeps inside JSON, and return how many."""
    rotated = 0
    for key in Authenticator.objects.values_list("pk", flat=True):
        with transaction.atomic():
            factor = Authenticator.objects.select_for_update().filter(pk=key).first()
            secrets = _SECRETS & factor.data.keys() if factor is not None else set()
            if factor is not None and secrets:
                factor.data.update({name: encrypt_anew(factor.data[name]) for name in secrets})
                factor.save(update_fields=["data"])
                rotated += 1
    return rotated


def _keys(model: type[models.Model]) -> list[sql.Identifier]:
    return [_identifier(key) for key in model._meta.pk_fields]


def _identifier(field: "models.Field[Any, Any]") -> sql.Identifier:
    return sql.Identifier(str(field.column))


def _locked_rows(model: type[models.Model], field: EncryptedTextField, after: list[Any]) -> list[tuple[list[Any], str]]:
    """Lock and return the next rows by their key: (key, token)."""
    keys, column = sql.SQL(", ").join(_keys(model)), _identifier(field)
    beyond = sql.SQL("AND ({}) > ({})").format(keys, sql.SQL(", ").join(sql.Placeholder() * len(after)))
    statement = sql.SQL(
        "SELECT {keys}, {column} FROM {table} WHERE {column} IS NOT NULL {beyond} ORDER BY {keys} LIMIT {chunk}"
        " FOR NO KEY UPDATE"
    ).format(
        keys=keys,
        column=column,
        table=sql.Identifier(model._meta.db_table),
        beyond=beyond if after else sql.SQL(""),
        chunk=CHUNK,
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, after)
        return [(list(row[:-1]), row[-1]) for row in cursor.fetchall()]


def _write(model: type[models.Model], field: EncryptedTextField, key: list[Any], token: str) -> None:
    statement = sql.SQL("UPDATE {table} SET {column} = %s WHERE ({keys}) = ({values})").format(
        table=sql.Identifier(model._meta.db_table),
        column=_identifier(field),
        keys=sql.SQL(", ").join(_keys(model)),
        values=sql.SQL(", ").join(sql.Placeholder() * len(key)),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [token, *key])
