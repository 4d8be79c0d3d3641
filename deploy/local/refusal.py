"""The one error of the local stack."""


class Refusal(Exception):
    """A sentence that tells a person what is missing and what to do; printed as it is, without a traceback."""
