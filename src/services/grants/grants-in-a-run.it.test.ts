import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { reviseRequest } from '../revising/revise-request.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { messageRun } from '../runs/message-run.ts'
import { listGrants } from './list-grants.ts'
import { revokeGrant } from './revoke-grant.ts'

let file = 0

/** Reads ask here, so that a repeated write is not answered with "already so". */
const unread = deskWorker.replace('read: preApproved, write: ask', 'read: ask, write: ask')

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'workers/scribe.md': unread })

beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
  desk.beforeExecute = async () => undefined
})

interface Granted {
  readonly runId: string
  readonly grantId: string
  readonly path: string
}

/**
 * A run that writes the same file in each turn. Grace approved its first write for the run, and it
 * was carried out.
 */
async function granted(decision: Record<string, string | object> = {}): Promise<Granted> {
  file += 1
  const path = `notes/granted-${file}.md`
  const call = { tool: 'write_file', input: { path, content: 'same\n' } }
  desk.say({ calls: [call] }, { calls: [call, call, call] }, { calls: [call] })
  const { runId, turn } = await desk.startTurn()
  const [first] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, first?.requestId ?? '', {
    scope: 'run',
    ...(decision as Record<string, string>),
  })
  await desk.perform(turn)
  const [grant] = await listGrants(desk.api, desk.people.ada.caller, { runId })
  return { runId, grantId: grant?.id ?? '', path }
}

async function performOne(turn: TurnOutcome, position: number): Promise<void> {
  if (turn.kind !== 'calls') throw new Error(`the turn is ${turn.kind}`)
  await desk.execute(turn.calls[position]?.callId ?? '')
}

async function verdicts(runId: string, turn: number): Promise<(string | null)[]> {
  return (await desk.calls(runId, turn)).map((call) => call.verdict)
}

/** The results of the calls of the second turn, which the grants may allow. */
async function results(runId: string): Promise<(string | null)[]> {
  return (await desk.calls(runId, 2)).map((call) => call.result)
}

// Rules: product.md 10
describe('a grant that is revoked', () => {
  test('in the middle of a turn does not affect calls that ran, and the next one of that turn asks', async () => {
    const { runId, grantId } = await granted()
    const turn = await desk.turn(runId, 2)
    await performOne(turn, 0)
    await revokeGrant(desk.api, desk.people.ada.caller, { grantId })
    await performOne(turn, 1)
    expect(await verdicts(runId, 2)).toEqual(['preApproved', 'ask', 'preApproved'])
    expect(await results(runId)).toEqual(['output', null, null])
    expect(desk.executed).toHaveLength(2)
  })

  test('while its calls are being claimed takes effect at once: no call starts on it later', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { runId, grantId } = await granted()
      const turn = await desk.turn(runId, 2)
      const revoking = revokeGrant(desk.api, desk.people.grace.caller, { grantId })
      await desk.perform(turn)
      await revoking
      const late = await desk.database.db
        .selectFrom('execution')
        .innerJoin('approval_grant', 'approval_grant.id', 'execution.grant_id')
        .select('execution.call_id')
        .where('approval_grant.id', '=', grantId)
        .whereRef('execution.started_at', '>', 'approval_grant.revoked_at')
        .execute()
      expect(late, `round ${round}`).toEqual([])
    }
  })

  test('after one of its calls has started does not stop that call, and does not cover the next', async () => {
    const { runId, grantId } = await granted()
    const turn = await desk.turn(runId, 2)
    desk.beforeExecute = async () => revokeGrant(desk.api, desk.people.grace.caller, { grantId })
    await performOne(turn, 0)
    desk.beforeExecute = async () => undefined
    await performOne(turn, 1)
    expect(await results(runId)).toEqual(['output', null, null])
  })
})

