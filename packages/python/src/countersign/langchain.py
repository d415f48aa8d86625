"""Middleware of LangChain's `create_agent` whose calls wait in Countersign.

Install `langchain` beside this package. Running the agent asynchronously needs Python 3.11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.config import get_config
from langgraph.types import interrupt

from ._client import Client
from ._digest import canonical_json
from ._gate import try_report
from ._request import Allowed, Asked
from .errors import CountersignError
from .langgraph import AnsweredInterrupts, answer_interrupts

__all__ = [
    "AnsweredInterrupts",
    "CountersignMiddleware",
    "answer_interrupts",
    "countersign_middleware",
]


class CountersignMiddleware(AgentMiddleware):
    """Lets each call of a tool wait until a different person has approved it.

    The agent is interrupted while calls wait: the value of the interrupt is that of LangChain's own
    human-in-the-loop middleware, with an action for each call that waits and `countersign`, the
    requests in the same order. Resume it, in any process, with `Command(resume={})`. What it is
    resumed with decides nothing: the service is asked again, and the agent is interrupted again
    while a call waits. Right before a call is made its permit is taken, once, and it is made with
    the arguments that were approved. Whatever goes wrong, the call is answered with a sentence for
    the model; only while the service is away is `unavailable` raised, and nothing has run.

    `unasked` names the tools that nobody is asked about. Without `can_edit`, a call that was
    approved with other arguments is not made. `more` is what `ask` takes: `worker`, `queue` and
    `on_behalf_of`.
    """

    def __init__(
        self, client: Client, *, unasked: Iterable[str] = (), can_edit: bool = True, **more: Any
    ) -> None:
        super().__init__()
        self._client = client
        self._unasked = frozenset(unasked)
        self._can_edit = can_edit
        self._more = more if can_edit else {**more, "edits": "off"}

    def after_model(self, state: Any, runtime: Any) -> None:
        """Asks about the calls of the newest message, and interrupts while one of them waits."""
        calls = self._asked_calls(state)
        while waiting := self._waiting(calls, get_config()):
            interrupt(_interrupt_value(waiting))

    async def aafter_model(self, state: Any, runtime: Any) -> None:
        """See `after_model`."""
        calls, config = self._asked_calls(state), get_config()
        while waiting := await asyncio.to_thread(self._waiting, calls, config):
            interrupt(_interrupt_value(waiting))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
        """Takes the permit of a call, makes the call and reports what became of it."""
        if request.tool_call["name"] in self._unasked:
            return handler(request)
        allowed = self._take(request)
        if isinstance(allowed, ToolMessage):
            return allowed
        try:
            result = handler(_with_input(request, allowed))
        except Exception:
            try_report(self._client, allowed.request_id, "failed")
            raise
        try_report(self._client, allowed.request_id, _state_of(result))
        return _tell_edit(result, request, allowed)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[..., Awaitable[Any]]
    ) -> Any:
        """See `wrap_tool_call`."""
        if request.tool_call["name"] in self._unasked:
            return await handler(request)
        allowed = await asyncio.to_thread(self._take, request)
        if isinstance(allowed, ToolMessage):
            return allowed
        try:
            result = await handler(_with_input(request, allowed))
        except Exception:
            await asyncio.to_thread(try_report, self._client, allowed.request_id, "failed")
            raise
        await asyncio.to_thread(try_report, self._client, allowed.request_id, _state_of(result))
        return _tell_edit(result, request, allowed)

    def _asked_calls(self, state: Any) -> list[Any]:
        answers = [one for one in state["messages"] if isinstance(one, AIMessage)]
        calls = answers[-1].tool_calls if answers else []
        return [call for call in calls if call["name"] not in self._unasked]

    def _waiting(self, calls: list[Any], config: Any) -> list[tuple[Any, Asked]]:
        waiting = []
        for call in calls:
            try:
                found = self._client.ask(
                    call["name"], call["args"], external_id=_external_id(call, config), **self._more
                )
            except (CountersignError, ValueError) as error:
                # What is refused is told when the call would be made.
                _raise_unavailable(error)
                continue
            if found.state == "pending":
                waiting.append((call, found))
        return waiting

    def _take(self, request: ToolCallRequest) -> Allowed | ToolMessage:
        call = request.tool_call
        try:
            external_id = _external_id(call, request.runtime.config)
            acts = {"external_id": external_id, **self._more}
            allowed = self._client.take(call["name"], call["args"], wait=0, **acts)
            if _is_edited(call, allowed) and not self._can_edit:
                try_report(self._client, allowed.request_id, "failed", "Not run: other input")
                raise ValueError(f"approved are other arguments: {allowed.input}")
            return allowed
        except (CountersignError, ValueError) as error:
            _raise_unavailable(error)
            return ToolMessage(
                content=f"Countersign: not run. {error}",
                name=call["name"],
                tool_call_id=call["id"] or "",
                status="error",
            )


def countersign_middleware(client: Client, **options: Any) -> CountersignMiddleware:
    """Middleware for `create_agent(middleware=[…])`: see `CountersignMiddleware`."""
    return CountersignMiddleware(client, **options)


def _external_id(call: Mapping[str, Any], config: Any) -> str:
    if not call.get("id"):
        raise ValueError("the model gave this call no id")
    thread = (config or {}).get("configurable", {}).get("thread_id")
    return f"langchain:{call['id']}" if thread is None else f"langchain:{thread}:{call['id']}"


def _interrupt_value(waiting: list[tuple[Any, Asked]]) -> dict[str, Any]:
    return {
        "action_requests": [
            {
                "name": call["name"],
                "args": call["args"],
                "description": f"Waits in Countersign as #{asked.number}",
            }
            for call, asked in waiting
        ],
        # Nobody decides here.
        "review_configs": [
            {"action_name": call["name"], "allowed_decisions": []} for call, _ in waiting
        ],
        "countersign": [
            {"id": asked.id, "number": asked.number, "state": asked.state} for _, asked in waiting
        ],
    }


def _is_edited(call: Mapping[str, Any], allowed: Allowed) -> bool:
    return canonical_json(allowed.input) != canonical_json(call["args"])


def _with_input(request: ToolCallRequest, allowed: Allowed) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": allowed.input})


def _state_of(result: Any) -> str:
    is_failed = isinstance(result, ToolMessage) and result.status == "error"
    return "failed" if is_failed else "succeeded"


def _tell_edit(result: Any, request: ToolCallRequest, allowed: Allowed) -> Any:
    is_text = isinstance(result, ToolMessage) and isinstance(result.content, str)
    if is_text and _is_edited(request.tool_call, allowed):
        told = f"Approved and run with other arguments: {allowed.input}"
        result.content = f"{told}\n{result.content}"
    return result


def _raise_unavailable(error: Exception) -> None:
    if getattr(error, "code", None) == "unavailable":
        raise error
