"""What came in the bank's files: statements with totals, and whether they agree with the balances (¶35.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum, TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.models import BankLine, BankStatement, User, WhyOpen


class Standing(TextChoices):
    """Whether a statement's lines lead from its opening to its closing balance."""

    AGREES = "agrees", _("agrees")
    DIFFERS = "differs", _("does not agree")
    PARTLY_KNOWN = "known", _("agreed when it was read")
    NOT_TOLD = "not_told", _("no balances in the file")


@dataclass(frozen=True, slots=True)
class ImportedStatement:
    """A statement; of the lines that are its own, the sums in kopecks. Other lines had come in an earlier file."""

    statement: BankStatement
    came_in: int
    went_out: int
    own_lines: int
    imported_by: str

    @property
    def standing(self) -> Standing:
        """Where all lines are its own, they are summed again; what was known before agreed when the file was read."""
        opening, closing = self.statement.opening, self.statement.closing
        if opening is None or closing is None:
            return Standing.NOT_TOLD
        if self.own_lines != self.statement.lines_in_file:
            return Standing.PARTLY_KNOWN
        return Standing.AGREES if opening + self.came_in - self.went_out == closing else Standing.DIFFERS


def imported_statements(statements: Sequence[BankStatement]) -> list[ImportedStatement]:
    """Return the statements with their sums, in one question to the database."""
    rows = (
        BankLine.objects.filter(statement__in=[statement.pk for statement in statements], part_of__isnull=True)
        .values_list("statement")
        .annotate(
            lines=Count("pk"),
            came_in=Sum("amount", filter=Q(is_credit=True), default=0),
            went_out=Sum("amount", filter=Q(is_credit=False), default=0),
        )
    )
    sums = {number: (int(came_in), int(went_out), lines) for number, lines, came_in, went_out in rows}
    names = names_of(statement.imported_by for statement in statements)
    return [
        ImportedStatement(each, *sums.get(each.pk, (0, 0, 0)), names.get(each.imported_by, each.imported_by))
        for each in statements
    ]


def names_of(actors: Iterable[str]) -> Mapping[str, str]:
    """Return the log-in names of actors as the journal has them, `user:12`; a job has none."""
    numbers = {int(actor.removeprefix("user:")) for actor in actors if actor.removeprefix("user:").isdecimal()}
    return {
        f"user:{number}": name for number, name in User.objects.filter(pk__in=numbers).values_list("pk", "username")
    }


def statement_lines(statement: BankStatement, which: str) -> QuerySet[BankLine]:
    """Return the lines of a statement as they stand in the file: all, `in`, `out`, or those that `wait`."""
    lines = BankLine.objects.filter(statement=statement, part_of__isnull=True)
    waiting = Q(receipt__isnull=False) & ~Q(receipt__why=WhyOpen.PLACED)
    chosen = {"in": Q(is_credit=True), "out": Q(is_credit=False), "wait": waiting}.get(which, Q())
    return lines.filter(chosen).select_related("words", "receipt", "order").order_by("place", "pk")
