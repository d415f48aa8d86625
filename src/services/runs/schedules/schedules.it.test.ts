import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { afterWork, beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import type { Ledger } from '../../core/ledger.ts'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import { getRun } from '../reading/get-run.ts'
import { listSchedules } from './list-schedules.ts'
import { pauseSchedule, triggerSchedule } from './manage-schedule.ts'
import { recordMissedTimes } from './record-missed-times.ts'
import { recordScheduledTime } from './record-scheduled-time.ts'
import { startDueTimes } from './start-scheduled.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'

const always = '"* * * * *"'
const schedulesWith = (cronOfAway: string): string => `schedules:
  minutely: { worker: scribe, input: Draft the notes, cron: ${always}, as: ada@example.com }
  patient: { worker: scribe, input: x, cron: ${always}, as: ada@example.com, catchup: one }
  once: { worker: scribe, input: x, cron: ${always}, as: ada@example.com, catchup: one }
  yearly: { worker: scribe, input: x, cron: "0 6 1 1 *", timezone: Europe/Berlin, as: ada@example.com }
  barred: { worker: theirs, input: x, cron: ${always}, as: grace@example.com }
  leaver: { worker: scribe, input: x, cron: ${always}, as: ada@example.com }
  killed: { worker: scribe, input: x, cron: ${always}, as: ada@example.com, catchup: one }
  absent: { worker: scribe, input: x, cron: ${cronOfAway}, as: ada@example.com }
  later: { worker: scribe, input: x, cron: ${cronOfAway}, as: ada@example.com, catchup: one }
  silent: { worker: talker, input: x, cron: ${always}, as: linus@example.com }
  talking: { worker: scribe, input: x, cron: ${always}, as: linus@example.com, conversation: true }
`
const desk = disposeAfterTests(await openAgentDesk())
const activate = (cronOfAway: string) =>
  desk.activate({
    'countersign.yaml': deskConfig + schedulesWith(cronOfAway),
    'workers/theirs.md': deskWorker.replace(
      'name: scribe',
      'name: theirs\nstartableBy: [operators]',
    ),
    'workers/talker.md': deskWorker.replace('name: scribe', 'name: talker\nconversation: true'),
  })
await activate(always)

/** At most half a minute later: a minute may begin while a test runs, and a time is missed then. */
const timeOf = (minutesAgo: number) =>
  new Date(Date.now() + 30_000 - minutesAgo * 60_000).toISOString()

const recordTime = (schedule: string, minutesAgo = 0) =>
  recordScheduledTime(desk.api, { schedule, at: timeOf(minutesAgo) })

const runsOf = (schedule: string) =>
  rowsOf(desk.database.db, 'run', { started_from: `schedule:${schedule}` }, 'id')

const outcomesOf = async (schedule: string) =>
  (
    await desk.database.db
      .selectFrom('schedule_time')
      .select('outcome')
      .where('schedule', '=', schedule)
      .orderBy('at')
      .execute()
  ).map(({ outcome }) => outcome)

const skipped = async (schedule: string) =>
  (await rowsOf(desk.database.db, 'audit_event', { type: 'schedule.skipped' }, 'document')).filter(
    ({ document }) => JSON.stringify(document).includes(schedule),
  ).length

describe('a scheduled time', () => {
  test('that is reported twice, to processes that race, starts one run as its person', async () => {
    const time = { schedule: 'minutely', at: timeOf(0) }
    const report = () => recordScheduledTime(desk.api, time)
    await Promise.all([report(), report()])
    await Promise.all([startDueTimes(desk.api), startDueTimes(desk.api), startDueTimes(desk.api)])
    await report()
    await startDueTimes(desk.api)
    const [run, ...others] = await runsOf('minutely')
    expect(others).toEqual([])
    const { ada } = desk.people
    expect(await getRun(desk.api, ada.caller, run?.id ?? '')).toMatchObject({
      startedBy: { id: ada.id },
      startedFrom: 'schedule:minutely',
      mode: 'prompt',
      conversation: false,
      task: { text: 'Draft the notes', by: { id: ada.id } },
    })
    const [listed] = await listSchedules(desk.api, ada.caller)
    expect(listed).toMatchObject({ name: 'minutely', lastRun: { runId: run?.id }, mayManage: true })
  })

  // Rules: security.md 29
  test('starts its run once, also when its row is reset or deleted, and the trail says so', async () => {
    const { db } = desk.database
    await recordTime('once')
    await startDueTimes(desk.api)
    expect(await runsOf('once')).toHaveLength(1)
    const reset = db.updateTable('schedule_time').set({ outcome: null })
    await reset.where('schedule', '=', 'once').execute()
    await startDueTimes(desk.api)
    const { at } = await db
      .deleteFrom('schedule_time')
      .where('schedule', '=', 'once')
      .returning('at')
      .executeTakeFirstOrThrow()
    await db.insertInto('schedule_time').values({ schedule: 'once', at }).execute()
    await startDueTimes(desk.api)
    expect(await runsOf('once')).toHaveLength(1)
    expect(await skipped('once')).toBe(2)
  })

  test('whose API dies before the commit starts one run, with the id of the first try', async () => {
    await recordTime('killed')
    const killed = afterWork(desk.api.db, () => Promise.reject(new Error('killed')))
    await expect(startDueTimes({ ...desk.api, db: killed })).rejects.toThrow('killed')
    expect(await runsOf('killed')).toEqual([])
    const ids: string[] = []
    const ledger: Ledger = {
      async first(key, entry) {
        ids.push(await desk.api.ledger.first(key, entry))
        expect(ids.at(-1)).not.toBe(entry)
        return ids.at(-1) ?? entry
      },
    }
    await startDueTimes({ ...desk.api, ledger })
    expect((await runsOf('killed')).map(({ id }) => id)).toEqual(ids)
  })

  test('that was missed is dropped, and with `one` only the last one starts a run', async () => {
    await recordTime('minutely', 5)
    for (const minutes of [5, 4, 3]) await recordTime('patient', minutes)
    await recordTime('patient')
    await startDueTimes(desk.api)
    expect((await outcomesOf('minutely'))[0]).toBe('missed')
    expect(await outcomesOf('patient')).toEqual(['missed', 'missed', 'missed', 'started'])
    expect(await runsOf('patient')).toHaveLength(1)
    expect(await skipped('patient')).toBe(3)
  })

  test('starts nothing if it does not match its cron expression, has no schedule, or is far away', async () => {
    await recordTime('yearly')
    await recordTime('unknown')
    await recordScheduledTime(desk.api, { schedule: 'minutely', at: 'yesterday' })
    await recordScheduledTime(desk.api, { schedule: "x'; drop", at: new Date().toISOString() })
    await startDueTimes(desk.api)
    expect(await outcomesOf('yearly')).toEqual(['not_scheduled'])
    expect(await outcomesOf('unknown')).toEqual(['not_scheduled'])
    expect(await outcomesOf("x'; drop")).toEqual([])
    expect(await runsOf('yearly')).toEqual([])
  })

  test('of a person who may not start the worker any more is skipped, and the trail says so', async () => {
    await recordTime('barred')
    await startDueTimes(desk.api)
    expect(await outcomesOf('barred')).toEqual(['forbidden'])
    expect(await skipped('barred')).toBe(1)
    expect(await runsOf('barred')).toEqual([])
  })

  test('starts a conversation only where the schedule says so, whatever the worker says', async () => {
    await recordTime('talking')
    await recordTime('silent')
    await startDueTimes(desk.api)
    const conversation = async (schedule: string) => {
      const [run] = await runsOf(schedule)
      return (await getRun(desk.api, desk.people.olga.caller, run?.id ?? '')).conversation
    }
    expect(await conversation('talking')).toBe(true)
    expect(await conversation('silent')).toBe(false)
  })
})

describe('a schedule', () => {
  test('is paused and resumed by its person and by people who manage runs, and by nobody else', async () => {
    const { ada, grace, olga } = desk.people
    const pause = (who = ada, paused = true) =>
      pauseSchedule(desk.api, who.caller, { name: 'yearly', paused })
    expect((await refusal(pause(grace))).code).toBe('forbidden')
    expect(
      (await refusal(pauseSchedule(desk.api, olga.caller, { name: 'none', paused: true }))).code,
    ).toBe('not_found')
    expect(await pause()).toMatchObject({ paused: true, nextAt: null })
    await pause(olga)
    expect(await pause(olga, false)).toMatchObject({ paused: false })
    const { nextAt } = await pause(ada, false)
    expect(nextAt?.toISOString()).toMatch(/^\d{4}-01-01T05:00:00.000Z$/)
    const pauses = ['schedule.paused', 'schedule.resumed'] as const
    expect(await trailTypes(desk.database.db, {}, ...pauses)).toEqual(pauses)
  })

  test('starts nothing while it is paused, unless a person starts a run of it', async () => {
    const { linus } = desk.people
    await pauseSchedule(desk.api, linus.caller, { name: 'talking', paused: true })
    const before = await runsOf('talking')
    await desk.database.db.deleteFrom('schedule_time').where('schedule', '=', 'talking').execute()
    await recordTime('talking')
    await startDueTimes(desk.api)
    expect(await outcomesOf('talking')).toEqual(['paused'])
    expect(await runsOf('talking')).toHaveLength(before.length)
    const run = await triggerSchedule(desk.api, linus.caller, { name: 'talking' })
    expect(run).toMatchObject({ startedBy: { id: linus.id } })
  })

  // Rules: security.md 29
  test('cannot be managed by a person into whose row the address of its owner was written', async () => {
    const { ada, grace } = desk.people
    const write = async (changes: readonly (readonly [string, string])[]) => {
      for (const [id, email] of changes) {
        await desk.database.db.updateTable('person').set({ email }).where('id', '=', id).execute()
      }
    }
    await write([
      [ada.id, 'nobody@example.com'],
      [grace.id, 'ada@example.com'],
    ])
    const pausing = pauseSchedule(desk.api, grace.caller, { name: 'minutely', paused: true })
    expect((await refusal(pausing)).code).toBe('forbidden')
    await write([
      [grace.id, 'grace@example.com'],
      [ada.id, 'ada@example.com'],
    ])
  })

  test('starts nothing when it is paused between the check of the pause and the start', async () => {
    const { ada } = desk.people
    const before = await runsOf('minutely')
    await desk.database.db.deleteFrom('schedule_time').where('schedule', '=', 'minutely').execute()
    await recordTime('minutely')
    const pause = () => pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused: true })
    await startDueTimes({ ...desk.api, db: beforeTransaction(desk.api.db, pause) })
    expect(await outcomesOf('minutely')).toEqual(['paused'])
    expect(await runsOf('minutely')).toHaveLength(before.length)
    await pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused: false })
  })

  // Rules: security.md 29
  test('stays paused when SQL deletes its pause, until a person resumes it', async () => {
    const { ada } = desk.people
    const { db } = desk.database
    const change = (paused: boolean) =>
      pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused })
    await change(true)
    await db.deleteFrom('schedule_pause').where('schedule', '=', 'minutely').execute()
    await db.deleteFrom('schedule_time').where('schedule', '=', 'minutely').execute()
    await recordTime('minutely')
    await startDueTimes(desk.api)
    expect(await outcomesOf('minutely')).toEqual(['paused'])
    const [listed] = await listSchedules(desk.api, ada.caller)
    expect(listed).toMatchObject({ name: 'minutely', paused: true })
    expect(await change(false)).toMatchObject({ paused: false })
  })

  test('stays paused when SQL wrote an earlier pause, and an event of any text pauses nothing', async () => {
    const { ada } = desk.people
    const { db } = desk.database
    const change = (paused: boolean) =>
      pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused })
    await db.insertInto('schedule_pause').values({ schedule: 'minutely', by_id: ada.id }).execute()
    expect(await change(false)).toMatchObject({ paused: false })
    await change(true)
    await db.deleteFrom('schedule_pause').where('schedule', '=', 'minutely').execute()
    for (const document of ['x', '{}', '{"detail":{"schedule":null}}']) {
      await sql`insert into audit_event (id, at, type, actor_type, document)
        values (gen_random_uuid(), now(), 'schedule.paused', 'system', ${document})`.execute(db)
    }
    const [listed] = await listSchedules(desk.api, ada.caller)
    expect(listed).toMatchObject({ name: 'minutely', paused: true })
    expect(await change(false)).toMatchObject({ paused: false })
  })

  test('starts nothing for a person who is disabled between the check of them and the start', async () => {
    const { db } = desk.database
    const disable = (disabled_at: Date | null) =>
      db.updateTable('person').set({ disabled_at }).where('id', '=', desk.people.ada.id).execute()
    await recordTime('leaver')
    const disabling = () => disable(new Date())
    await startDueTimes({ ...desk.api, db: beforeTransaction(desk.api.db, disabling) })
    await disable(null)
    expect(await outcomesOf('leaver')).toEqual(['forbidden'])
    expect(await runsOf('leaver')).toEqual([])
  })

  // Rules: product.md 17
  test('whose run is started by another person has both of them behind it', async () => {
    const { ada, grace, olga, linus } = desk.people
    expect((await refusal(triggerSchedule(desk.api, grace.caller, { name: 'yearly' }))).code).toBe(
      'forbidden',
    )
    const once = { name: 'yearly', idempotencyKey: 'now' }
    const run = await triggerSchedule(desk.api, olga.caller, once)
    expect((await triggerSchedule(desk.api, olga.caller, once)).id).toBe(run.id)
    expect(run.startedBy).toMatchObject({ id: ada.id })
    const behind = await principalsOfRun(desk.database.db, run.id)
    expect(new Set(behind.map(({ personId, why }) => `${personId} ${why}`))).toEqual(
      new Set([`${ada.id} started`, `${ada.id} messaged`, `${olga.id} triggered`]),
    )
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/s.md', content: 'x' } }] })
    await desk.turn(run.id, 1)
    const [call] = await desk.calls(run.id, 1)
    expect((await refusal(desk.decide(ada, call?.requestId ?? ''))).code).toBe('not_eligible')
    await desk.decide(linus, call?.requestId ?? '')
  })

  test('counts and lists the times that passed while the service was down, and starts nothing for them', async () => {
    const { ada } = desk.people
    const { db } = desk.database
    const now = Date.now()
    const before = (minutes: number) => new Date(now - minutes * 60_000)
    // Not every minute: one that begins while the test runs would add a time.
    const minutes = [5, 4, 3, 2, 0].map((ago) => before(ago).getUTCMinutes())
    await activate(`"${minutes.join()} * * * *"`)
    const awaySince = (minutesAgo: number) =>
      db
        .updateTable('schedule_watch')
        .set({ through: before(minutesAgo) })
        .where('schedule', 'in', ['absent', 'later'])
        .execute()
    // A schedule is watched from when it came into force.
    await recordMissedTimes(desk.api)
    await recordMissedTimes(desk.api)
    expect(await outcomesOf('absent')).toEqual([])
    await awaySince(6)
    await recordTime('absent', 4)
    await Promise.all([recordMissedTimes(desk.api), recordMissedTimes(desk.api)])
    await startDueTimes(desk.api)
    // Temporal has the last time to report, and reported another.
    expect(await outcomesOf('absent')).toEqual(['missed', 'missed', 'missed', 'missed'])
    expect(await skipped('absent')).toBe(2)
    // The last of them is Temporal's to report late, and then starts a run.
    expect(await outcomesOf('later')).toEqual(['missed', 'missed', 'missed'])
    expect([...(await runsOf('absent')), ...(await runsOf('later'))]).toEqual([])
    const listed = (await listSchedules(desk.api, ada.caller)).find(({ name }) => name === 'absent')
    expect(listed?.missed?.count).toBe(4)
    expect(listed?.missed?.times).toHaveLength(4)
    // Nobody misses the times of a pause, also after it.
    await pauseSchedule(desk.api, ada.caller, { name: 'absent', paused: true })
    await recordMissedTimes(desk.api)
    await awaySince(60)
    await recordMissedTimes(desk.api)
    await pauseSchedule(desk.api, ada.caller, { name: 'absent', paused: false })
    await awaySince(60)
    await recordMissedTimes(desk.api)
    expect(await outcomesOf('absent')).toHaveLength(4)
  })
})
