import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packPython } from '../../../scripts/packages/packages.ts'
import { openApprovalDesk, type ApprovalDesk } from '../../packages/adapters/approval-desk.ts'
import { runProgram } from '../../packages/packed.ts'

const frameworks = [
  'pydantic-ai-slim==2.68.0',
  'openai-agents==0.24.0',
  'langchain==1.5.2',
  'langgraph-checkpoint-sqlite==3.1.2',
]
const folder = await mkdtemp(join(tmpdir(), 'countersign adapters '))
const python = join(folder, 'venv', 'bin', 'python')

const wheel = join(folder, (await packPython(folder)).wheel)

/** What is not there to run these with; `null`: all is. */
const missing = await runProgram('python3', ['-m', 'venv', join(folder, 'venv')])
  .then(() => {
    const packages = [`${wheel}[pydantic-ai,openai-agents,langchain]`, ...frameworks]
    return runProgram(python, ['-m', 'pip', 'install', '--quiet', ...packages])
  })
  .then(() => null)
  .catch((error: Error) => error.message)
if (missing !== null) console.log(`The adapters for Python are skipped: ${missing}`)

/** One process of a program: it starts a run or goes on with one, and stores what waits. */
const program = `
import os, pathlib, sys
from countersign import Client
from countersign.pydantic_ai import report_outcomes, resolve_deferred
from pydantic_ai import Agent, DeferredToolRequests, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

client = Client(url=os.environ["COUNTERSIGN_URL"], api_key=os.environ["COUNTERSIGN_API_KEY"])
stored = pathlib.Path(sys.argv[1])

def model(messages, info):
    if len(messages) == 1:
        calls = [("p1", "erase"), ("p2", "deploy"), ("p3", "look")]
        return ModelResponse(parts=[ToolCallPart(name, {"what": name}, id) for id, name in calls])
    return ModelResponse(parts=[TextPart(str([part.content for part in messages[-1].parts]))])

agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])

@agent.tool_plain(requires_approval=True)
def erase(what: str) -> str:
    print("ran erase", what)
    return "erased"

@agent.tool_plain(requires_approval=True)
def deploy(what: str) -> str:
    print("ran deploy", what)
    return "deployed"

@agent.tool_plain
def look(what: str) -> str:
    return "looked"

if not stored.exists():
    result = agent.run_sync("go")
    stored.write_bytes(ModelMessagesTypeAdapter.dump_json(result.all_messages()))
    print(resolve_deferred(result.output, client))
else:
    history = ModelMessagesTypeAdapter.validate_json(stored.read_bytes())
    calls = [part for part in history[1].parts if part.part_kind == "tool-call" and part.tool_name != "look"]
    results = resolve_deferred(DeferredToolRequests(approvals=calls), client)
    if results is None:
        print("waits")
    else:
        result = agent.run_sync(message_history=history, deferred_tool_results=results)
        report_outcomes(result.new_messages(), results, client)
        print(result.output)
`

const agentsProgram = `
import asyncio, os, pathlib, sys
from agents import Agent, Model, ModelResponse, RunConfig, RunState, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from countersign import Client
from countersign.openai_agents import report_outcomes, resolve_interruptions

client = Client(url=os.environ["COUNTERSIGN_URL"], api_key=os.environ["COUNTERSIGN_API_KEY"])
stored = pathlib.Path(sys.argv[1])

class Scripted(Model):
    async def get_response(self, system_instructions, input, *args, **kwargs):
        outputs = [one["output"] for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"] if isinstance(input, list) else []
        if outputs:
            text = ResponseOutputText(text=str(outputs), type="output_text", annotations=[])
            output = [ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])]
        else:
            output = [
                ResponseFunctionToolCall(type="function_call", call_id=id, name=name, arguments='{"what": "%s"}' % name)
                for id, name in [("o1", "wipe"), ("o2", "ship")]
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError

@function_tool(needs_approval=True)
def wipe(what: str) -> str:
    print("ran wipe", what)
    return "wiped"

@function_tool(needs_approval=True)
def ship(what: str) -> str:
    print("ran ship", what)
    return "shipped"

async def main():
    agent = Agent(name="ops", model=Scripted(), tools=[wipe, ship])
    config = RunConfig(tracing_disabled=True)
    if not stored.exists():
        state = (await Runner.run(agent, "go", run_config=config)).to_state()
        stored.write_text(state.to_string())
        print(resolve_interruptions(state, client))
        return
    state = await RunState.from_string(agent, stored.read_text())
    taken = resolve_interruptions(state, client)
    if taken is None:
        print("waits")
    else:
        result = await Runner.run(agent, state, run_config=config)
        report_outcomes(result.new_items, taken, client)
        print(result.final_output)

asyncio.run(main())
`

