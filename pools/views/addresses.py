"""Addresses that keep what was asked for, so that a page of a list can be sent to somebody, and goes back as it was."""

from django.forms import BaseForm
from django.http import QueryDict


def asked_again(asked: QueryDict, form: BaseForm) -> str:
    """Return the fields of a form as they were asked for, to be put before `page=`; those left empty are left out."""
    kept = QueryDict(mutable=True)
    for name in form.fields:
        if asked.get(name):
            kept[name] = str(asked[name])
    return f"{kept.urlencode()}&" if kept else ""
