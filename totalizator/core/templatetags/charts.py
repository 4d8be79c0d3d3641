"""Charts inside pages."""

from django import template
from django.utils.safestring import SafeString

from totalizator.core import chart_svg as drawn
from totalizator.core.charts import Chart

register = template.Library()


@register.simple_tag
def chart_svg(chart: Chart) -> SafeString:
    """Draw a chart in the page's own colours."""
    return drawn.chart_svg(chart)
