"""Addresses of the organizer's pages of betting points, cash on its way and prepaid cards."""

from django.urls import path

from accounts.views.cards import batches, ranges, replacing
from accounts.views.points import cash, ending, papers, register, shifts, terminals, tills
from totalizator.core.addresses import register_label

register_label()
_POINT = "desk/points/<label:code>"
_TILL = f"{_POINT}/tills/<int:number>"
urlpatterns = [
    path("desk/points/", register.points, name="points"),
    path("desk/new-point/", register.new_point, name="new_point"),
    path(f"{_POINT}/switch/", register.switch, name="switch_point"),
    path(f"{_POINT}/papers/", papers.papers, name="point_papers"),
    path(f"{_POINT}/cash-limit/", papers.cash_limit, name="cash_limit"),
    path(f"{_POINT}/agreement/", papers.agreement, name="agreement"),
    path("desk/agreement/", papers.general_agreement, name="general_agreement"),
    path(f"{_POINT}/new-till/", tills.new_till, name="new_till"),
    path(f"{_TILL}/", tills.till, name="desk_till"),
    path(f"{_TILL}/cashier/", tills.cashier, name="till_cashier"),
    path(f"{_TILL}/certificate/", tills.certificate, name="till_certificate"),
    path(f"{_TILL}/cash/", tills.bring_cash, name="till_cash"),
    path(f"{_TILL}/switch/", tills.switch, name="switch_till"),
    path(f"{_TILL}/close/", tills.close, name="close_till"),
    path(f"{_TILL}/new-terminal/", terminals.new_terminal, name="new_terminal"),
    path("desk/terminals/", terminals.terminals, name="desk_terminals"),
    path("desk/terminals/<int:number>/", terminals.terminal, name="desk_terminal"),
    path("desk/terminals/<int:number>/key/", terminals.new_key, name="terminal_key"),
    path("desk/terminals/<int:number>/certificate/", terminals.certificate, name="terminal_certificate"),
    path("desk/terminals/<int:number>/switch/", terminals.switch, name="switch_terminal"),
    path("desk/papers/", ending.ending_papers, name="ending_papers"),
    path("desk/shifts/", shifts.shifts, name="desk_shifts"),
    path("desk/shifts/<int:number>/report/", shifts.z_report, name="desk_z_report"),
    path("desk/shifts/<int:number>/close/", shifts.close, name="close_shift"),
    path("desk/cash/", cash.cash, name="cash"),
    path("desk/cash/give/", cash.give, name="give_cash"),
    path("desk/cash/<int:number>/", cash.handover, name="handover"),
    path("desk/cash/<int:number>/document/", cash.document, name="handover_document"),
    path("desk/cards/", batches.cards, name="cards"),
    path("desk/cards/batches/new/", batches.new_batch, name="new_card_batch"),
    path("desk/cards/batches/<int:number>/", batches.batch, name="card_batch"),
    path("desk/cards/batches/<int:number>/approve/", batches.approve, name="approve_card_batch"),
    path("desk/cards/batches/<int:number>/export/", batches.export, name="export_card_batch"),
    path("desk/cards/batches/<int:number>/sheets/", batches.sheets, name="card_sheets"),
    path("desk/cards/stock/", ranges.stock, name="desk_card_stock"),
    path("desk/cards/find/", ranges.find, name="find_card"),
    path("desk/cards/send/", ranges.ship, name="send_cards"),
    path("desk/cards/block/", ranges.block, name="block_cards"),
    path("desk/cards/unblock/", ranges.unblock, name="unblock_cards"),
    path("desk/cards/replacements/", replacing.replacements, name="card_replacements"),
    path("desk/cards/replacements/<int:number>/approve/", replacing.approve, name="approve_card_replacement"),
]
