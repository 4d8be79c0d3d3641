"""Payment orders for the bank: ISO 20022 pain.001.001.09, CustomerCreditTransferInitiation. Same orders, same bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from textwrap import wrap
from xml.etree import ElementTree as ET

from totalizator.core.money import plain_byn

_NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
_ADDRESS_LINE = 70  # characters in one, of seven lines at most


@dataclass(frozen=True, slots=True)
class TransferLine:
    """One order: `amount` kopecks of BYN. `number` comes back on the bank's statement; `iban` or another account.

    By post the payee is the post, and the `recipient` is whom it brings the money, to the address.
    """

    number: str
    amount: int
    payee_name: str
    payee_account: str
    is_iban: bool
    payee_bank: str
    purpose: str
    recipient: str = ""
    recipient_address: str = ""


@dataclass(frozen=True, slots=True)
class TransferFile:
    """A file of orders from one account of ours."""

    message_id: str
    made_at: datetime
    execute_on: date
    holder: str
    iban: str
    bank: str
    lines: Sequence[TransferLine]

    @property
    def total(self) -> int:
        """The control sum, in kopecks."""
        return sum(line.amount for line in self.lines)


def render_pain001(file: TransferFile) -> bytes:
    """Return the XML file."""
    root = ET.Element("Document", xmlns=_NAMESPACE)
    message = ET.SubElement(root, "CstmrCdtTrfInitn")
    header = ET.SubElement(message, "GrpHdr")
    _put(header, "MsgId", file.message_id)
    _put(header, "CreDtTm", file.made_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z")
    _put_totals(header, file)
    _put(header, "InitgPty/Nm", file.holder)
    payment = ET.SubElement(message, "PmtInf")
    _put(payment, "PmtInfId", file.message_id)
    _put(payment, "PmtMtd", "TRF")
    _put_totals(payment, file)
    _put(payment, "ReqdExctnDt/Dt", file.execute_on.isoformat())
    _put(payment, "Dbtr/Nm", file.holder)
    _put(payment, "DbtrAcct/Id/IBAN", file.iban)
    _put(payment, "DbtrAgt/FinInstnId/BICFI", file.bank)
    _put(payment, "ChrgBr", "SLEV")
    for line in file.lines:
        _put_line(payment, line)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    return written + b"\n"


def _put_totals(parent: ET.Element, file: TransferFile) -> None:
    _put(parent, "NbOfTxs", str(len(file.lines)))
    _put(parent, "CtrlSum", plain_byn(file.total))


def _put_line(payment: ET.Element, line: TransferLine) -> None:
    transfer = ET.SubElement(payment, "CdtTrfTxInf")
    _put(transfer, "PmtId/EndToEndId", line.number)
    _put(transfer, "Amt/InstdAmt", plain_byn(line.amount)).set("Ccy", "BYN")
    if line.payee_bank:
        _put(transfer, "CdtrAgt/FinInstnId/BICFI", line.payee_bank)
    _put(transfer, "Cdtr/Nm", line.payee_name)
    _put(transfer, "CdtrAcct/Id/IBAN" if line.is_iban else "CdtrAcct/Id/Othr/Id", line.payee_account)
    if line.recipient:
        recipient = ET.SubElement(transfer, "UltmtCdtr")
        _put(recipient, "Nm", line.recipient)
        address = ET.SubElement(recipient, "PstlAdr")
        for part in wrap(line.recipient_address, _ADDRESS_LINE):
            _put(address, "AdrLine", part)
    _put(transfer, "RmtInf/Ustrd", line.purpose)


def _put(parent: ET.Element, path: str, text: str) -> ET.Element:
    """Append `A/B/C`, new elements in one another, with the text in the innermost."""
    for name in path.split("/"):
        parent = ET.SubElement(parent, name)
    parent.text = text
    return parent
