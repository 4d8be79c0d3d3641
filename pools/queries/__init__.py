"""What the jobs and the pages ask about pools."""

from pools.queries.due import (
    pools_due_to_close,
    pools_due_to_commit,
    pools_due_to_open,
    pools_due_to_settle,
)

__all__ = ["pools_due_to_close", "pools_due_to_commit", "pools_due_to_open", "pools_due_to_settle"]
