import { addKey, type TestPerson } from '../../harness/fixtures/people.ts'
import { agentDeskOn, deskWorker, type AgentDesk } from '../../harness/fixtures/agent-desk.ts'
import { rowOf, setRows } from '../../harness/fixtures/rows.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import type { Caller } from '#services/core/context.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { disablePerson } from '#services/access/disable-person.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { consumePermit } from '#services/external/consume-permit.ts'
import { openExternal } from '#services/external/open-external.ts'
import { revokeGrant } from '#services/grants/revoke-grant.ts'
import { revokePermit } from '#services/permits/revoke-permit.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { forkRun } from '#services/runs/forking/fork-run.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { startRun, type StartRunInput } from '#services/runs/starting/start-run.ts'
import type { TestDatabase } from '../../harness/postgres.ts'

export interface AskedCall {
  readonly runId: string
  readonly callId: string
  readonly requestId: string
  readonly path: string
}

/** An installation in which requests, permits, grants and runs are in many states. */
export interface Scene extends AsyncDisposable {
  readonly desk: AgentDesk
  readonly edsger: TestPerson
  /** programs with keys of Grace and of Linus */
  readonly keys: { readonly grace: Caller; readonly linus: Caller }
  readonly calls: Readonly<Record<CallName, AskedCall>>
  readonly requests: Readonly<Record<RequestName, string>>
  readonly starts: Readonly<Record<'waiting' | 'denied', AskedStart>>
}

export interface AskedStart {
  readonly runId: string
  readonly requestId: string
}

const calls = {
  waiting: 'waits',
  another: 'waits, of another run',
  halfApproved: 'has one of two votes, of Grace',
  written: 'is of a run to which Linus wrote',
  edited: 'was changed by Grace',
  forked: 'is of a fork of the run to which Linus wrote',
  ofKey: 'is of a run that a key of Linus started',
  signed: 'needs a signature',
  denied: 'was denied, and has not got its result yet',
  expired: 'has expired',
  revoked: 'was approved, and the approval revoked',
  approved: 'was approved, and has not run yet',
  done: 'was approved and has run',
  strict: 'is of a strict run',
  blocked: 'is blocked by policy',
  spentGrant: 'is like one whose grant is spent',
  endedGrant: 'was pre-approved by a grant that was revoked since',
  granted: 'was pre-approved by a grant',
} as const
export type CallName = keyof typeof calls

export type RequestName = 'asked' | 'asker' | 'refused' | 'taken'

const config = `version: 1
teams:
  platform: { members: [ada@example.com, grace@example.com, linus@example.com, edsger@example.com] }
  operators: { members: [olga@example.com] }
queues:
  platform: { team: platform }
  signed: { team: platform, signature: required }
defaults: { queue: platform }
routing:
  - { when: { path: "notes/two-*" }, queue: platform, quorum: { count: 2 } }
  - { when: { path: "notes/signed-*" }, queue: signed, risk: high }
rights: { manageRuns: [operators], startApproveAll: [operators], managePeople: [operators] }
`