/** Later processes go on from a copy, so that the stored state can be gone on with again. */
const langchainProgram = `
import asyncio, os, pathlib, shutil, sqlite3, sys, tempfile
from countersign import Client
from countersign.langchain import countersign_middleware
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

client = Client(url=os.environ["COUNTERSIGN_URL"], api_key=os.environ["COUNTERSIGN_API_KEY"])
stored = pathlib.Path(sys.argv[1])

class Scripted(BaseChatModel):
    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **more):
        return self

    def _generate(self, messages, *args, **more):
        if len(messages) == 1:
            calls = [("l1", "purge"), ("l2", "notify"), ("l3", "glance")]
            answer = AIMessage("", tool_calls=[{"name": name, "args": {"what": name}, "id": id} for id, name in calls])
        else:
            answer = AIMessage(str([one.content for one in messages if one.type == "tool"]))
        return ChatResult(generations=[ChatGeneration(message=answer)])

@tool
def purge(what: str) -> str:
    "Purges."
    print("ran purge", what)
    return "purged"

@tool
def notify(what: str) -> str:
    "Notifies."
    print("ran notify", what)
    return "notified"

@tool
def glance(what: str) -> str:
    "Glances."
    return "glanced"

is_first = not stored.exists()
file = stored if is_first else pathlib.Path(tempfile.mkdtemp()) / "copy"
if not is_first:
    shutil.copy(stored, file)
saver = SqliteSaver(sqlite3.connect(file, check_same_thread=False))
middleware = [countersign_middleware(client, unasked=["glance"])]
agent = create_agent(Scripted(), [purge, notify, glance], middleware=middleware, checkpointer=saver)
config = {"configurable": {"thread_id": "t1"}}
result = agent.invoke({"messages": "go"} if is_first else Command(resume={}), config)
if "__interrupt__" in result:
    value = result["__interrupt__"][0].value
    names = [action["name"] for action in value["action_requests"]]
    assert len(value["countersign"]) == len(value["review_configs"]) == len(names), value
    print(None if names == ["purge", "notify"] else "waits")
else:
    print(result["messages"][-1].content)
`

/** A graph of somebody's own, which pauses for the agent inbox. */
const inboxProgram = `
import os, pathlib, shutil, sqlite3, sys, tempfile
from typing import TypedDict
from countersign import Client
from countersign.langgraph import answer_interrupts
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import StateGraph
from langgraph.types import Command, interrupt

client = Client(url=os.environ["COUNTERSIGN_URL"], api_key=os.environ["COUNTERSIGN_API_KEY"])
stored = pathlib.Path(sys.argv[1])
may = {"allow_accept": True, "allow_edit": True, "allow_ignore": True, "allow_respond": True}

class State(TypedDict):
    said: list

def act(state):
    calls = [{"action_request": {"action": name, "args": {"what": name}}, "config": may} for name in ("shred", "print")]
    return {"said": interrupt(calls)}

def review(state):
    calls = [{"name": "copy", "args": {"what": "copy"}}]
    configs = [{"action_name": "copy", "allowed_decisions": ["approve", "reject"]}]
    return {"said": [*state["said"], interrupt({"action_requests": calls, "review_configs": configs})]}

def graph():
    saver = SqliteSaver(sqlite3.connect(stored, check_same_thread=False))
    built = StateGraph(State).add_node(act).add_node(review).add_edge("__start__", "act").add_edge("act", "review")
    return built.compile(checkpointer=saver)

config = {"configurable": {"thread_id": "t1"}}
if not stored.exists():
    graph().invoke({"said": []}, config)
answered = answer_interrupts(client, graph().get_state(config).interrupts)
if answered.waiting:
    print("waits for", len(answered.waiting))
else:
    result = graph().invoke(Command(resume=answered.resume), config)
    for id, name in answered.taken:
        client.report(id, "succeeded", name)
    print(result["said"])
`

