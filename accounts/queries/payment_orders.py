"""Which payment orders wait to be given to the bank."""

from django.db.models import QuerySet

from accounts.models import OrderState, PaymentOrder


def orders_to_export() -> QuerySet[PaymentOrder]:
    """Payment orders that are drawn up and not yet given to the bank, from the oldest."""
    return PaymentOrder.objects.filter(state=OrderState.DRAWN_UP).order_by("pk")
