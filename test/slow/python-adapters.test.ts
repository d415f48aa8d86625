import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packWheel } from '../../scripts/packages.ts'
import { openApprovalDesk, type ApprovalDesk } from '../packages/adapters/approval-desk.ts'
import { runProgram } from '../packages/packed.ts'

const pydanticAi = 'pydantic-ai-slim==2.68.0'
const folder = await mkdtemp(join(tmpdir(), 'countersign adapters '))
const python = join(folder, 'venv', 'bin', 'python')

/** What is not there to run these with; `null`: all is. */
const missing = await runProgram('python3', ['-m', 'venv', join(folder, 'venv')])
  .then(() => packWheel(folder))
  .then((wheel) =>
    runProgram(python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      `${join(folder, wheel)}[pydantic-ai]`,
      pydanticAi,
    ]),
  )
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

describe.skipIf(missing !== null)('with PydanticAI', () => {
  let desk: ApprovalDesk
  beforeAll(async () => {
    desk = await openApprovalDesk()
  })
  afterAll(async () => {
    await desk?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test('each call gets its own decision in another process, and a stored run makes its calls once', async () => {
    const file = join(folder, 'run.py')
    await writeFile(file, program)
    const env = { COUNTERSIGN_URL: desk.url, COUNTERSIGN_API_KEY: desk.apiKey }
    const run = async () =>
      (await runProgram(python, [file, join(folder, 'stored.json')], { env })).stdout
    expect(await run()).toBe('None\n')
    const deploy = await desk.decide('deploy', 'approve')
    expect(await run()).toBe('waits\n')
    const erase = await desk.decide('erase', 'deny')
    const done = await run()
    expect(done).toContain('ran deploy deploy\n')
    expect(done).not.toContain('ran erase')
    expect(done).toContain('Countersign: not run. Grace denied this: looked at it')
    expect(done).toContain('deployed')
    expect(deploy.externalId).toBe('pydantic-ai:p2')
    expect(await desk.stateOf(deploy.id)).toEqual({ state: 'approved', execution: 'succeeded' })
    expect(await desk.stateOf(erase.id)).toEqual({ state: 'denied', execution: 'not_started' })
    const again = await run()
    expect(again).not.toContain('ran deploy')
    expect(again).toContain('permit of this call was taken before')
  })
})
