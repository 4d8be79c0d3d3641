"""The fail-over drill: the primary is killed while bets are sold over HTTP, and no acknowledged bet is missing.

Patroni decides and promotes, on the production's own file. The negative control loses bets on purpose.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deploy.local.database import OWNER
from tests.drills.clerk import Clerk
from tests.drills.ground import Ground, ground
from tests.drills.nodes import Node, Nodes, fill, lay_out, start_nodes
from tests.drills.selling import Selling, lost, selling
from tests.drills.site import start_haproxy, start_web, stubborn, variables, wait_for_web
from tests.faults.selling import StubbornPlayer

MACHINES = 3
BALANCE = 10_000_00
ROWS = "SELECT count(*) || ' ' || md5(string_agg(ticket || stake, ',' ORDER BY ticket)) FROM pools_bet"
Say = Callable[[str], None]


@dataclass
class Scene:
    """A pool on sale at a site whose database has several machines."""

    ground: Ground
    nodes: Nodes
    clerk: Clerk
    port: int

    def wait_for_another(self, former: Node) -> Node:
        """Wait until another machine than this one leads."""
        self.nodes.wait(lambda: (now := self.nodes.leader()) is not None and now is not former, "another takes over")
        return self.nodes.present_leader()

    def rejoined(self, former: Node) -> str:
        """Wait until all machines follow one leader again; return how the former one came back."""
        self.nodes.wait(self.nodes.is_whole, f"{former.name} follows again")
        rewound = "running pg_rewind" in self.ground.log(f"patroni-{former.name}").lower()
        return "rewound by pg_rewind" if rewound else "its files followed on as they were"


@dataclass
class Figures:
    """What a fail-over took, in seconds, and what was sold around it."""

    loss: str
    bets: int = 0
    pause: float = 0
    before: float = 0
    after: float = 0
    rejoined: str = ""

    def row(self) -> str:
        """Return a line for people."""
        return (
            f"{self.loss}: {self.bets} bets, {self.before:.0f}/s before and {self.after:.0f}/s after;"
            f" nothing sold for {self.pause:.1f} s; the former primary {self.rejoined}"
        )


def set_the_scene(folder: Path, source: str, machines: int, say: Say) -> Scene:
    """Start the machines, copy a migrated database into them, start the site; leaves them running on failure too."""
    place = ground(folder)
    try:
        say(f"{machines} database machines under Patroni ...")
        nodes = lay_out(place, machines)
        clerk = Clerk(place, "clerk", **variables(nodes.url(OWNER)))
        port = start_web(place, nodes.url())
        start_nodes(nodes)
        fill(nodes.present_leader(), source)
        clerk.manage("grant_app_role")
        wait_for_web(place, port)
    except BaseException:
        place.__exit__()
        raise
    return Scene(place, nodes, clerk, port)


def whole_drill(folder: Path, source: str, *, players: int, bets: int, say: Say) -> list[dict[str, object]]:
    """Lose a server, a machine, hand over as planned, and last lose bets on purpose; return the figures.

    :raises AssertionError: at the first thing that does not hold.
    """
    scene = set_the_scene(folder, source, MACHINES, say)
    with scene.ground:
        figures = [
            fail_over(scene, machine=False, players=players, bets=bets, say=say),
            fail_over(scene, machine=True, players=players, bets=bets, say=say),
            change_over(scene, players=players, bets=bets, say=say),
            *_behind_haproxy(scene, players=players, bets=bets, say=say),
        ]
        assert lose_on_purpose(scene, bets=20, say=say), "the check did not see that bets were lost"
    return [asdict(one) for one in figures]


def _behind_haproxy(scene: Scene, *, players: int, bets: int, say: Say) -> list[Figures]:
    """Lose a server while selling by a site that knows of one address only, HAProxy's: as production has it."""
    if not shutil.which("haproxy"):
        say("Without the package haproxy the way through it is not tried")
        return []
    port = start_web(scene.ground, start_haproxy(scene.nodes))
    wait_for_web(scene.ground, port)
    figures = fail_over(replace(scene, port=port), machine=False, players=players, bets=bets, say=say)
    figures.loss += ", behind HAProxy"
    return [figures]


