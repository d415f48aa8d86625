import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { aside } from '#test/harness/aside.ts'
import { afterWork } from '#test/harness/fixtures/before-transaction.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { getTexts } from '#store/content/content.ts'
import { reviseRequest } from '../revising/revise-request.ts'
import { admitRun } from '../engine/lifecycle/admit-run.ts'
import { consumePermit } from '../external/consume-permit.ts'
import { openExternal } from '../external/open-external.ts'
import { reportOutcome } from '../external/report-outcome.ts'
import { enterManualResult } from '../engine/manual-calls/enter-result.ts'
import { invokeTool } from '../engine/manual-calls/invoke-tool.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { requestContent } from '../requests/detail/request-content.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { getRun } from '../runs/reading/get-run.ts'
import { forkRun } from '../runs/forking/fork-run.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { verifyRun } from '../core/verify-run.ts'
import { eraseRequestContents, type ErasedContents } from './erase-contents.ts'
import { anHourLater, placesOf } from './erasure.fixture.ts'

const rights = 'rights:\n  activatePolicy: [operators]\n'

const desk = disposeAfterTests(await openAgentDesk())
const scribe = deskWorker.replace('zones:', 'workers: [hand]\nshell: { default: ask }\nzones:')
const manual = 'tools:\n  write_file: { manual: true }\n---\nYou'
const clerk = deskWorker.replace('name: scribe', 'name: clerk').replace('---\nYou', manual)
const hand = deskWorker.replace('name: scribe', 'name: hand')
await desk.activate({
  'countersign.yaml': deskConfig.replace('rights:\n', rights),
  'workers/scribe.md': scribe,
  'workers/hand.md': hand,
  'workers/clerk.md': clerk,
})
const program = await addKey(desk.database.db, desk.people.ada)

beforeEach(() => {
  desk.steps.length = 0
})

const erase = (request: string): Promise<ErasedContents> =>
  eraseRequestContents(desk.api, desk.people.olga.caller, { request, why: 'an address' })
const read = (request: string) => getRequest(desk.api, desk.people.grace.caller, { request })

async function nowhere(marker: string): Promise<void> {
  await anHourLater(desk.database.db)
  expect(await placesOf(desk.database.db, marker)).toEqual([])
}

/** A run whose first turn makes one call that asks. */
async function asking(tool: string, input: Parameters<typeof JSON.stringify>[0]) {
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, { tool, input })
  return { runId, callId: call.id, requestId: call.requestId }
}

