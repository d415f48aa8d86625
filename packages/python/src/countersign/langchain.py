"""Middleware of LangChain's `create_agent` whose calls wait in Countersign.

Install `langchain` beside this package. Running the agent asynchronously needs Python 3.11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.config import get_config
from langgraph.types import interrupt

from ._client import Client
from ._framework_calls import Refusal, ask_about, call_name, settle
from ._gate import try_report
from ._request import AllowedCall, RequestSummary


class CountersignMiddleware(AgentMiddleware):
    """Makes each tool call wait until a different person has approved it.

    While calls wait, the agent is interrupted. The value of the interrupt has the shape of LangChain's
    human-in-the-loop middleware, with an action for each pending call, and `countersign`, the requests
    in the same order. Resume in any process with `Command(resume={})`. The resume value decides
    nothing: the middleware reads the requests again, and interrupts again while one is pending.
    Directly before a call, its permit is taken, and the call is made with the approved arguments. The
    model gets a sentence about a refused call. If the service is unreachable, this raises
    `unavailable` and nothing has run.

    `unasked` names the tools that need no approval. With `can_edit=False`, nobody may change the
    arguments of a call. `more` are arguments of `ask`: `worker`, `queue` and `on_behalf_of`.
    """

    def __init__(
        self, client: Client, *, unasked: Iterable[str] = (), can_edit: bool = True, **more: Any
    ) -> None:
        super().__init__()
        self._client = client
        self._unasked = frozenset(unasked)
        self._more = more if can_edit else {**more, "edits": "off"}

    def after_model(self, state: Any, runtime: Any) -> None:
        """Opens requests for the calls of the newest message, and interrupts while one is pending."""
        config = get_config()
        while value := self._interrupt_value(state, config):
            interrupt(value)

    async def aafter_model(self, state: Any, runtime: Any) -> None:
        """See `after_model`."""
        config = get_config()
        while value := await asyncio.to_thread(self._interrupt_value, state, config):
            interrupt(value)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
        """Takes the permit of a call, makes the call and reports its outcome."""
        settled = self._settle(request)
        if not isinstance(settled, AllowedCall):
            return settled or handler(request)
        report = partial(try_report, self._client, settled.request_id)
        try:
            result = handler(_with_input(request, settled))
        except Exception as error:
            report("failed", str(error))
            raise
        report(_state_of(result))
        return _tell_change(result, settled)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[..., Awaitable[Any]]
    ) -> Any:
        """See `wrap_tool_call`."""
        settled = await asyncio.to_thread(self._settle, request)
        if not isinstance(settled, AllowedCall):
            return settled or await handler(request)
        report = partial(asyncio.to_thread, try_report, self._client, settled.request_id)
        try:
            result = await handler(_with_input(request, settled))
        except Exception as error:
            await report("failed", str(error))
            raise
        await report(_state_of(result))
        return _tell_change(result, settled)

    def _interrupt_value(self, state: Any, config: Any) -> dict[str, Any] | None:
        answers = [one for one in state["messages"] if isinstance(one, AIMessage)]
        calls = answers[-1].tool_calls if answers else []
        gated = [call for call in calls if call["name"] not in self._unasked]
        waiting = ask_about(self._client, gated, lambda call: self._call(call, config))
        if not waiting:
            return None
        return {
            "action_requests": [_action(call, request) for call, request in waiting],
            # Decisions are made in Countersign, not by the value of the resume.
            "review_configs": [
                {"action_name": call["name"], "allowed_decisions": []} for call, _ in waiting
            ],
            "countersign": [asdict(request) for _, request in waiting],
        }

    def _settle(self, request: ToolCallRequest) -> AllowedCall | ToolMessage | None:
        call, config = request.tool_call, request.runtime.config
        if call["name"] in self._unasked:
            return None
        settled = settle(self._client, lambda: self._call(call, config))
        if not isinstance(settled, Refusal):
            return settled
        return ToolMessage(
            settled.words, name=call["name"], tool_call_id=call["id"] or "", status="error"
        )

    def _call(self, call: Any, config: Any) -> dict[str, Any]:
        if not call.get("id"):
            raise ValueError("the model gave this call no id")
        thread = (config or {}).get("configurable", {}).get("thread_id")
        external_id = call_name("langchain", thread, call["id"])
        return {**self._more, "tool": call["name"], "input": call["args"], "external_id": external_id}


def countersign_middleware(client: Client, **options: Any) -> CountersignMiddleware:
    """Middleware for `create_agent(middleware=[…])`: see `CountersignMiddleware`."""
    return CountersignMiddleware(client, **options)


def _action(call: Any, request: RequestSummary) -> dict[str, Any]:
    words = f"Waits in Countersign as #{request.number}"
    return {"name": call["name"], "args": call["args"], "description": words}


def _with_input(request: ToolCallRequest, allowed: AllowedCall) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": allowed.input})


def _state_of(result: Any) -> str:
    return "failed" if getattr(result, "status", None) == "error" else "succeeded"


def _tell_change(result: Any, allowed: AllowedCall) -> Any:
    if allowed.is_changed and isinstance(result, ToolMessage) and isinstance(result.content, str):
        note = f"Approved and run with other arguments: {allowed.input}"
        result.content = f"{note}\n{result.content}"
    return result
