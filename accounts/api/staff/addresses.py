"""Every address of the staff's part of the API that stands on this floor, by subject."""

from django.urls import path

from accounts.api.staff import (
    agents,
    bank,
    bank_doubts,
    bank_terms,
    card_batches,
    cards,
    cases,
    certificates,
    exclusions,
    held_deposits,
    insiders,
    numbers,
    payment_files,
    payment_orders,
    point_papers,
    points,
    post,
    providers,
    rates,
    registrations,
    release_changes,
    roles,
    terminals,
    tills,
    trials,
    unmatched,
    withdrawal_ends,
    withdrawals,
)
from accounts.api.staff.answering import addresses
from totalizator.core.addresses import register_label

register_label()
SUBJECTS = (
    agents,
    bank,
    bank_doubts,
    bank_terms,
    card_batches,
    cards,
    cases,
    certificates,
    exclusions,
    held_deposits,
    insiders,
    numbers,
    payment_files,
    payment_orders,
    point_papers,
    points,
    post,
    providers,
    rates,
    registrations,
    release_changes,
    roles,
    terminals,
    tills,
    trials,
    unmatched,
    withdrawal_ends,
    withdrawals,
)
urlpatterns = [
    *addresses(*(declared for subject in SUBJECTS for declared in subject.DECLARED)),
    path("staff/payment-exports", payment_files.PaymentExports.as_view(), name="staff_payment_exports"),
    path("staff/expiries", point_papers.WhatEnds.as_view(), name="staff_expiries"),
]
