"""Contracted agents (¶35.1)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.models import Agent, User
from accounts.services.agents import extend_contract, register_agent
from totalizator.core.api.bodies import Body, Day, Text
from totalizator.core.errors import Refusal

TAG = "Staff: points"


class AgentBody(Body):
    """An agent and the contract."""

    name = Text(max_length=200)
    contract_number = Text(max_length=36)
    valid_from = Day()
    valid_until = Day(help_text="The last day.")
    commission = Text(max_length=20, help_text="Of the stakes less refunds, exactly: `3/50`.")


class ExtensionBody(Body):
    """Until when the contract runs on, and by which document."""

    valid_until = Day()
    document = Text(max_length=100)


class AgentDocument(serializers.Serializer[None]):
    """An agent."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    contract_number = serializers.CharField()
    valid_from = serializers.DateField()
    valid_until = serializers.DateField()
    commission = serializers.CharField()


def _register(staff: User, told: Told) -> Written:
    return _written(register_agent(**told, by=staff))


def _extend(staff: User, told: Told, number: int) -> Written:
    return _written(extend_contract(agent=found(Agent.objects.all(), pk=number), **told, by=staff))


def _written(agent: Agent) -> Written:
    return {
        "number": agent.pk,
        "name": agent.name,
        "contract_number": agent.contract_number,
        "valid_from": agent.valid_from.isoformat(),
        "valid_until": agent.valid_until.isoformat(),
        "commission": agent.commission,
    }


DECLARED = (
    Listing(
        path="agents",
        name="staff_agents",
        summary="Agents and their contracts",
        tag=TAG,
        rows_name="agents",
        row=AgentDocument,
        rows=lambda _query: Agent.objects.all(),
        write=_written,
        ordering=("pk",),
    ),
    Act(
        path="agents",
        name="staff_agent_register",
        summary="Register an agent with its contract",
        tag=TAG,
        body=AgentBody,
        answer=AgentDocument,
        do=_register,
    ),
    Act(
        path="agents/<int:number>/extension",
        name="staff_agent_extend",
        summary="Let a contract run on under the same commission",
        tag=TAG,
        body=ExtensionBody,
        answer=AgentDocument,
        do=_extend,
        refused=(Refusal.NOT_FOUND,),
        status=200,
    ),
)
