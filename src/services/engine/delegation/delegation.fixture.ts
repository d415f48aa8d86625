import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { deskConfig, openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { Json } from '#domain/json/json.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'

/** of the file of tests that called `useDelegationDesk` */
export let desk: AgentDesk

export const zones = `zones:
  - { name: repo, root: ., mode: ro, approval: { read: preApproved, share: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { read: preApproved, write: ask, share: ask } }
  - { name: kept, root: ./kept, mode: rw, approval: { read: preApproved, write: blocked, share: blocked } }
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved } }`
const wide = `zones:
  - { name: all, root: ., mode: rw, approval: { read: preApproved, write: preApproved, delete: preApproved } }`

export function worker(name: string, front: string): string {
  return `---\nname: ${name}\ndescription: The ${name}\nmodel: openai-compatible:scripted-by-the-test\n${front}\n---\nWork.\n`
}

export const files = {
  'countersign.yaml': deskConfig,
  'workers/scribe.md': worker('scribe', `workers: [reviewer, picky, circle]\n${zones}`),
  'workers/reviewer.md': worker('reviewer', wide),
  'workers/picky.md': worker('picky', `startableBy: [operators]\n${wide}`),
  'workers/circle.md': worker('circle', `workers: [scribe, circle]\n${zones}`),
}

/** Opens a desk with a worker that may call others, and with files. */
export function useDelegationDesk(): void {
  beforeAll(async () => {
    desk = await openAgentDesk()
    await desk.activate(files)
    await desk.write('notes/1.md', 'one\n')
    await desk.write('notes/2.md', 'two\n')
    await desk.write('readme.md', 'readme\n')
    await desk.write('kept/1.md', 'kept\n')
  })
  afterAll(() => desk[Symbol.asyncDispose]())
  beforeEach(() => {
    desk.steps.length = 0
    desk.executed.length = 0
  })
}

/** A call of the worker that reviews. */
export function toReviewer(more: { readonly [field: string]: Json } = {}) {
  return { tool: 'call_worker', input: { worker: 'reviewer', input: 'Review it', ...more } }
}

interface Asked {
  readonly runId: string
  readonly callId: string
  readonly requestId: string
  readonly outcome: Awaited<ReturnType<AgentDesk['turn']>>
}

/** A run whose first turn delegates; nothing is decided yet. */
export async function delegating(
  call = toReviewer(),
  mode?: 'strict' | 'approve_all',
): Promise<Asked> {
  desk.say({ text: 'I ask the reviewer.', calls: [call] })
  const starter = mode === 'approve_all' ? desk.people.olga : desk.people.ada
  const asking = { worker: 'scribe', input: 'Go', ...(mode === undefined ? {} : { mode }) }
  const { id: runId } = await startRun(desk.api, starter.caller, asking)
  const outcome = await desk.turn(runId, 1)
  const [made] = await desk.calls(runId, 1)
  return { runId, callId: made?.id ?? '', requestId: made?.requestId ?? '', outcome }
}

/** The same, approved by Grace and started: the child run is recorded and not signed yet. */
export async function delegated(
  call = toReviewer(),
): Promise<Asked & { readonly childId: string }> {
  const turn = await delegating(call)
  await desk.decide(desk.people.grace, turn.requestId)
  return { ...turn, childId: waitedFor(await desk.execute(turn.callId)) }
}

export function waitedFor(outcome: CallOutcome): string {
  if (outcome.kind !== 'wait') expect.fail(`the call is ${outcome.kind}`)
  return outcome.requestIds[0] ?? ''
}

export async function row(runId: string) {
  return rowOf(desk.database.db, 'run', { id: runId })
}

export async function requestsOf(callId: string) {
  return desk.database.db
    .selectFrom('request')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('id')
    .execute()
}

export async function outbox(runId: string): Promise<string[]> {
  const rows = await desk.database.db
    .selectFrom('outbox')
    .select('kind')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Takes the last turn of a child, whose text closes it. */
export async function finish(childId: string, text = 'Looks fine.'): Promise<void> {
  desk.say({ text })
  expect(await desk.turn(childId, 1)).toEqual({ kind: 'ended' })
}
