"""How pages show the winners who have agreed to be published: also the pages of the floor below (¶14, ¶44)."""

from django import template
from django.db.models import QuerySet

from payouts.models import Publication
from payouts.queries.publications import published_winners
from pools.models import Pool

register = template.Library()


@register.simple_tag
def winners_of(pool: Pool) -> QuerySet[Publication]:
    """Return the published winners of a pool."""
    return published_winners(pool)
