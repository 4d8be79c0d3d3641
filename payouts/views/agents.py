"""Contracted agents: contracts and commissions, points, what they earned of each pool and are owed (¶35.1)."""

from functools import partial

from django.db.models import Count, Q, Sum
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import AgentForm, ExtensionForm
from accounts.models import Agent
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.agents import extend_contract, register_agent
from accounts.views.asking import Question, ask
from payouts.models import AgentCommission
from payouts.queries.agents import owed_to
from totalizator.core import clock
from totalizator.core.paging import kept, page_of

AGENTS_A_PAGE, POOLS_A_PAGE, POINTS_SHOWN = 50, 25, 100


@organizer_only
def agents(request: PersonRequest) -> HttpResponseBase:
    """List the agents with their contracts and what they are owed."""
    sought = request.GET.get("q", "").strip()[:100]
    rows = Agent.objects.annotate(point_count=Count("points")).order_by("name", "pk")
    if sought:
        rows = rows.filter(Q(name__icontains=sought) | Q(contract_number__icontains=sought))
    page = page_of(request, rows, AGENTS_A_PAGE)
    owed = owed_to(list(page))
    context = {
        "page": page,
        "shown": [(agent, owed.get(agent.contract_number, 0)) for agent in page],
        "today": clock.today(),
        "sought": sought,
        "keep": kept(request),
        "by_name": True,
    }
    return render(request, "organizer/points/agents.html", context)


@organizer_only
def agent(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show an agent with its points and its commissions, pool by pool."""
    shown = get_object_or_404(Agent, pk=number)
    earned = AgentCommission.objects.filter(agent=shown)
    rows = earned.select_related("pool").order_by("-pool_id")
    context = {
        "agent": shown,
        "today": clock.today(),
        "owed": owed_to([shown]).get(shown.contract_number, 0),
        "stakes": earned.aggregate(sum=Sum("stakes"))["sum"] or 0,
        "points": shown.points.order_by("code")[:POINTS_SHOWN],
        "page": page_of(request, rows, POOLS_A_PAGE),
    }
    return render(request, "organizer/points/agent.html", context)


@organizer_only
def new_agent(request: PersonRequest) -> HttpResponseBase:
    """Register an agent with its contract."""
    question = Question(
        title=_("New agent"),
        button=_("Register the agent"),
        back=reverse("payouts:agents"),
        back_to=_("Agents"),
        about=_("A contract has one commission: another commission is another contract."),
        said=_("The agent is registered."),
    )
    return ask(request, AgentForm(request.POST or None), partial(register_agent, by=request.user), question)


@organizer_only
def extend(request: PersonRequest, number: int) -> HttpResponseBase:
    """Let an agent's contract run on under the same commission."""
    shown = get_object_or_404(Agent, pk=number)
    question = Question(
        title=_("Extend contract %(number)s") % {"number": shown.contract_number},
        button=_("Extend"),
        back=reverse("payouts:agent", args=[number]),
        back_to=shown.name,
        about=_("The commission stays as it is: another one is another contract."),
        said=_("The contract runs on."),
    )
    act = partial(extend_contract, agent=shown, by=request.user)
    return ask(request, ExtensionForm(request.POST or None), act, question)
