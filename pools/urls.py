"""Addresses of pools, of betting on them, and of the commission's and organizer's desks.

`api_urlpatterns` are under /api/v1/.
"""

from django.urls import path

from accounts.api.staff.answering import addresses
from pools.api import (
    batches,
    bet_orders,
    events,
    open_data,
    paper_decisions,
    paper_forms,
    paper_registers,
    public_log,
    result_feeds,
    staff_pauses,
    staff_receipts,
    staff_statements,
)
from pools.api import betting as bets
from pools.api import pools as api
from pools.views import betting, commission, consents, drafting, files, organizing, public
from totalizator.core.addresses import register_label

register_label()
app_name = "pools"
urlpatterns = [
    path("rules/", public.rules_page, name="rules"),
    path("rules/<label:version>/", public.rules_page, name="rules"),
    path("my/consent/<label:version>/", consents.accept, name="accept_rules"),
    path("keys.json", public.keys_file, name="keys"),
    path("errors/", public.errors_page, name="errors"),
    path("pools/<label:code>/", public.pool_page, name="pool"),
    path("pools/<label:code>/terms.json", public.terms_file, name="terms"),
    path("pools/<label:code>/commitment.json", public.commitment_file, name="commitment"),
    path("pools/<label:code>/result/", public.result_page, name="result"),
    path("pools/<label:code>/bundle.zip", public.bundle, name="bundle"),
    path("pools/<label:code>/quick/", betting.quick_pick, name="quick"),
    path("pools/<label:code>/coupon/", betting.read_coupon_back, name="coupon"),
    path("pools/<label:code>/coupon/change/", betting.change_coupon, name="correct"),
    path("pools/<label:code>/pay/", betting.pay, name="pay"),
    path("pools/<label:code>/ticket.pdf", betting.ticket_pdf, name="ticket_pdf"),
    path("pools/<label:code>/upload/", files.upload, name="upload"),
    path("pools/<label:code>/upload/sell/", files.sell_upload, name="sell_upload"),
    path("commission/", commission.desk, name="commission"),
    path("commission/key/", commission.new_key, name="new_key"),
    path("commission/key/<label:key_id>/revoke/", commission.revoke, name="revoke_key"),
    path("commission/<label:code>/result/", commission.enter, name="enter"),
    path("commission/<label:code>/protocol/", commission.protocol, name="protocol"),
    path("desk/", organizing.desk, name="desk"),
    path("desk/draft/", drafting.draft_document, name="draft"),
    path("desk/draft/matches/", drafting.draft_round, name="draft_round"),
    path("desk/rules/", drafting.rules, name="publish_rules"),
    path("desk/rules/filing/", drafting.filing, name="filing"),
    path("desk/pools/<label:code>/", organizing.manage, name="manage"),
    path("desk/pools/<label:code>/draft/", drafting.redraft, name="redraft"),
    path("desk/pools/<label:code>/announce/", organizing.announce, name="announce"),
    path("desk/pools/<label:code>/close/", organizing.close_early, name="close"),
    path("desk/pools/<label:code>/cancel/", organizing.cancel, name="cancel"),
    path("desk/pools/<label:code>/cancel/approve/", organizing.approve, name="approve"),
    path("desk/pools/<label:code>/journal/", organizing.journal, name="journal"),
]
api_urlpatterns = [
    path("pools/", api.PoolList.as_view(), name="pools"),
    path("pools/<label:code>/", api.PoolDetail.as_view(), name="pool"),
    path("pools/<label:code>/result", api.PoolResult.as_view(), name="result"),
    path("pools/<label:code>/statement", api.PoolStatement.as_view(), name="statement"),
    path("pools/<label:code>/commitment", api.PoolCommitment.as_view(), name="commitment"),
    path("pools/<label:code>/bundle", api.PoolBundle.as_view(), name="bundle"),
    path("pools/<label:code>/quote", bets.Quotes.as_view(), name="quote"),
    path("pools/<label:code>/bets", bets.PoolBets.as_view(), name="bets"),
    path("pools/<label:code>/bets/batch", batches.PoolBatches.as_view(), name="batch"),
    path("pools/<label:code>/card-bets", bets.CardBets.as_view(), name="card_bets"),
    path("pools/<label:code>/bet-orders", bet_orders.PoolOrders.as_view(), name="pool_orders"),
    path("bet-orders", bet_orders.BetOrders.as_view(), name="bet_orders"),
    path("paper/registers", paper_registers.PaperRegisters.as_view(), name="paper_registers"),
    path("paper/forms", paper_forms.PaperForms.as_view(), name="paper_forms"),
    path("paper/forms/faulty", paper_forms.FaultyForms.as_view(), name="faulty_forms"),
    path("paper/forms/spoiled", paper_forms.SpoiledForms.as_view(), name="spoiled_forms"),
    path("paper/forms/<int:number>/approval", paper_decisions.FormApprovals.as_view(), name="form_approval"),
    path("paper/forms/<int:number>/rejection", paper_decisions.FormRejections.as_view(), name="form_rejection"),
    path("paper/forms/<int:number>/return", paper_decisions.FormReturns.as_view(), name="form_return"),
    path("paper/forms/<int:number>/jackpot", paper_decisions.FormJackpotProposals.as_view(), name="form_jackpot"),
    path(
        "paper/forms/<int:number>/jackpot/approval",
        paper_decisions.FormJackpotApprovals.as_view(),
        name="form_jackpot_approval",
    ),
    path("open-data", open_data.OpenData.as_view(), name="open_data"),
    path("open-data/pools", open_data.OpenPools.as_view(), name="open_pools"),
    path("open-data/pools.csv", open_data.OpenPoolTable.as_view(), name="open_pools_table"),
    path("open-data/levels.csv", open_data.OpenLevelTable.as_view(), name="open_levels_table"),
    path("open-data/pools/<label:code>/distribution", open_data.OpenDistribution.as_view(), name="open_distribution"),
    path("events", events.Events.as_view(), name="events"),
    path("events/subscribers", events.Subscribers.as_view(), name="subscribers"),
    path("events/subscribers/<int:number>/approval", events.SubscriberApprovals.as_view(), name="subscriber_approval"),
    path("events/subscribers/<int:number>/stop", events.SubscriberStops.as_view(), name="subscriber_stop"),
    path(
        "events/subscribers/<int:number>/stop/approval",
        events.SubscriberStopApprovals.as_view(),
        name="subscriber_stop_approval",
    ),
    path("result-feeds", result_feeds.ResultFeeds.as_view(), name="result_feeds"),
    path("pools/<label:code>/result-proposals", result_feeds.ResultProposals.as_view(), name="result_proposals"),
    path("keys", api.PublishedKeys.as_view(), name="keys"),
    *addresses(*staff_pauses.DECLARED, *staff_receipts.DECLARED, *staff_statements.DECLARED),
    path("log/entries", public_log.LogEntries.as_view(), name="log_entries"),
    path("log/file", public_log.LogFile.as_view(), name="log_file"),
    path("log/head", public_log.LogHeadDetail.as_view(), name="log_head"),
    path("log/heads", public_log.LogHeads.as_view(), name="log_heads"),
    path("log/inclusion", public_log.LogInclusion.as_view(), name="log_inclusion"),
    path("log/proof", public_log.LogGrowth.as_view(), name="log_proof"),
]
