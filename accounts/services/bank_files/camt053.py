"""ISO 20022 camt.053, BankToCustomerStatement, every version from 001.02: what this system needs of it."""

import re

from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.entries import (
    LONGEST_NAME,
    LONGEST_PURPOSE,
    LONGEST_REFERENCE,
    ParsedStatement,
    StatementEntry,
    checked,
    fault,
    read_amount,
    read_date,
    read_text,
    refuse_other_currency,
)
from accounts.services.bank_files.xml_tree import Node, read_xml

_NAMESPACE = re.compile(r"urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(\d\d)")
_NOT_PROVIDED = "NOTPROVIDED"
_OPENING, _CLOSING = ("OPBD", "PRCD"), ("CLBD",)


def read_camt053(content: bytes) -> list[ParsedStatement]:
    """Return the statements of a camt.053 file, booked entries only.

    A collective entry becomes one entry for each of its transactions, which must add up to it.

    :raises DomainError: BAD_VALUE naming the line and the element.
    """
    document = read_xml(content)
    if document.name != "Document" or _NAMESPACE.fullmatch(document.namespace) is None:
        raise fault(document.line, document.name, _("this is no camt.053 file."))
    statements = [checked(_statement(node)) for node in document.all("BkToCstmrStmt/Stmt")]
    if not statements:
        raise fault(document.line, "Stmt", _("the file has no statement."))
    return statements


def _statement(node: Node) -> ParsedStatement:
    account = _needed(node, "Acct/Id/IBAN", "Acct/Id/Othr/Id")
    if currency := node.first("Acct/Ccy"):
        refuse_other_currency(currency.text, currency.line, "Ccy")
    return ParsedStatement(
        line=node.line,
        account=read_text(account.text, LONGEST_REFERENCE, account.line, account.name),
        number=read_text(node.words("ElctrncSeqNb", "LglSeqNb", "Id"), LONGEST_REFERENCE, node.line, "Id"),
        opening=_balance(node, *_OPENING),
        closing=_balance(node, *_CLOSING),
        entries=[part for entry in node.all("Ntry") for part in _entries(entry)],
    )


def _balance(statement: Node, *codes: str) -> int | None:
    for code in codes:
        for balance in statement.all("Bal"):
            if balance.words("Tp/CdOrPrtry/Cd") == code:
                amount = _amount(_needed(balance, "Amt"))
                return amount if _is_credit(balance) else -amount
    return None


def _entries(entry: Node) -> list[StatementEntry]:
    status = entry.words("Sts/Cd", "Sts")
    if status != "BOOK":
        if status not in ("PDNG", "INFO", "FUTR"):
            raise fault(entry.line, "Sts", _("the status of an entry is unknown."))
        return []
    total, is_credit = _amount(_needed(entry, "Amt")), _is_credit(entry)
    parts = list(entry.all("NtryDtls/TxDtls"))
    if len(parts) < 2:
        return [_entry(entry, parts[0] if parts else entry, total, is_credit)] if total else []
    entries = []
    for part in parts:
        amount = _amount(_needed(part, "Amt", "AmtDtls/TxAmt/Amt"))
        credit = _is_credit(part) if part.first("CdtDbtInd") else is_credit
        entries += [_entry(entry, part, amount, credit)] if amount else []
    if sum(one.amount if one.is_credit == is_credit else -one.amount for one in entries) != total:
        raise fault(entry.line, "TxDtls", _("the transactions do not add up to their entry."))
    return entries


def _entry(entry: Node, part: Node, amount: int, is_credit: bool) -> StatementEntry:
    """Make one entry of `part`, a transaction of `entry` or the entry itself."""
    party, agent = ("Dbtr", "DbtrAgt") if is_credit else ("Cdtr", "CdtrAgt")
    booked = _needed(entry, "BookgDt/Dt", "BookgDt/DtTm")
    end_to_end_id = part.words("Refs/EndToEndId")
    return StatementEntry(
        line=part.line,
        booked_on=read_date(booked.text.strip()[:10], booked.line, "BookgDt"),
        is_credit=is_credit,
        amount=amount,
        bank_reference=_text(part, "Refs/AcctSvcrRef") or _text(entry, "AcctSvcrRef", "NtryRef"),
        end_to_end_id="" if end_to_end_id == _NOT_PROVIDED else _text(part, "Refs/EndToEndId"),
        party_name=_text(part, f"RltdPties/{party}/Pty/Nm", f"RltdPties/{party}/Nm", most=LONGEST_NAME),
        party_account=_text(part, f"RltdPties/{party}Acct/Id/IBAN", f"RltdPties/{party}Acct/Id/Othr/Id"),
        party_bank=_text(part, f"RltdAgts/{agent}/FinInstnId/BICFI", f"RltdAgts/{agent}/FinInstnId/BIC"),
        purpose=_purpose(entry, part),
    )


def _purpose(entry: Node, part: Node) -> str:
    told = [*part.all("RmtInf/Ustrd"), *part.all("RmtInf/Strd/CdtrRefInf/Ref"), *part.all("AddtlTxInf")]
    words = " ".join(node.text for node in told) or entry.words("AddtlNtryInf")
    return read_text(words, LONGEST_PURPOSE, part.line, "RmtInf")


def _amount(node: Node) -> int:
    refuse_other_currency(node.attributes.get("Ccy", ""), node.line, "Ccy")
    return read_amount(node.text, node.line, node.name)


def _is_credit(node: Node) -> bool:
    mark = _needed(node, "CdtDbtInd")
    if mark.text.strip() not in ("CRDT", "DBIT"):
        raise fault(mark.line, mark.name, _("neither a credit nor a debit."))
    return mark.text.strip() == "CRDT"


def _needed(node: Node, *paths: str) -> Node:
    found = node.first(*paths)
    if found is None:
        raise fault(node.line, paths[0], _("the element is missing."))
    return found


def _text(node: Node, *paths: str, most: int = LONGEST_REFERENCE) -> str:
    return read_text(node.words(*paths), most, node.line, paths[0])
