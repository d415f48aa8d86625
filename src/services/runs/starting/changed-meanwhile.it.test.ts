import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Policy } from '#policy/policy.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { afterWork, beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { activatePolicy } from '../../policy/activate-policy.ts'
import { forkRun } from '../forking/fork-run.ts'
import { triggerSchedule } from '../schedules/manage-schedule.ts'
import { recordScheduledTime } from '../schedules/record-scheduled-time.ts'
import { startDueTimes } from '../schedules/start-scheduled.ts'
import { startFromTrigger } from './start-from-trigger.ts'
import { startRun } from './start-run.ts'

const config = `${deskConfig}schedules:
  minutely: { worker: scribe, input: x, cron: "* * * * *", as: ada@example.com, catchup: one }
triggers:
  deploys: { worker: scribe, secret: "\${DEPLOYS_SECRET}" }
`
const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })
const { ada, grace, olga } = desk.people

const asking = { worker: 'scribe', input: 'Write the notes' }
let versions = 0
/** Beside a transaction, on a connection of its own. */
const outside = AsyncLocalStorage.snapshot()

/** Puts another version into force. */
const activateOther = (): Promise<void> =>
  desk.activate({ 'countersign.yaml': `${config}# version ${++versions}\n` })

/** The services as a caller meets them when an act is committed after the judgement. */
const meanwhile = (act: () => Promise<unknown>): SigningContext => ({
  ...desk.api,
  db: beforeTransaction(desk.api.db, act),
})

const runCount = async (): Promise<number> =>
  (await rowsOf(desk.database.db, 'run', {}, 'id')).length

/** The code with which a start is refused, which must start nothing. */
async function refused(starting: () => Promise<unknown>): Promise<string> {
  const before = await runCount()
  const { code } = await refusal(starting())
  expect(await runCount()).toBe(before)
  return code
}

async function deploysTrigger(ctx: SigningContext, key: Caller | null, messageId?: string) {
  const trigger = (await ctx.policies.inForce()).config.triggers.get('deploys')
  if (trigger === undefined) throw new Error('The version in force has the trigger')
  return startFromTrigger(ctx, { trigger, key, input: 'x', messageId })
}

const setDisabled = (personId: string, disabled_at: Date | null) =>
  desk.database.db.updateTable('person').set({ disabled_at }).where('id', '=', personId).execute()