def fail_over(scene: Scene, *, machine: bool, players: int, bets: int, say: Say) -> Figures:
    """Lose the primary (its server, or the whole machine) while selling. :raises AssertionError: when a bet is lost.

    `bets` are sold before, and as many after.
    """
    code, people = _pool(scene, players)
    former, figures = scene.nodes.present_leader(), Figures("machine lost" if machine else "server killed")
    with selling(people) as going:
        begun = time.monotonic()
        going.wait_for(bets)
        killed = time.monotonic()
        (former.crash_machine if machine else former.crash_server)()
        say(f"{figures.loss}: {former.name}, after {len(going.acknowledged)} bets")
        scene.wait_for_another(former)
        going.wait_for(bets)
        if machine:
            former.start()
        figures.rejoined = scene.rejoined(former)
        whole = time.monotonic()
        going.wait_for(bets)
        ended = time.monotonic()
    figures.bets, figures.pause = len(going.acknowledged), going.longest_pause_since(killed)
    figures.before, figures.after = going.per_second(begun, killed), going.per_second(whole, ended)
    check(scene, code, going)
    say(figures.row())
    return figures


def change_over(scene: Scene, *, players: int, bets: int, say: Say) -> Figures:
    """Hand over to another machine as planned, for an upgrade, while selling: the same must hold."""
    code, people = _pool(scene, players)
    former, figures = scene.nodes.present_leader(), Figures("planned change-over")
    with selling(people) as going:
        begun = time.monotonic()
        going.wait_for(bets)
        asked = time.monotonic()
        former.told("switchover", {"leader": former.name}, "POST")
        scene.wait_for_another(former)
        figures.rejoined = scene.rejoined(former)
        whole = time.monotonic()
        going.wait_for(bets)
        ended = time.monotonic()
    figures.bets, figures.pause = len(going.acknowledged), going.longest_pause_since(asked)
    figures.before, figures.after = going.per_second(begun, asked), going.per_second(whole, ended)
    check(scene, code, going)
    say(figures.row())
    return figures


def check(scene: Scene, code: str, going: Selling) -> None:
    """Assert that every acknowledged bet is there, once, on every machine, and that the books are in order."""
    told = going.tickets()
    going.ask_again(keys=3)
    assert going.tickets() == told
    assert going.unclear() == []
    stands = scene.clerk.act("sold", code)
    assert lost(told, stands["tickets"]) == []
    assert stands["tickets"] == told
    assert (stands["count"], stands["stakes"], stands["pot"]) == (len(told), 100 * len(told), 100 * len(told))
    sold = {player.name: 100 * len(player.tickets) for player in going.players}
    assert stands["balances"] == {name: BALANCE - stakes for name, stakes in sold.items()}
    assert scene.clerk.manage("reconcile_ledger").startswith("OK")
    of_leader = scene.nodes.present_leader().asks(ROWS)
    scene.nodes.wait(lambda: {node.asks(ROWS) for node in scene.nodes.all} == {of_leader}, "all machines hold the same")


def lose_on_purpose(scene: Scene, *, bets: int, say: Say) -> list[str]:
    """Let no commit wait for another machine, lose the one that has them, and return the bets that are gone.

    The negative control of `check`: with synchronous commits the very same leaves nothing to lose, since no bet is
    acknowledged while the others are away.
    """
    code, people = _pool(scene, 1)
    leader = scene.nodes.present_leader()
    others = [node for node in scene.nodes.all if node is not leader]
    for node in others:
        node.crash_machine()
    player = people[0]
    try:
        player.bet("while nobody else has it", until=time.monotonic() + 3)
    except AssertionError:
        say("synchronous: nothing is acknowledged while no other machine has it")
    else:
        raise AssertionError("a bet was acknowledged that one machine alone had")
    scene.nodes.change(synchronous_mode=False, synchronous_mode_strict=False)
    player.bet("while nobody else has it", until=time.monotonic() + 30)
    for number in range(bets):
        player.bet(f"lost-{number}", until=time.monotonic() + 30)
    say(f"asynchronous: {len(player.tickets)} bets acknowledged by {leader.name} alone, which is lost now")
    leader.crash_machine()
    for node in others:
        node.start()
    scene.wait_for_another(leader)
    told = sorted(answers[0] for answers in player.tickets.values())
    gone = lost(told, scene.clerk.act("sold", code)["tickets"])
    say(f"asynchronous: {len(gone)} of {len(told)} acknowledged bets are gone")
    return gone


def _pool(scene: Scene, players: int) -> tuple[str, list[StubbornPlayer]]:
    prepared = scene.clerk.act("prepare", players, BALANCE)
    return prepared["pool"], stubborn(scene.port, prepared)
