"""How pages show a jackpot's history: also the pages of the floor below (J1)."""

from django import template
from django.utils.translation import gettext

from payouts.queries.jackpot import jackpot_moments
from pools.documents.charts import jackpot_chart
from pools.models import Pool, jackpot_owner
from totalizator.core.charts import Chart

register = template.Library()


@register.simple_tag
def jackpot_chart_of(pool: Pool) -> Chart | None:
    """Draw the latest moves of the jackpot that the pool feeds; nothing before the second."""
    owner = jackpot_owner(pool.game)
    names = {"sportloto": gettext("Sportloto"), "totolot": gettext("Totolot")}
    moments = jackpot_moments(owner)
    return jackpot_chart(names[owner], moments) if len(moments) > 1 else None