describe('erasing the contents of a call reaches', () => {
  test('every revision: the call as the model made it, and as a person changed it', async () => {
    const { runId, callId, requestId } = await asking('write_file', {
      path: 'notes/Hermia.md',
      content: 'Hermia\n',
    })
    const { digest } = await read(requestId)
    const input = { path: 'notes/Hermia.md', content: 'Hermia Hermia\n' }
    const edit = { request: requestId, input, digest, revision: 1, reason: 'twice' }
    await reviseRequest(desk.api, desk.people.linus.caller, edit)
    const { digest: revised } = await read(requestId)
    // A change that came too late: the request was decided while the host judged it. Nothing refers
    // to the contents that the host stored.
    const judgeRemotely: typeof desk.api.judgeRemotely = async (question) => {
      const judged = await desk.api.judgeRemotely(question)
      await desk.decide(desk.people.grace, requestId)
      return judged
    }
    const tooLate = {
      ...edit,
      input: { ...input, content: 'Hermia?\n' },
      digest: revised,
      revision: 2,
    }
    const late = reviseRequest({ ...desk.api, judgeRemotely }, desk.people.linus.caller, tooLate)
    expect((await refusal(late)).code).toBe('already_decided')
    await desk.execute(callId)
    await desk.turn(runId, 2)
    await erase(requestId)
    const { erased, revisions } = await read(requestId)
    const parts = erased?.contents.filter((part) => part.of === 'content') ?? []
    expect(parts.map(({ revision }) => revision)).toEqual([1, 2])
    expect(new Set(revisions.map(({ title }) => title))).toEqual(
      new Set(['Call write_file (contents erased)']),
    )
    await nowhere('Hermia')
  })

  /** A call that started a run, which wrote the marker and has ended. */
  async function delegated(marker: string) {
    const task = { worker: 'hand', input: `Write to ${marker}` }
    const { runId, callId, requestId } = await asking('call_worker', task)
    await desk.decide(desk.people.grace, requestId)
    const waiting = await desk.execute(callId)
    if (waiting.kind !== 'wait') expect.fail(`the call is ${waiting.kind}`)
    const child = waiting.requestIds[0] ?? ''
    await admitRun(desk.api, { runId: child })
    expect((await refusal(erase(requestId))).message).toContain('being carried out')
    desk.say({ text: `${marker} is told.` })
    await desk.turn(child, 1)
    await desk.execute(callId)
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    return { requestId, child }
  }

  test('the run that it started: its task, its words, its output; its signature still verifies', async () => {
    const { db } = desk.database
    const { requestId, child } = await delegated('Iachimo')
    expect(await placesOf(db, 'Iachimo')).toContain('run.output')
    await erase(requestId)
    const run = await getRun(desk.api, desk.people.ada.caller, child)
    const notice = expect.stringContaining('[erased on ') as string
    expect(run).toMatchObject({ title: notice, input: notice, output: notice })
    const row = await rowOf(db, 'run', { id: child })
    expect(verifyRun(desk.api.verifier, row)).not.toBeNull()
    await nowhere('Iachimo')
  })

  test('the run that it started, although somebody gave another run the same task, which stays', async () => {
    const { ada } = desk.people
    const { requestId, child } = await delegated('Guiderius')
    const task = { worker: 'hand', input: 'Write to Guiderius' }
    const { id: other } = await startRun(desk.api, ada.caller, task)
    await cancelRun(desk.api, ada.caller, { runId: other })
    expect((await erase(requestId)).kept).toBeGreaterThan(0)
    const { title, input } = await getRun(desk.api, ada.caller, child)
    expect([title, input]).toEqual([expect.stringContaining('[erased on '), title])
    expect(await getRun(desk.api, ada.caller, other)).toMatchObject({ input: task.input })
    const again = refusal(forkRun(desk.api, ada.caller, { runId: child, afterTurn: 0 }))
    expect((await again).message).toContain('was erased')
    // The form of a notice hides no task.
    const imitated = '[erased on 2026-11-30 by Olga]'
    const { id: posing } = await startRun(desk.api, ada.caller, {
      ...task,
      input: `${imitated}\nWrite to Arviragus`,
    })
    expect(await getRun(desk.api, ada.caller, posing)).toMatchObject({
      input: `${imitated}\nWrite to Arviragus`,
    })
    await cancelRun(desk.api, ada.caller, { runId: posing })
  })

  /** Begins something at the end of the first transaction, which goes on once that waits. */
  const meanwhile = (begun: Promise<unknown>[], begin: () => Promise<unknown>) => ({
    ...desk.api,
    db: afterWork(desk.database.db, async () => {
      const waiting = await holdLock(desk.database.db, sql`select`)
      begun.push(aside(begin))
      await Promise.race([...begun, waiting.waitedForBy(1)])
      await waiting.release()
    }),
  })

  test('no task of a run that somebody is starting with the same words, whichever is first', async () => {
    const { ada, olga } = desk.people
    for (const name of ['Posthumus', 'Philario']) {
      const { requestId } = await delegated(name)
      const task = { worker: 'hand', input: `Write to ${name}` }
      const begun: Promise<unknown>[] = []
      if (name === 'Posthumus') {
        const api = meanwhile(begun, () => erase(requestId))
        await startRun(api, ada.caller, task)
      } else {
        const api = meanwhile(begun, () => startRun(desk.api, ada.caller, task))
        await eraseRequestContents(api, olga.caller, { request: requestId, why: 'an address' })
      }
      await Promise.all(begun)
      const { id: runId } = await rowOf(desk.database.db, 'run', { title: task.input })
      expect(await getRun(desk.api, ada.caller, runId)).toMatchObject({ input: task.input })
      await cancelRun(desk.api, ada.caller, { runId })
    }
  })

  test('what the model said in forks that took the call over, once they have ended', async () => {
    const { ada, grace } = desk.people
    const input = { path: 'notes/Imogen.md', content: 'Imogen\n' }
    const { runId, callId, requestId } = await asking('write_file', input)
    await desk.decide(grace, requestId)
    await desk.execute(callId)
    await cancelRun(desk.api, ada.caller, { runId })
    const from = { runId, afterTurn: 1, text: 'Go on' }
    const { id: fork } = await forkRun(desk.api, ada.caller, from)
    expect((await refusal(erase(requestId))).message).toContain(`Run ${fork} has not ended`)
    desk.say({ text: 'I repeat: Imogen.' })
    await desk.turn(fork, 2)
    await erase(requestId)
    const notice = expect.stringContaining('[erased on ') as string
    expect(await getRun(desk.api, ada.caller, fork)).toMatchObject({
      title: 'Go on',
      output: notice,
    })
    await nowhere('Imogen')
  })

  test('forks of the run that it started: the task that they have too', async () => {
    const { ada } = desk.people
    const { requestId, child } = await delegated('Cloten')
    const from = { runId: child, afterTurn: 1, text: 'Go on' }
    const { id: fork } = await forkRun(desk.api, ada.caller, from)
    desk.say({ text: 'I repeat: Cloten.' })
    await desk.turn(fork, 2)
    expect(await erase(requestId)).toMatchObject({ kept: 0 })
    expect(await getRun(desk.api, ada.caller, fork)).toMatchObject({ title: 'Go on' })
    await nowhere('Cloten')
  })

  test('runs that start it again, with their forks and their own start, once they have ended', async () => {
    const { ada, grace } = desk.people
    const { requestId, child } = await delegated('Belarius')
    const again = async (runId: string, more = {}) =>
      (await forkRun(desk.api, ada.caller, { runId, afterTurn: 0, ...more })).id
    const other = await again(child, { input: 'Write to nobody' })
    await desk.turn(other, 1)
    await desk.activate({ 'workers/hand.md': hand.replace('zones:', 'startApproval: ask\nzones:') })
    const restart = await again(child)
    const { startRequestId } = await getRun(desk.api, ada.caller, restart)
    await desk.decide(grace, startRequestId ?? '')
    await desk.activate({ 'workers/hand.md': hand })
    await admitRun(desk.api, { runId: restart })
    expect((await refusal(erase(requestId))).message).toContain(`Run ${restart} has not ended`)
    desk.say({ text: 'Belarius again.' })
    await desk.turn(restart, 1)
    const fork = await again(restart, { afterTurn: 1, text: 'Go on' })
    desk.say({ text: 'I repeat: Belarius.' })
    await desk.turn(fork, 2)
    const last = await again(fork)
    expect((await refusal(erase(requestId))).message).toContain(`Run ${last} has not ended`)
    desk.say({ text: 'Belarius, at last.' })
    await desk.turn(last, 1)
    expect(await erase(requestId)).toMatchObject({ requests: 2, kept: 0 })
    const notice = expect.stringContaining('[erased on ') as string
    for (const runId of [restart, last]) {
      const run = await getRun(desk.api, ada.caller, runId)
      expect(run).toMatchObject({ title: notice, input: notice, output: notice })
    }
    const spared = await getRun(desk.api, ada.caller, other)
    expect(spared).toMatchObject({ title: 'Write to nobody', output: 'Done.' })
    await nowhere('Belarius')
  })

  /** The number of messages of all runs with the marker. */
  async function messages(marker: string): Promise<number> {
    const rows = await desk.database.db.selectFrom('message').select('content_hash').execute()
    const texts = await getTexts(
      desk.database.db,
      rows.map((row) => row.content_hash),
    )
    return [...texts.values()].filter((text) => text.includes(marker)).length
  }

  test('the message with the result of a call that a person made', async () => {
    const { ada, grace } = desk.people
    const runId = await desk.start({ worker: 'clerk' })
    const input = { path: 'notes/Kent.md', content: 'Kent\n' }
    const made = await invokeTool(desk.api, ada.caller, { runId, tool: 'write_file', input })
    const requestId = made.requestId ?? ''
    await desk.decide(grace, requestId, { decision: 'deny', then: 'continue', reason: 'no' })
    await desk.execute(made.callId)
    await enterManualResult(desk.api, { callId: made.callId })
    expect(await messages('Kent')).toBe(1)
    await cancelRun(desk.api, ada.caller, { runId })
    await erase(requestId)
    expect(await messages('Kent')).toBe(0)
    await nowhere('Kent')
  })

  test('stored notifications, also digests that name it, and no others', async () => {
    const { db } = desk.database
    const { runId, requestId } = await asking('write_file', { path: 'notes/Lear.md', content: '' })
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    await db.insertInto('endpoint').values({ name: 'email', told_until: '0' }).execute()
    const about = { endpoint: 'email', event_id: newId(), type: 'x', recipient: 'a@example.com' }
    const bodies = [
      { request_id: requestId, body: 'Write notes/Lear.md' },
      { request_id: null, body: `Lear: http://localhost/requests/${requestId}` },
      { request_id: null, body: `Another: http://localhost/requests/${newId()}` },
    ]
    for (const one of bodies) {
      await db
        .insertInto('delivery')
        .values({ id: newId(), ...about, event_id: newId(), ...one })
        .execute()
    }
    await erase(requestId)
    const left = await db.selectFrom('delivery').select('body').execute()
    expect(left.map(({ body }) => body)).toEqual([expect.stringContaining('Another')])
    await nowhere('Lear')
  })

  test('files that its command names, unless the command of another request names the same bytes', async () => {
    await desk.write('scratch/run.sh', 'echo to Malvolio\n')
    const command = { file: 'sh', args: ['scratch/run.sh'] }
    const [one, other] = [await asking('exec', command), await asking('exec', command)]
    for (const { runId } of [one, other])
      await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect((await erase(one.requestId)).kept).toBeGreaterThan(0)
    await anHourLater(desk.database.db)
    const named = { request: other.requestId, file: 'scratch/run.sh' }
    const { bytes } = await requestContent(desk.api, desk.people.grace.caller, named)
    expect(bytes.toString()).toBe('echo to Malvolio\n')
    expect(await erase(other.requestId)).toMatchObject({ kept: 0 })
    await nowhere('Malvolio')
  })
})

