"""A TCP line between two parts that can be slow, stand still, or be cut: one thread carries all its connections."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

PIECE = 65_536


class Line:
    """Listens on a port of its own and carries what comes to the port that `target` tells at that moment."""

    def __init__(self, target: Callable[[], int]) -> None:
        self.delay = 0.0
        """Seconds that every piece is held back, each way."""
        self.stands_still = False
        """Nothing is carried, and nobody is told."""
        self.is_down = False
        """Who calls is hung up on."""
        self.port = 0
        self._target = target
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait(10)

    def cut(self) -> None:
        """Break every connection that there is."""
        self._loop.call_soon_threadsafe(self._break_all)

    def close(self) -> None:
        """Carry nothing any more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda _loop, _told: None)  # lines break, that is what they are for
        server = self._loop.run_until_complete(asyncio.start_server(self._called, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()
        server.close()
        self._break_all()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _break_all(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            if not self.is_down:
                with suppress(OSError):
                    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target())
                    self._open.add(far_writer)
                    try:
                        await self._carry_both(reader, writer, far_reader, far_writer)
                    finally:
                        self._hang_up(far_writer)
        finally:
            self._hang_up(writer)

    def _hang_up(self, writer: asyncio.StreamWriter) -> None:
        self._open.discard(writer)
        writer.transport.abort()

    async def _carry_both(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        ways = {
            asyncio.ensure_future(self._carry(reader, far_writer)),
            asyncio.ensure_future(self._carry(far_reader, writer)),
        }
        _done, left = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in left:
            way.cancel()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE):
                if self.delay:
                    await asyncio.sleep(self.delay)
                while self.stands_still:
                    await asyncio.sleep(0.05)
                writer.write(piece)
                await writer.drain()
            if writer.transport.get_write_buffer_size():
                await asyncio.sleep(0.05)
