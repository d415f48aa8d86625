import { beforeEach, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { openExternal } from '../../external/open-external.ts'
import { invokeTool } from '../../engine/manual-calls/invoke-tool.ts'
import { forkRun } from '../../runs/forking/fork-run.ts'
import { messageRun } from '../../runs/message-run.ts'
import { triggerSchedule } from '../../runs/schedules/manage-schedule.ts'
import { startFromTrigger } from '../../runs/starting/start-from-trigger.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { getRequest } from '../detail/get-request.ts'
import { reviseRequest } from '../../revising/revise-request.ts'

const desk = disposeAfterTests(await openAgentDesk())
// Olga decides for platform, and has manageRuns: only what she did keeps her from deciding.
const { ada, grace, linus, olga } = desk.people
await desk.activate({
  'countersign.yaml': `${deskConfig.replace(
    'linus@example.com] }',
    'linus@example.com, olga@example.com] }',
  )}schedules:
  nightly: { worker: scribe, input: Go, cron: "0 3 * * *", as: ada@example.com }
triggers:
  deploys: { worker: scribe, as: ada@example.com, secret: "\${DEPLOYS_SECRET}" }
`,
  'workers/manual.md': deskWorker
    .replace('name: scribe', 'name: manual')
    .replace('---\nYou', 'tools:\n  write_file: { manual: true }\n---\nYou'),
})
const key = await addKey(desk.database.db, olga)

beforeEach(() => {
  desk.steps.length = 0
})

let written = 0
const newNote = () => ({ path: `notes/${(written += 1)}.md`, content: 'x\n' })

/** A request of the next turn of a run. */
async function askIn(runId: string, turn = 1): Promise<string> {
  return (await proposeCall(desk, runId, turn, { tool: 'write_file', input: newNote() })).requestId
}

const task = { worker: 'scribe', input: 'Go' }

/** A run of Ada that has a turn, so that it can be continued. */
async function answered(): Promise<string> {
  desk.say({ text: 'Done.' })
  const { id } = await startRun(desk.api, ada.caller, { ...task, conversation: true })
  await desk.turn(id, 1)
  return id
}

/** Makes a run visible to everybody in the team: it has a request. */
async function decided(): Promise<string> {
  const { id } = await startRun(desk.api, ada.caller, task)
  await desk.decide(grace, await askIn(id))
  return id
}

/** Each way in which Olga causes a call, and the request of that call. */
const ways: Readonly<Record<string, () => Promise<string>>> = {
  'starts the run': async () => askIn((await startRun(desk.api, olga.caller, task)).id),
  'starts the run with a key': async () => askIn((await startRun(desk.api, key.caller, task)).id),
  'has the run of a schedule for somebody else start': async () =>
    askIn((await triggerSchedule(desk.api, olga.caller, { name: 'nightly' })).id),
  'calls a trigger for somebody else with a key': async () => {
    const { config } = await desk.api.policies.inForce()
    const trigger = config.triggers.get('deploys')
    if (trigger === undefined) throw new Error('there is no trigger')
    const message = { trigger, key: key.caller, input: 'Go', messageId: undefined }
    return askIn((await startFromTrigger(desk.api, message)).id)
  },
  "writes to somebody's run": async () => {
    const runId = await answered()
    await messageRun(desk.api, olga.caller, { runId, text: 'Write more' })
    return askIn(runId, 2)
  },
  "starts somebody's run again": async () => {
    const runId = await decided()
    return askIn((await forkRun(desk.api, olga.caller, { runId, afterTurn: 0 })).id)
  },
  "continues somebody's run in a fork": async () => {
    const forked = { runId: await answered(), text: 'Go on' }
    return askIn((await forkRun(desk.api, olga.caller, forked)).id, 2)
  },
  'is in a run that somebody else starts again': async () => {
    const { id } = await startRun(desk.api, olga.caller, task)
    await desk.decide(grace, await askIn(id))
    return askIn((await forkRun(desk.api, ada.caller, { runId: id, afterTurn: 0 })).id)
  },
  'invokes the tool in the run of somebody else': async () => {
    const { id } = await startRun(desk.api, ada.caller, { ...task, worker: 'manual' })
    const call = { runId: id, tool: 'write_file', input: newNote() }
    return (await invokeTool(desk.api, olga.caller, call)).requestId ?? ''
  },
  'changes the call': async () => {
    const request = await askIn((await startRun(desk.api, ada.caller, task)).id)
    const { digest, revision } = await getRequest(desk.api, olga.caller, { request })
    await reviseRequest(desk.api, olga.caller, { request, digest, revision, input: newNote() })
    return request
  },
  'has a program with a key of her own ask': async () => askOf(key, {}),
  'is the person for whom the program of somebody else acts, in other letters': async () =>
    askOf(await addKey(desk.database.db, ada), { onBehalfOf: 'OLGA@Example.com' }),
}

async function askOf(
  program: { readonly caller: typeof key.caller },
  more: { readonly onBehalfOf?: string },
): Promise<string> {
  const call = { tool: 'deploy', input: { n: (written += 1) }, externalId: `call ${written}` }
  return (await openExternal(desk.api, program.caller, { ...call, ...more })).requestId
}

// Rules: product.md 17; security.md 12
test.each(Object.keys(ways))(
  'whoever %s cannot approve that call, and somebody else can',
  async (way) => {
    const request = (await ways[way]?.()) ?? ''
    const refused = await refusal(desk.decide(olga, request))
    expect([refused.code, refused.facts['which']]).toEqual(['not_eligible', 'behind_request'])
    const shown = await getRequest(desk.api, linus.caller, { request })
    const seen = shown.presentation.digest
    await desk.decide(linus, request, { reason: 'read', seen })
    expect(await getRequest(desk.api, linus.caller, { request })).toMatchObject({
      state: 'approved',
    })
  },
)
