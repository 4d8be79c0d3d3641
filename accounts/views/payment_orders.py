"""The organizer's pages of payment orders: what waits for the bank, its files, what came back (¶41-42)."""

from functools import partial

from django.contrib import messages
from django.db.models import Count, Sum
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.payments import ExportForm, PayeeForm, ReturnedOrderForm
from accounts.models import OrderState, OwnBankAccount, PaymentFile, PaymentOrder
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.bank_addresses import looks_like_wrong_iban
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import Payee, draw_up_anew, note_returned
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of

ORDERS_A_PAGE, FILES_A_PAGE, MOST_NAMED = 50, 50, 20


@organizer_only
def payment_orders(request: PersonRequest) -> HttpResponseBase:
    """Show the orders of a state, those that wait for the bank unless told; put these into a file."""
    newest = PaymentFile.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    form = ExportForm(request.POST or None, initial={"after": newest})
    if done_by_form(form, partial(_export, request)):
        return redirect("accounts:payment_files")
    chosen = request.GET.get("state", "")
    state = OrderState(chosen) if chosen in OrderState.values else OrderState.DRAWN_UP
    orders = PaymentOrder.objects.filter(state=state).select_related("post", "withdrawal")
    ordered = orders.order_by("pk") if state == OrderState.DRAWN_UP else orders.order_by("-pk")
    waiting = PaymentOrder.objects.filter(state=OrderState.DRAWN_UP).aggregate(
        number=Count("pk"), total=Sum("amount", default=0)
    )
    context = {
        "form": form,
        "page": page_of(request, ordered, ORDERS_A_PAGE),
        "waiting": waiting,
        "has_accounts": OwnBankAccount.objects.exists(),
        "tabs": [(each.label, f"?state={each.value}", each == state) for each in OrderState],
        "keep": f"state={state.value}&",
    }
    return render(request, "organizer/money/payment_orders.html", context, status=400 if form.errors else 200)


@organizer_only
def payment_order(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one order; note that it came back, or draw it up anew, as its state has it."""
    order = get_object_or_404(PaymentOrder.objects.select_related("post", "withdrawal", "replaces"), pk=number)
    form = _form_for(order, request)
    if isinstance(form, ReturnedOrderForm) and done_by_form(form, partial(note_returned, order=order, by=request.user)):
        messages.success(request, _("It is noted that the order came back."))
        return redirect("accounts:payment_order", number=number)
    if isinstance(form, PayeeForm) and done_by_form(form, partial(_draw_up, request, order)):
        return redirect("accounts:payment_order", number=PaymentOrder.objects.get(replaces=order).pk)
    context = {
        "order": order,
        "form": form,
        "is_return": isinstance(form, ReturnedOrderForm),
        "accounts": OwnBankAccount.objects.order_by("pk"),
        "file": PaymentFile.objects.filter(digest=order.file_digest).first() if order.file_digest else None,
        "replaced_by": PaymentOrder.objects.filter(replaces=order).first(),
        "wrong_account": _cannot_be_paid(order),
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/payment_order.html", context, status=status)


@organizer_only
def payment_files(request: PersonRequest) -> HttpResponseBase:
    """List the files that were made for the bank, the newest first; each can be had again, byte by byte."""
    files = PaymentFile.objects.select_related("account", "made_by").defer("content").order_by("-pk")
    context = {"page": page_of(request, files, FILES_A_PAGE)}
    return render(request, "organizer/money/payment_files.html", context)


def _export(request: PersonRequest, *, account: OwnBankAccount, after: int) -> None:
    """Make a file, once for each time the page was read: who presses twice is shown the same file."""
    mine = PaymentFile.objects.filter(pk__gt=after, account=account, made_by=request.user).order_by("pk")
    if mine.exists():
        return
    try:
        given = export_payment_orders(account=account, made_by=request.user)
    except DomainError:
        if mine.exists():  # the other press was quicker
            return
        raise
    told = _("File %(name)s is made: orders: %(orders)s.")
    messages.success(request, told % {"name": given.file.message_id, "orders": given.file.orders})
    if given.left_out:
        numbers = ", ".join(order.number for order in given.left_out[:MOST_NAMED])
        left = _("Left out, since no bank can pay to their accounts: %(orders)s. Note that they came back.")
        messages.warning(request, left % {"orders": numbers})


def _form_for(order: PaymentOrder, request: PersonRequest) -> ReturnedOrderForm | PayeeForm | None:
    """Return the form for what can be done now; what waits to be given to the bank can still come back if it must."""
    if order.state == OrderState.EXPORTED or (order.state == OrderState.DRAWN_UP and _cannot_be_paid(order)):
        return ReturnedOrderForm(request.POST or None)
    if order.state == OrderState.RETURNED and order.withdrawal_id is None:
        return PayeeForm(request.POST or None)
    return None


def _cannot_be_paid(order: PaymentOrder) -> bool:
    return order.state == OrderState.DRAWN_UP and looks_like_wrong_iban(order.payee_account)


def _draw_up(
    request: PersonRequest, order: PaymentOrder, *, payee_name: str, payee_account: str, payee_bank: str
) -> None:
    payee = Payee(payee_name, payee_account, payee_bank)
    draw_up_anew(order=order, payee=payee, drawn_up_by=request.user)
    messages.info(request, _("The order is drawn up anew; another person gives it to the bank."))
