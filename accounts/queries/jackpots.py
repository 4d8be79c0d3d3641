"""Which jackpot takes what comes for a game: its own, or after its end the one that its document named (J3)."""

from accounts.models import GameEnd, JackpotGame


def has_ended(game: str) -> bool:
    """Tell whether a game has ended; read under its jackpot's lock, the answer holds until the transaction ends."""
    return GameEnd.objects.filter(game=game).exists()


def heir_of(game: str) -> str:
    """Return the game into whose jackpot money for `game` goes now.

    Of a game that ended and named no other one it is its own: nothing more could come for it.
    """
    heirs = dict(GameEnd.objects.exclude(jackpot_to="").values_list("game", "jackpot_to"))
    for _step in JackpotGame:
        game = heirs.get(game, game)
    return game
