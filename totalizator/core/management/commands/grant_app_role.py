"""`manage.py grant_app_role`: give the application's database role what it needs and no more."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from psycopg import sql

# Rows that are evidence: the application may add and read them, never change them (also kept by triggers).
APPEND_ONLY = (
    "core_journalrecord",
    "core_journalseal",
    "core_release",
    "core_legalnumber",
    "core_nonworkingday",
    "core_riskwarning",
    "core_outboxevent",
    "core_daycomparison",
    "accounts_transfer",
    "accounts_entry",
    "accounts_accountdecision",
    "accounts_accountproposal",
    "accounts_bankline",
    "accounts_banklinedecision",
    "accounts_banklineproposal",
    "accounts_bankstatement",
    "accounts_cashlimit",
    "accounts_consent",
    "accounts_currencyrate",
    "accounts_deskcheck",
    "accounts_dormancynotice",
    "accounts_equipmentcertificate",
    "accounts_exclusion",
    "accounts_forwardedexclusion",
    "accounts_gameend",
    "accounts_gameendproposal",
    "accounts_placement",
    "accounts_loginclosing",
    "accounts_loginopening",
    "accounts_numberdecision",
    "accounts_numbereddocument",
    "accounts_numberproposal",
    "accounts_pointdocument",
    "accounts_postaloperator",
    "accounts_postalregister",
    "accounts_providermessage",
    "accounts_identifiedoperation",
    "accounts_registerimport",
    "accounts_releaseapproval",
    "accounts_releasechange",
    "accounts_roledecision",
    "accounts_roleproposal",
    "accounts_takingsagreement",
    "accounts_topup",
    "accounts_verification",
    "accounts_withdrawaldecision",
    "accounts_withdrawalproposal",
    "accounts_withdrawnnumber",
    "accounts_withdrawnrole",
    "accounts_zreport",
    "payouts_disputedocument",
    "payouts_noticechoice",
    "payouts_ticketscan",
    "pools_abandonedcorrection",
    "pools_alivecount",
    "pools_abandonmentproposal",
    "pools_archivedplay",
    "pools_bet",
    "pools_betcancellation",
    "pools_betcancellationproposal",
    "pools_betchunk",
    "pools_cancellation",
    "pools_cancellationproposal",
    "pools_commitment",
    "pools_conflictdeclaration",
    "pools_correctedwinning",
    "pools_evidence",
    "pools_keyrevocationproposal",
    "pools_lateannulment",
    "pools_logentry",
    "pools_loghead",
    "pools_lognode",
    "pools_logstamp",
    "pools_operatorkey",
    "pools_operatorkeynotice",
    "pools_paperregister",
    "pools_poolarchive",
    "pools_poolmember",
    "pools_protocoldissent",
    "pools_protocolsignature",
    "pools_receiptdecision",
    "pools_resultentry",
    "pools_provisionalresult",
    "pools_resultproposal",
    "pools_winning",
    "payouts_agentcommission",
    "payouts_booking",
    "payouts_cashwish",
    "payouts_centraldesk",
    "payouts_claimdecision",
    "payouts_claimproposal",
    "payouts_commissionsposted",
    "payouts_consentwithdrawal",
    "payouts_creditwish",
    "payouts_correctedpayable",
    "payouts_correctionbooking",
    "payouts_disputestep",
    "payouts_formerrecipient",
    "payouts_largeapproval",
    "payouts_largepayment",
    "payouts_messagetry",
    "payouts_overpaidcase",
    "payouts_overpaiddecision",
    "payouts_overpaidproposal",
    "payouts_payment",
    "payouts_phonebinding",
    "payouts_receivablepayment",
    "payouts_refundlapse",
    "payouts_refundlapseproposal",
    "payouts_poolnotices",
    "payouts_publication",
    "payouts_publicationproposal",
    "payouts_publishedinsiderwins",
    "payouts_resultclaim",
    "payouts_resultclaimanswer",
    "payouts_termextended",
    "payouts_termextension",
    "payouts_ticketowner",
    "payouts_timegivenback",
    "payouts_unpaidlistcopy",
)

# What a job erases of evidence when its term is over; the table's trigger lets nothing else of the row change.
ERASED = {"payouts_formerrecipient": ("full_name", "identity_number", "document")}


class Command(BaseCommand):
    help = "Grant the application's role its privileges; run as the owner, after every migrate."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", default="totalizator_app")

    def handle(self, *args: Any, role: str, **options: Any) -> None:
        to = sql.Identifier(role)
        statements = [
            sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(to),
            sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}").format(to),
            sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}").format(to),
            # The broker's client makes its queues itself.
            sql.SQL("GRANT USAGE, CREATE ON SCHEMA pgmq TO {}").format(to),
            sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgmq TO {}").format(to),
            sql.SQL("GRANT TEMPORARY ON DATABASE {} TO {}").format(
                sql.Identifier(str(connection.settings_dict["NAME"])), to
            ),
            *(
                sql.SQL("REVOKE UPDATE, DELETE, TRUNCATE ON {} FROM {}").format(sql.Identifier(table), to)
                for table in APPEND_ONLY
            ),
            *(
                sql.SQL("GRANT UPDATE ({}) ON {} TO {}").format(
                    sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table), to
                )
                for table, columns in ERASED.items()
            ),
            sql.SQL("REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {}").format(to),
        ]
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
