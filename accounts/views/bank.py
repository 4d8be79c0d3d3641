"""The organizer's pages of the bank: files are read, each line once; what came in them, and in whose books (¶35.5)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.bank import BankFileForm, OwnAccountForm, PostForm
from accounts.models import BankStatement, OwnBankAccount, PostalOperator, PostalRegister
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.bank_imports import imported_statements, statement_lines
from accounts.services.bank_doubts import doubtful_lines
from accounts.services.bank_statements import enter_own_account, import_bank_file
from accounts.services.post import enter_postal_operator
from accounts.services.postal_registers import import_postal_register
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.localtime import local_text
from totalizator.core.paging import page_of

STATEMENTS_A_PAGE, LINES_A_PAGE, REGISTERS_SHOWN = 20, 50, 5


@organizer_only
def bank(request: PersonRequest) -> HttpResponseBase:
    """Show the files that were read, the newest first; read another."""
    form = BankFileForm(request.POST or None, request.FILES or None)
    if done_by_form(form, partial(_read, request)):
        return redirect("accounts:bank")
    statements = BankStatement.objects.select_related("account").order_by("-pk")
    page = page_of(request, statements, STATEMENTS_A_PAGE)
    registers = PostalRegister.objects.select_related("line", "imported_by").order_by("-pk")[:REGISTERS_SHOWN]
    context = {
        "form": form,
        "page": page,
        "shown": imported_statements(list(page)),
        "registers": registers,
        "has_accounts": OwnBankAccount.objects.exists(),
        "doubts": doubtful_lines().count(),
    }
    return render(request, "organizer/money/bank.html", context, status=400 if form.errors else 200)


@organizer_only
def statement(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a statement with its lines, and where each of them stands."""
    found = get_object_or_404(BankStatement.objects.select_related("account"), pk=number)
    which = request.GET.get("lines", "")
    page = page_of(request, statement_lines(found, which), LINES_A_PAGE)
    ways = [("", _("all lines")), ("in", _("came in")), ("out", _("went out")), ("wait", _("without a place yet"))]
    (told,) = imported_statements([found])
    context = {
        "told": told,
        "page": page,
        "tabs": [(label, f"?lines={value}", value == which) for value, label in ways],
        "keep": f"lines={which}&" if which in ("in", "out", "wait") else "",
    }
    return render(request, "organizer/money/statement.html", context)


@organizer_only
def own_accounts(request: PersonRequest) -> HttpResponseBase:
    """Show our accounts at the bank; enter another."""
    form = OwnAccountForm(request.POST or None)
    if done_by_form(form, partial(enter_own_account, by=request.user)):
        messages.success(request, _("The account is entered; its statements can be read."))
        return redirect("accounts:own_accounts")
    context = {"form": form, "accounts": OwnBankAccount.objects.order_by("pk")}
    return render(request, "organizer/money/own_accounts.html", context, status=400 if form.errors else 200)


@organizer_only
def post(request: PersonRequest) -> HttpResponseBase:
    """Show the agreements with the post, the latest first; enter another."""
    form = PostForm(request.POST or None)
    if done_by_form(form, partial(enter_postal_operator, entered_by=request.user)):
        messages.success(request, _("The agreement is entered; it holds from its day on."))
        return redirect("accounts:post")
    operators = PostalOperator.objects.select_related("entered_by").order_by("-valid_from", "-pk")
    page = page_of(request, operators, STATEMENTS_A_PAGE)
    context = {"form": form, "page": page}
    return render(request, "organizer/money/post.html", context, status=400 if form.errors else 200)


def _read(request: PersonRequest, *, kind: str, file: bytes) -> None:
    """Read a file, and say what came of it, also that it had come before."""
    begun = clock.now()
    if kind == "register":
        register = import_postal_register(content=file, imported_by=request.user)
        if register.imported_at < begun:
            _say_known(request, local_text(register.imported_at))
            return
        told = _("Register %(number)s of the post is read: remittances: %(remittances)s.")
        messages.success(request, told % {"number": register.number, "remittances": register.remittances})
        return
    done = import_bank_file(content=file, actor=request.user.actor)
    before = [each.imported_at for each in done.statements if each.imported_at < begun]
    if done.statements and len(before) == len(done.statements):
        _say_known(request, local_text(before[0]))
        return
    told = _("The file is read. Lines booked: %(new)s; known from an earlier file: %(known)s; in doubt: %(maybe)s.")
    say = messages.warning if done.maybe else messages.success
    say(request, told % {"new": done.new, "known": done.known, "maybe": done.maybe})


def _say_known(request: PersonRequest, when: str) -> None:
    messages.warning(request, _("This very file was read before, on %(when)s: nothing has changed.") % {"when": when})
