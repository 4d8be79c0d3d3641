"""XML read safely into plain nodes that know their line: no DTD, no entities, nothing fetched, bounded in depth."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler, feature_namespaces
from xml.sax.xmlreader import InputSource, Locator

from defusedxml import DefusedXmlException
from defusedxml.sax import make_parser
from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.entries import fault

DEEPEST = 40


@dataclass(slots=True)
class Node:
    """An element: its local name and namespace, the line it begins in, its own text and its children."""

    name: str
    namespace: str
    line: int
    attributes: dict[str, str]
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def all(self, path: str) -> Iterator["Node"]:
        """Yield the elements under `Acct/Id/IBAN`, in the file's order."""
        name, _slash, rest = path.partition("/")
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(rest)
                else:
                    yield child

    def first(self, *paths: str) -> "Node | None":
        """Return the first element under the first path that leads to one."""
        return next((node for path in paths for node in self.all(path)), None)

    def words(self, *paths: str) -> str:
        """Return the text of `first`, without spaces around it; empty when there is none."""
        node = self.first(*paths)
        return node.text.strip() if node is not None else ""


class _Grower(ContentHandler):
    """Builds the tree as the parser goes through the file."""

    def __init__(self) -> None:
        super().__init__()
        self.root: Node | None = None
        self._open: list[Node] = []
        self._locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802
        self._locator = locator

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: Any) -> None:  # noqa: N802, ARG002
        line = (self._locator.getLineNumber() if self._locator is not None else None) or 0
        node = Node(name[1], name[0] or "", line, {local: value for (_uri, local), value in attrs.items()})
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node
        self._open.append(node)
        if len(self._open) > DEEPEST:
            raise fault(line, node.name, _("the elements stand too deep in one another."))

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: N802, ARG002
        self._open.pop()

    def characters(self, content: str) -> None:
        self._open[-1].text += content


def read_xml(content: bytes) -> Node:
    """Return the root of an XML file.

    :raises DomainError: BAD_VALUE with the line where it is not well formed, or holds what a bank file never does.
    """
    parser, grower = make_parser(), _Grower()
    parser.forbid_dtd = True
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(grower)
    source = InputSource()
    source.setByteStream(BytesIO(content))
    try:
        parser.parse(source)
    except SAXParseException as refusal:
        raise fault(refusal.getLineNumber() or 0, "XML", _("the file is not well formed.")) from refusal
    except DefusedXmlException as refusal:
        raise fault(0, "DOCTYPE", _("a bank file has no DTD and no entities.")) from refusal
    except (SAXException, ValueError, LookupError) as refusal:
        raise fault(0, "XML", _("the file is not well formed.")) from refusal
    if grower.root is None:
        raise fault(0, "XML", _("the file is empty."))
    return grower.root
