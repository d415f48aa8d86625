"""The client for asyncio, which runs the blocking client in threads."""

from __future__ import annotations

import asyncio
import math
import threading
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

from ._callback import Callback
from ._client import Client
from ._gate import is_unanswered, open_call, take_back, take_decided, try_report, try_withdraw
from ._request import AllowedCall, RequestSummary, Decision, Permit
from .errors import CountersignError

Result = TypeVar("Result")


async def _alone(client: Client, work: Callable[[Client], Result]) -> Result:
    """Runs `work` in a thread of its own, whose attempts end with the task.

    `asyncio.run` would wait for a thread of the executor.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()
    stop = threading.Event()

    def settle(act: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(lambda: None if future.done() else act())
        except RuntimeError:
            pass  # The loop is closed: nobody waits any more.

    def run() -> None:
        try:
            result = work(client._with(stop=stop))
        except BaseException as error:
            failure = error
            settle(lambda: future.set_exception(failure))
        else:
            settle(lambda: future.set_result(result))

    threading.Thread(target=run, daemon=True).start()
    try:
        return await future
    finally:
        stop.set()


class AsyncClient:
    """`Client` for asyncio, with the same methods, arguments and errors.

    A method runs in a thread of the event loop's executor, and one that may wait for long in a thread
    of its own. Cancelling its task does not end that thread, which ends with the answer, at most 50
    seconds later; the program does not wait for it.
    """

    def __init__(self, *, url: str, api_key: str, timeout: float = 30.0) -> None:
        self._client = Client(url=url, api_key=api_key, timeout=timeout)

    async def ask(self, tool: str, input: dict[str, Any], **more: Any) -> RequestSummary:
        """See `Client.ask`. If its task is cancelled, it first tries to withdraw the request of a call
        without an `external_id`, which delays the `CancelledError` by ten seconds at most.
        """
        is_unnamed = more.get("external_id") is None
        named = _named(more)

        def open_request(client: Client) -> RequestSummary:
            return client.ask(tool, input, **named)

        return await self._open(
            self._client, open_request, open_request, if_cancelled=is_unnamed, if_unanswered=is_unnamed
        )

    async def _open(
        self,
        client: Client,
        work: Callable[[Client], Result],
        open_again: Callable[[Client], RequestSummary],
        *,
        if_cancelled: bool,
        if_unanswered: bool,
    ) -> Result:
        """Opens a request by `work`, and takes it back if its task is cancelled or no answer comes."""
        try:
            return await _alone(client, work)
        except (asyncio.CancelledError, CountersignError) as error:
            is_cancelled = isinstance(error, asyncio.CancelledError)
            if (if_cancelled if is_cancelled else if_unanswered and is_unanswered(error)):
                limit = math.inf if is_cancelled else client._service.timeout
                await asyncio.shield(asyncio.to_thread(take_back, self._client, open_again, limit))
            raise

    async def find(self, external_id: str) -> RequestSummary | None:
        """See `Client.find`."""
        return await asyncio.to_thread(self._client.find, external_id)

    async def decision(self, id: str, *, wait: float = 0) -> Decision:
        """See `Client.decision`."""
        return await _alone(self._client, lambda client: client.decision(id, wait=wait))

    async def consume(self, id: str, digest: str) -> Permit:
        """See `Client.consume`."""
        return await asyncio.to_thread(self._client.consume, id, digest)

    async def report(self, id: str, state: str, summary: str | None = None) -> None:
        """See `Client.report`."""
        await asyncio.to_thread(self._client.report, id, state, summary)

    async def withdraw(self, id: str) -> None:
        """See `Client.withdraw`."""
        await asyncio.to_thread(self._client.withdraw, id)

    async def gate(
        self,
        tool: str,
        input: dict[str, Any],
        execute: Callable[[AllowedCall], Awaitable[Result]],
        **more: Any,
    ) -> Result:
        """See `Client.gate`; `execute` is awaited."""
        allowed = await self.take(tool, input, **more)
        try:
            result = await execute(allowed)
        except Exception as error:
            await asyncio.to_thread(try_report, self._client, allowed.request_id, "failed", str(error))
            raise
        await asyncio.to_thread(try_report, self._client, allowed.request_id, "succeeded")
        return result

    async def resume(
        self,
        tool: str,
        input: dict[str, Any],
        execute: Callable[[AllowedCall], Awaitable[Result]],
        *,
        external_id: str,
        **more: Any,
    ) -> Result:
        """See `Client.resume`; `execute` is awaited."""
        return await self.gate(tool, input, execute, external_id=external_id, **more)

    async def take(
        self,
        tool: str,
        input: dict[str, Any],
        *,
        wait: float = math.inf,
        on_cancel: Literal["withdraw", "leave"] = "withdraw",
        **more: Any,
    ) -> AllowedCall:
        """See `Client.take`. A task that is cancelled while it opens or awaits the request tries to withdraw it,
        for ten seconds at most, as long as nobody has decided it; with `on_cancel="leave"` it stays.
        """
        patient = self._client._with(timeout=math.inf) if wait == math.inf else self._client
        named = _named(more)
        id = await self._open(
            patient,
            lambda client: open_call(client, tool, input, **named),
            lambda client: client.ask(tool, input, **named),
            if_cancelled=on_cancel == "withdraw",
            if_unanswered=more.get("external_id") is None,
        )
        try:
            decided = await _alone(patient, lambda client: client.decision(id, wait=wait))
        except asyncio.CancelledError:
            if on_cancel == "withdraw":
                await asyncio.shield(asyncio.to_thread(try_withdraw, self._client, id))
            raise
        return await _alone(
            patient, lambda client: take_decided(client, decided.request, tool, input, more)
        )

    def verify_callback(self, body: bytes | str, headers: Mapping[str, str]) -> Callback:
        """See `Client.verify_callback`. Needs no network."""
        return self._client.verify_callback(body, headers)


def _named(more: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `ask` with a name of the request, by which it can be opened again."""
    name = more.get("external_id")
    return {**more, "external_id": str(uuid.uuid4()) if name is None else name}