// Rules: security.md 22
describe('a policy version that takes force between the judgement of a start and its record', () => {
  const runId = desk.start()
  const starts: Readonly<Record<string, (ctx: SigningContext) => Promise<unknown>>> = {
    'of a run': (ctx) => startRun(ctx, ada.caller, { ...asking, idempotencyKey: 'of a run' }),
    'of a fork': async (ctx) =>
      forkRun(ctx, ada.caller, { runId: await runId, afterTurn: 0, idempotencyKey: 'of a fork' }),
    'of a schedule by a person': (ctx) =>
      triggerSchedule(ctx, ada.caller, { name: 'minutely', idempotencyKey: 'of a schedule' }),
  }

  test.each(Object.entries(starts))(
    'refuses a start %s, and the same start succeeds when it is repeated',
    async (_, start) => {
      await runId
      expect(await refused(() => start(meanwhile(activateOther)))).toBe('conflict')
      const before = await runCount()
      await start(desk.api)
      await start(desk.api)
      expect(await runCount()).toBe(before + 1)
    },
  )

  test.each([
    { change: 'another version', activate: activateOther },
    {
      change: 'one that has the trigger on another line',
      activate: () => desk.activate({ 'countersign.yaml': `# a line\n${config}` }),
    },
    {
      change: 'one in which another team decides',
      activate: () =>
        desk.activate({
          'countersign.yaml': config
            .replace('platform: { members', 'reviewers: { members')
            .replace('{ team: platform }', '{ team: reviewers }'),
        }),
    },
  ])('has a message to a trigger judged again by $change, and starts its run once', async (one) => {
    const before = await runCount()
    const { id } = await deploysTrigger(meanwhile(one.activate), null, one.change)
    const { digest } = await desk.api.policies.inForce()
    expect(await rowsOf(desk.database.db, 'run', { id }, 'policy_digest')).toEqual([
      { policy_digest: digest },
    ])
    expect(await deploysTrigger(desk.api, null, one.change)).toMatchObject({ id })
    expect(await runCount()).toBe(before + 1)
  })

  test('does not affect a message that already has its run: a repetition gets that run', async () => {
    const trigger = (await desk.api.policies.inForce()).config.triggers.get('deploys')
    if (trigger === undefined) throw new Error('The version in force has the trigger')
    const message = { trigger, key: null, input: 'x', messageId: 'again' }
    const { id } = await startFromTrigger(desk.api, message)
    await desk.activate({ 'countersign.yaml': config.replace('DEPLOYS_SECRET', 'OTHER_SECRET') })
    expect(await startFromTrigger(desk.api, message)).toMatchObject({ id })
    await desk.activate({ 'countersign.yaml': config })
  })

  test('leaves a scheduled time open, which the next check judges by that version', async () => {
    const { db } = desk.database
    // At most half a minute later: a time is missed once the next minute has begun.
    const at = new Date(Date.now() + 30_000).toISOString()
    await recordScheduledTime(desk.api, { schedule: 'minutely', at })
    const before = await runCount()
    await startDueTimes(meanwhile(activateOther))
    const times = () => rowsOf(db, 'schedule_time', { schedule: 'minutely' }, 'outcome')
    expect(await times()).toEqual([{ outcome: null }])
    expect(await runCount()).toBe(before)
    await startDueTimes(desk.api)
    expect(await times()).toEqual([{ outcome: 'started' }])
    expect(await runCount()).toBe(before + 1)
  })

  test('refuses a message that was verified by its earlier trigger', async () => {
    const { config: was } = await desk.api.policies.inForce()
    const trigger = was.triggers.get('deploys')
    if (trigger === undefined) throw new Error('The version in force has the trigger')
    await desk.activate({
      'countersign.yaml': config.replace('DEPLOYS_SECRET', 'OTHER_SECRET'),
    })
    const message = { trigger, key: null, input: 'x', messageId: undefined }
    expect(await refused(() => startFromTrigger(desk.api, message))).toBe('conflict')
    await desk.activate({ 'countersign.yaml': config })
  })

  test('that is being written when a start is recorded makes the start wait, and refuses it', async () => {
    const starting = Promise.withResolvers<string>()
    const whileWriting = async () => {
      starting.resolve(outside(() => refused(() => startRun(desk.api, ada.caller, asking))))
      await outside(() => waitUntil(isWaiting))
    }
    const files = await filesWith(`${config}# written slowly\n`)
    const api = { ...desk.api, db: afterWork(desk.api.db, whileWriting) }
    await activatePolicy(api, { files, note: null })
    expect(await starting.promise).toBe('conflict')
  })

  test('waits for a start that is being recorded, whose run precedes it in the trail too', async () => {
    const files = await filesWith(`${config}# written later\n`)
    const activating = Promise.withResolvers<Policy>()
    const whileRecording = async () => {
      const activation = outside(() => activatePolicy(desk.api, { files, note: null }))
      activating.resolve(activation.then(({ policy }) => policy))
      await outside(() => waitUntil(isWaiting))
    }
    const before = await desk.api.policies.inForce()
    const api = { ...desk.api, db: afterWork(desk.api.db, whileRecording) }
    const { id } = await startRun(api, ada.caller, asking)
    expect((await activating.promise).digest).not.toBe(before.digest)
    const [run] = await rowsOf(desk.database.db, 'run', { id }, 'policy_digest')
    expect(run).toEqual({ policy_digest: before.digest })
  })

  test('never waits for ever for a person who starts a run of their own schedule, nor they for it', async () => {
    const conflicts: unknown[] = []
    const warn = (_: unknown, message: string) => void conflicts.push(message)
    const ctx = { ...desk.api, log: { ...desk.api.log, warn } }
    const files = await filesWith(`${config}# beside a schedule\n`)
    const call = { name: 'minutely', idempotencyKey: 'beside' }
    const named = `person:${ada.id} ${call.idempotencyKey}`
    const statement = sql`select pg_advisory_xact_lock(hashtextextended(${named}, 0))`
    // The start waits for its idempotency key, and holds the locks that its unit took before.
    const lock = await holdLock(desk.database.db, statement)
    const starting = triggerSchedule(ctx, ada.caller, call)
    await lock.waitedForBy(1)
    const activating = activatePolicy(ctx, { files, note: null })
    await lock.waitedForBy(2)
    await lock.release()
    expect(await starting).toMatchObject({ startedBy: { id: ada.id } })
    expect(await activating).toMatchObject({ changed: true })
    expect(conflicts).toEqual([])
  })

  const filesWith = async (text: string) => {
    const { files } = await desk.api.policies.inForce()
    return { ...files, texts: new Map([...files.texts, ['countersign.yaml', text]]) }
  }

  async function isWaiting(): Promise<boolean> {
    const { rows } = await sql<{ waiting: boolean }>`
      select exists (select from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and locktype = 'advisory' and not granted) as waiting
    `.execute(desk.database.db)
    return rows[0]?.waiting === true
  }
})