describe.skipIf(missing !== null)('of Python', () => {
  let desk: ApprovalDesk
  beforeAll(async () => {
    desk = await openApprovalDesk()
  })
  afterAll(async () => {
    await desk?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test.each([
    {
      name: 'pydantic-ai',
      source: program,
      denied: 'erase',
      approved: 'deploy',
      done: 'deployed',
      id: 'p2',
      takesEdits: true,
    },
    {
      name: 'openai-agents',
      source: agentsProgram,
      denied: 'wipe',
      approved: 'ship',
      done: 'shipped',
      id: 'o2',
      takesEdits: false,
    },
    {
      name: 'langchain',
      source: langchainProgram,
      denied: 'purge',
      approved: 'notify',
      done: 'notified',
      id: 't1:l2',
      takesEdits: true,
    },
  ])(
    '$name: each call gets its own decision in another process, as it was changed if it can be, and a stored run makes its calls once',
    async (of) => {
      const file = join(folder, `run-${of.name}.py`)
      await writeFile(file, of.source)
      const env = { COUNTERSIGN_URL: desk.url, COUNTERSIGN_API_KEY: desk.apiKey }
      const run = async () =>
        (await runProgram(python, [file, join(folder, `${of.name}.json`)], { env })).stdout
      expect(await run()).toBe('None\n')
      const revised = desk.revise(of.approved, { what: 'less' })
      if (of.takesEdits) await revised
      else await expect(revised).rejects.toThrow('edits_off')
      const allowed = await desk.decide(of.approved, 'approve')
      expect(await run()).toBe('waits\n')
      const refused = await desk.decide(of.denied, 'deny')
      const done = await run()
      expect(done).toContain(`ran ${of.approved} ${of.takesEdits ? 'less' : of.approved}\n`)
      expect(done).not.toContain(`ran ${of.denied}`)
      expect(done).toContain('Countersign: not run. Grace denied this: looked at it')
      expect(done).toContain(of.done)
      expect(allowed.externalId).toBe(`${of.name}:${of.id}`)
      expect(await desk.stateOf(allowed.id)).toEqual({ state: 'approved', execution: 'succeeded' })
      expect(await desk.stateOf(refused.id)).toEqual({ state: 'denied', execution: 'not_started' })
      const again = await run()
      expect(again).not.toContain(`ran ${of.approved}`)
      expect(again).toContain('permit of this call was taken before')
    },
  )

  test('langgraph: pauses for the agent inbox and for a review are answered in their shapes', async () => {
    const file = join(folder, 'run-langgraph.py')
    await writeFile(file, inboxProgram)
    const env = { COUNTERSIGN_URL: desk.url, COUNTERSIGN_API_KEY: desk.apiKey }
    const run = async () =>
      (await runProgram(python, [file, join(folder, 'langgraph.db')], { env })).stdout
    expect(await run()).toBe('waits for 2\n')
    await desk.revise('print', { what: 'less' })
    const printed = await desk.decide('print', 'approve')
    await desk.decide('shred', 'deny')
    const text =
      "[{'type': 'response', 'args': 'Countersign: not run. Grace denied this: looked at it'}, " +
      "{'type': 'edit', 'args': {'action': 'print', 'args': {'what': 'less'}}}"
    expect(await run()).toBe(`${text}]\n`)
    expect(await desk.stateOf(printed.id)).toMatchObject({ execution: 'succeeded' })
    expect(await run()).toBe('waits for 1\n')
    await desk.decide('copy', 'approve')
    expect(await run()).toBe(`${text}, {'decisions': [{'type': 'approve'}]}]\n`)
  })
})