describe('of a program’s request', () => {
  let callCount = 0
  async function ask(name: string) {
    callCount += 1
    const { requestId } = await openExternal(desk.api, program.caller, {
      tool: 'deploy',
      input: { for: name },
      title: `For ${name}`,
      metadata: { customer: name },
      origin: { program: 'deployer', host: `host of ${name}`, folder: `/home/${name}` },
      externalId: `erase-${callCount}`,
    })
    const { digest, presentation } = await read(requestId)
    const decided = { reason: 'looked', seen: presentation.digest }
    return { requestId, digest, decided }
  }

  test('its own words, metadata and reports, once it has ended; before, the refusal says what to do', async () => {
    const { requestId, digest, decided } = await ask('Nerissa')
    const whyNot = async (): Promise<string> => (await refusal(erase(requestId))).message
    expect(await whyNot()).toContain('Decide or withdraw it first')
    await desk.decide(desk.people.grace, requestId, decided)
    expect(await whyNot()).toContain('Revoke the approval')
    await consumePermit(desk.api, program.caller, { request: requestId, digest })
    expect(await whyNot()).toContain('Wait for its report')
    const outcome = { request: requestId, state: 'succeeded', summary: 'Nerissa has it' } as const
    const before = { ...outcome, state: 'unknown', summary: 'Nerissa may have it' } as const
    await reportOutcome(desk.api, program.caller, before)
    await reportOutcome(desk.api, program.caller, outcome)
    expect(await erase(requestId)).toMatchObject({ requests: 1, kept: 0 })
    const { external, title } = await read(requestId)
    expect(title).toBe('Call deploy (contents erased)')
    expect(external).toMatchObject({
      claim: null,
      metadata: null,
      origin: null,
      outcome: { state: 'succeeded' },
    })
    await nowhere('Nerissa')
    // The seal of its row still holds.
    const late = { request: requestId, state: 'failed', summary: null } as const
    const again = await refusal(reportOutcome(desk.api, program.caller, late))
    expect(again.code).toBe('conflict')
  })

  test('a decision and an erasure at the same moment: the decision counts, and no open request is erased', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { requestId, decided } = await ask(`Orsino ${round}`)
      const [denied, erased] = await Promise.allSettled([
        desk.decide(desk.people.grace, requestId, { ...decided, decision: 'deny' }),
        erase(requestId),
      ])
      expect(denied.status).toBe('fulfilled')
      if (erased.status === 'rejected') expect(erased.reason).toMatchObject({ code: 'conflict' })
      const again = await erase(requestId)
      expect(again.requests).toBe(erased.status === 'rejected' ? 1 : 0)
      const { decisions, state } = await read(requestId)
      expect([state, decisions.map(({ reason }) => reason)]).toEqual(['denied', ['looked']])
    }
    await nowhere('Orsino')
  })
})
