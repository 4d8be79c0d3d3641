"""A process that settles a pool again and again."""


def settle_for(code: str, seconds: float) -> int:
    """Calculate the settlement and undo it, again and again; return how often."""
    from time import monotonic

    import django

    django.setup()
    from bench.settling import calculate_and_undo
    from pools.models import Pool

    until, times, pool = monotonic() + seconds, 0, Pool.objects.get(code=code)
    while monotonic() < until:
        calculate_and_undo(pool)
        times += 1
    return times