// Rules: product.md 10
describe('a grant covers nothing', () => {
  test('beyond its uses: of three calls of one turn only as many run unasked', async () => {
    const { runId } = await granted({ grant: { uses: 2 } })
    await desk.perform(await desk.turn(runId, 2))
    expect(await verdicts(runId, 2)).toEqual(['preApproved', 'preApproved', 'ask'])
    expect(await results(runId)).toEqual(['output', 'output', null])
  })

  test('for a call that policy blocks by the time it would run', async () => {
    const { runId } = await granted()
    const turn = await desk.turn(runId, 2)
    await desk.activate({ 'workers/scribe.md': unread.replace('write: ask', 'write: blocked') })
    await desk.perform(turn)
    await desk.activate({ 'workers/scribe.md': unread })
    expect(await results(runId)).toEqual(['blocked', 'blocked', 'blocked'])
    expect(desk.executed).toHaveLength(1)
  })

  test('once its giver has left the team, and covers it again when they are back', async () => {
    const { runId } = await granted()
    const turn = await desk.turn(runId, 2)
    await desk.activate({ 'countersign.yaml': deskConfig.replace('grace@example.com, ', '') })
    await performOne(turn, 0)
    expect((await verdicts(runId, 2))[0]).toBe('ask')
    await desk.activate({ 'countersign.yaml': deskConfig })
    const [first] = await desk.calls(runId, 2)
    await desk.decide(desk.people.grace, first?.requestId ?? '', { decision: 'deny' })
    await desk.perform(turn)
    expect(await results(runId)).toEqual(['denied', 'output', 'output'])
  })

  test('once its giver has sent the run a message', async () => {
    const { runId } = await granted()
    const rights = deskConfig.replace('manageRuns: [operators]', 'manageRuns: [platform]')
    await desk.activate({ 'countersign.yaml': rights })
    await messageRun(desk.api, desk.people.grace.caller, { runId, text: 'Write it again.' })
    await desk.activate({ 'countersign.yaml': deskConfig })
    await desk.turn(runId, 2)
    expect(await verdicts(runId, 2)).toEqual(['ask', 'ask', 'ask'])
  })

  test('in another run, though the very same call was approved for the run there', async () => {
    const { path } = await granted()
    desk.steps.length = 0
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'same\n' } }] })
    const { runId: other } = await desk.startTurn()
    expect(await verdicts(other, 1)).toEqual(['ask'])
  })
})

// Rules: product.md 10
test('a grant without any call to cover under the policy in force says so, and covers calls again when a later policy allows it', async () => {
  const { runId } = await granted()
  const dormantReason = async () =>
    (await listGrants(desk.api, desk.people.ada.caller, { runId }))[0]?.dormant
  expect(await dormantReason()).toBeNull()
  const changes: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [
      { 'workers/scribe.md': unread.replace('write: ask', 'write: blocked') },
      'the policy in force blocks it for scribe: zone notes: write is blocked',
    ],
    [
      {
        'countersign.yaml': `${deskConfig}overlays:\n  - { when: { risk: high }, approval: blocked }\n  - { when: { path: "notes/**" }, approval: blocked }\n`,
      },
      'the policy in force blocks it for scribe: overlay 2: write_file is blocked',
    ],
    [
      { 'workers/scribe.md': unread.replaceAll(/^ {2}- \{ name.*\n|^zones:\n/gm, '') },
      'scribe has no tool write_file in the policy in force',
    ],
  ]
  for (const [files, why] of changes) {
    await desk.activate(files)
    expect(await dormantReason()).toBe(why)
    await desk.activate({ 'countersign.yaml': deskConfig, 'workers/scribe.md': unread })
    expect(await dormantReason()).toBeNull()
  }
  await sql`update approval_grant set statement = regexp_replace(statement, '"toolHash":"sha256:....', '"toolHash":"sha256:0000')
    where root_run_id = ${runId}`.execute(desk.database.db)
  expect(await dormantReason()).toBe('the definition of write_file has changed since')
})

// Rules: product.md 11
describe('a call that is changed into a pre-approved one', () => {
  test.each(['by its zone', 'by a grant'])(
    'still waits, shows the changed call, and runs once approved: pre-approved %s',
    async (how) => {
      const { path: covered, runId } = await granted()
      const path = how === 'by a grant' ? covered : `scratch/changed-${file}.md`
      desk.steps.length = 0
      const asks = { path: `notes/asks-${file}.md`, content: 'asks\n' }
      desk.say({ calls: [{ tool: 'write_file', input: asks }] })
      const turn = await desk.turn(runId, 2)
      const [call] = await desk.calls(runId, 2)
      const { grace, linus } = desk.people
      const request = call?.requestId ?? ''
      const { digest } = await getRequest(desk.api, grace.caller, { request })
      const input = { path, content: 'same\n' }
      await reviseRequest(desk.api, linus.caller, { request, input, digest, revision: 1 })
      expect(await getRequest(desk.api, grace.caller, { request })).toMatchObject({
        state: 'pending',
        revision: 2,
        input,
        presentation: { metadata: { path } },
        execution: { state: 'not_started' },
      })
      await desk.decide(grace, request)
      await desk.perform(turn)
      expect(await results(runId)).toEqual(['output'])
      expect(await desk.read(path)).toBe('same\n')
    },
  )
})