// Rules: product.md 21; security.md 22
describe('when it is recorded, a start is judged once more by', () => {
  test('the right to the mode approve_all, which an earlier version gave while it was judged', async () => {
    const richer = config.replace('startApproveAll: [operators]', 'startApproveAll: [platform]')
    let looks = 0
    const inForce: SigningContext['policies']['inForce'] = async (on) => {
      // The look for the worker and the one of the record are on a connection with other readings.
      if (on !== undefined) return desk.api.policies.inForce(on)
      looks += 1
      await desk.activate({ 'countersign.yaml': richer })
      const other = await desk.api.policies.inForce()
      await desk.activate({ 'countersign.yaml': config })
      return other
    }
    await desk.activate({ 'countersign.yaml': config })
    const api = { ...desk.api, policies: { ...desk.api.policies, inForce } }
    const start = () => startRun(api, ada.caller, { ...asking, mode: 'approve_all' })
    expect(await refused(start)).toBe('mode_not_permitted')
    expect(looks).toBe(1)
  })

  test('the owner of the key that calls a trigger: disabled, or not permitted the worker any more', async () => {
    const { db } = desk.database
    const only = deskWorker.replace('zones:', 'startableBy: [operators]\nzones:')
    const files = {
      'countersign.yaml': config.replace('secret:', 'as: olga@example.com, secret:'),
      'workers/scribe.md': only,
    }
    await desk.activate(files)
    const byGroup = {
      team: 'operators',
      person_id: ada.id,
      until: new Date(Date.now() + 3_600_000),
    }
    await db.insertInto('membership').values(byGroup).execute()
    await sealRows(db, 'membership', 'person_id', ada.id)
    const key = await addKey(db, ada)
    expect(await deploysTrigger(desk.api, key.caller)).toMatchObject({ startedBy: { id: olga.id } })
    const disabling = meanwhile(() => setDisabled(ada.id, new Date()))
    expect(await refused(() => deploysTrigger(disabling, key.caller))).toBe('unauthenticated')
    await setDisabled(ada.id, null)
    const leave = () =>
      db
        .deleteFrom('membership')
        .where('person_id', '=', ada.id)
        .where('team', '=', 'operators')
        .execute()
    expect(await refused(() => deploysTrigger(meanwhile(leave), key.caller))).toBe('forbidden')
    await desk.activate({ 'countersign.yaml': config, 'workers/scribe.md': deskWorker })
  })

  test('the person who starts a run of a schedule: nobody who is disabled', async () => {
    const disabling = meanwhile(() => setDisabled(olga.id, new Date()))
    const trigger = () => triggerSchedule(disabling, olga.caller, { name: 'minutely' })
    expect(await refused(trigger)).toBe('forbidden')
    await setDisabled(olga.id, null)
    expect(await triggerSchedule(desk.api, olga.caller, { name: 'minutely' })).toMatchObject({
      startedBy: { id: ada.id },
    })
    const outsider = () => triggerSchedule(desk.api, grace.caller, { name: 'minutely' })
    expect(await refused(outsider)).toBe('forbidden')
  })
})
