"""A gateway without a network, for demonstrations and tests: it keeps what it was given, and is away on demand."""

from payouts.services.text_messages import GatewayFault


class FakeMessageGateway:
    """Keeps messages in a list; `away` makes every try a fault. A repeated reference is the first message."""

    is_a_fake = True
    """Production does not start with it."""
    away = False
    sent: dict[str, tuple[str, str]] = {}
    """reference → (phone, words), of all gateways of this process."""

    def send(self, *, reference: str, phone: str, words: str) -> str:
        """Keep a message."""
        if FakeMessageGateway.away:
            raise GatewayFault("no answer")
        self.sent.setdefault(reference, (phone, words))
        return f"M-{reference}"