export async function openScene(database: TestDatabase): Promise<Scene> {
  const desk = await agentDeskOn(database)
  const careful = deskWorker.replace('name: scribe', 'name: careful\nstartApproval: ask')
  const closed = deskWorker.replace('name: scribe', 'name: closed\nstartableBy: [operators]')
  await desk.activate({
    'countersign.yaml': config,
    'workers/careful.md': careful,
    'workers/closed.md': closed,
  })
  const { api, people } = desk
  const { db } = database
  const { ada, grace, linus, olga } = people
  const { id, name } = await rowOf(db, 'person', { email: 'edsger@example.com' }, 'id', 'name')
  const caller = { actor: { type: 'person', id, name }, channel: 'dashboard' } as const
  await disablePerson(api, olga.caller, { email: 'edsger@example.com' })
  const keys = { grace: (await addKey(db, grace)).caller, linus: (await addKey(db, linus)).caller }

  let written = 0
  async function asks(
    how: { folder?: string; by?: Caller; start?: Partial<StartRunInput>; tool?: string } = {},
  ): Promise<AskedCall> {
    const { folder = 'notes/', by = ada.caller, start = {}, tool = 'write_file' } = how
    const path = `${folder}${(written += 1)}.md`
    const input = tool === 'write_file' ? { path, content: `${path}\n` } : { path }
    desk.say({ calls: [{ tool, input }] })
    const run = { worker: 'scribe', input: 'Write the notes', ...start }
    return callOf((await startRun(api, by, run)).id, 1, path)
  }
  async function callOf(runId: string, turn: number, path: string): Promise<AskedCall> {
    await desk.turn(runId, turn)
    const [call] = await desk.calls(runId, turn)
    if (call === undefined) throw new Error('the turn has no call')
    return { runId, callId: call.id, requestId: call.requestId, path }
  }
  async function decidedCall(how: JsonObject): Promise<AskedCall> {
    const call = await asks()
    await desk.decide(grace, call.requestId, how)
    return call
  }
  /** The second of two identical calls, after the first was approved for the run. */
  async function afterGrant(uses?: number): Promise<AskedCall> {
    const first = await asks()
    await desk.decide(grace, first.requestId, {
      scope: 'run',
      ...(uses === undefined ? {} : { grant: { uses } }),
    })
    await desk.execute(first.callId)
    const again = async (turn: number): Promise<AskedCall> => {
      await desk.write(first.path, 'changed back\n')
      const input = { path: first.path, content: `${first.path}\n` }
      desk.say({ calls: [{ tool: 'write_file', input }] })
      return callOf(first.runId, turn, first.path)
    }
    const second = await again(2)
    if (uses === undefined) return second
    await desk.execute(second.callId)
    return again(3)
  }
  async function start(): Promise<AskedStart> {
    const runId = await desk.start({ worker: 'careful' })
    const row = await rowOf(db, 'run', { id: runId }, 'start_request_id')
    return { runId, requestId: row.start_request_id ?? '' }
  }
  let callCount = 0
  async function program(more: { onBehalfOf?: string } = {}): Promise<string> {
    const input = { service: 'shop', version: String((callCount += 1)) }
    const call = { tool: 'deploy', input, externalId: `call-${callCount}`, ...more }
    return (await openExternal(api, keys.grace, call)).requestId
  }

  const halfApproved = await asks({ folder: 'notes/two-' })
  await desk.decide(grace, halfApproved.requestId)
  const tellsRun = async (runId: string) =>
    messageRun(api, linus.caller, { runId, text: 'Mind the spelling.' })
  const first = await asks({ by: linus.caller })
  await desk.decide(grace, first.requestId, { decision: 'deny' })
  await desk.execute(first.callId)
  await tellsRun(first.runId)
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/w.md', content: 'w\n' } }] })
  const writtenCall = await callOf(first.runId, 2, 'notes/w.md')
  const fork = await forkRun(api, linus.caller, { runId: first.runId, afterTurn: 1, text: 'Go on' })
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/f.md', content: 'f\n' } }] })
  const forked = await callOf(fork.id, 2, 'notes/f.md')
  const edited = await asks()
  const { digest, revision } = await rowOf(db, 'request', { id: edited.requestId })
  await reviseRequest(api, grace.caller, {
    request: edited.requestId,
    digest,
    revision,
    reason: 'better',
    input: { path: edited.path, content: 'changed\n' },
  })
  const expired = await asks()
  await setRows(db, 'request', { id: expired.requestId }, { expires_at: new Date(0) })
  await sealRows(db, 'request', 'id', expired.requestId)
  const revoked = await decidedCall({})
  await revokePermit(api, grace.caller, { request: revoked.requestId, reason: 'no' })
  const done = await decidedCall({})
  await desk.execute(done.callId)
  const endedGrant = await afterGrant()
  const grant = await rowOf(db, 'approval_grant', { root_run_id: endedGrant.runId }, 'id')
  await revokeGrant(api, grace.caller, { grantId: grant.id })
  const scene: Scene = {
    desk,
    edsger: { id, name, caller },
    keys,
    calls: {
      waiting: await asks(),
      another: await asks({ by: grace.caller }),
      halfApproved,
      written: writtenCall,
      edited,
      forked,
      ofKey: await asks({ by: keys.linus }),
      signed: await asks({ folder: 'notes/signed-' }),
      denied: await decidedCall({ decision: 'deny' }),
      expired,
      revoked,
      approved: await decidedCall({}),
      done,
      strict: await asks({ start: { mode: 'strict' } }),
      blocked: await asks({ tool: 'delete_file' }),
      spentGrant: await afterGrant(1),
      endedGrant,
      granted: await afterGrant(),
    },
    requests: {
      asked: await program(),
      asker: await program({ onBehalfOf: 'ada@example.com' }),
      refused: await program(),
      taken: await program(),
    },
    starts: { waiting: await start(), denied: await start() },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  }
  await desk.decide(grace, scene.starts.denied.requestId, { decision: 'deny' })
  await decideAsShown(desk, linus.caller, scene.requests.refused, 'deny')
  await decideAsShown(desk, linus.caller, scene.requests.taken, 'approve')
  const taken = await rowOf(db, 'request', { id: scene.requests.taken }, 'digest')
  await consumePermit(api, keys.grace, { request: scene.requests.taken, digest: taken.digest })
  desk.steps.length = 0
  return scene
}

/** Decides a request as its rows show it now, with everything that a decision can say. */
export async function decideAsShown(
  { api }: Pick<AgentDesk, 'api'>,
  caller: Caller,
  requestId: string,
  decision: 'approve' | 'deny',
): Promise<void> {
  const { digest, revision } = await rowOf(api.db, 'request', { id: requestId })
  const row = await rowOf(api.db, 'request_revision', { request_id: requestId, revision })
  const seen = row.presentation_digest
  const body = { decision, digest, revision, reason: 'looked', seen }
  const again = decision === 'approve' ? { again: true } : {}
  await decideRequest(api, caller, { request: requestId, body: { ...body, ...again } })
}
