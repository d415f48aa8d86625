"""Interruptions of the OpenAI Agents SDK (`needs_approval`) whose calls wait in Countersign.

Install `openai-agents` beside this package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from agents import RunState
from agents.items import RunItem, ToolApprovalItem, ToolCallOutputItem

from ._client import Client
from ._framework_calls import Refusal, ask_about, call_name, settle
from ._gate import try_report

# The SDK's result for a tool that raised, unless the tool has a `failure_error_function`.
_FAILED = "An error occurred while running the tool"


def resolve_interruptions(
    state: RunState[Any, Any], client: Client, *, run: str | None = None, **more: Any
) -> dict[str, str] | None:
    """Approves or rejects every interrupted call in the state; `None` while one of them waits.

    While one waits, the state stays unchanged: store `state.to_string()` and call this again later, in
    any process. Once all are decided, this takes the permits. Call `Runner.run(agent, state)` next,
    because a second call of this function finds the permits taken. Returns the requests of the
    approved calls, for `report_outcomes`. The model gets the reason of a denial. `run` is for models
    whose call ids are unique only within one run. `more` are arguments of `ask`: `queue` and
    `on_behalf_of`. Raises `unavailable` if the service is unreachable. The SDK does not sign a stored
    state: keep it on the server.
    """

    def call_of(item: ToolApprovalItem) -> dict[str, Any]:
        raw = item.raw_item
        if _member(raw, "type") != "function_call":
            raise ValueError("only function calls can be approved")
        namespace, name = item.tool_namespace, str(_member(raw, "name"))
        return {
            **more,
            "tool": f"{namespace}.{name}" if namespace else name,
            "input": json.loads(_member(raw, "arguments") or "{}"),
            "external_id": call_name("openai-agents", run, _id(raw)),
            # The SDK cannot change the arguments of a call.
            "edits": "off",
        }

    items = state.get_interruptions()
    if ask_about(client, items, call_of):
        return None
    taken: dict[str, str] = {}
    for item in items:
        settled = settle(client, lambda item=item: call_of(item))
        if isinstance(settled, Refusal):
            state.reject(item, rejection_message=settled.words)
        else:
            taken[_id(item.raw_item)] = settled.request_id
            state.approve(item)
    return taken


def report_outcomes(items: Iterable[RunItem], taken: dict[str, str], client: Client) -> None:
    """Reports the outcomes of the approved calls, from `new_items` of the run that made them."""
    for item in items:
        if isinstance(item, ToolCallOutputItem):
            request_id = taken.get(_id(item.raw_item))
            is_failed = str(item.output).startswith(_FAILED)
            if request_id is not None:
                try_report(client, request_id, "failed" if is_failed else "succeeded")


def _id(raw: Any) -> str:
    return str(_member(raw, "call_id"))


def _member(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
