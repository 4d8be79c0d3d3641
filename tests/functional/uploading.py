"""Sending a file by a form, as staff do from a browser."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.functional.calling import Caller


def upload(caller: Caller, path: str, content: bytes | None, **fields: Any) -> Any:
    """The answer to a form with a file, or without one."""
    files = {"file": SimpleUploadedFile("sent", content)} if content is not None else {}
    return caller.client.post(f"/api/v1/staff/{path}", fields | files)
