import { afterEach, expect, test, vi } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { recordMissedTimes } from './record-missed-times.ts'
import { recordScheduledTime } from './record-scheduled-time.ts'
import { startDueTimes } from './start-scheduled.ts'

const minuteMs = 60_000
const names = ['behind', 'ahead', 'watched', 'early', 'back', 'rewatched'] as const
const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': `${deskConfig}schedules:\n${names
    .map(
      (name) => `  ${name}: { worker: scribe, input: x, cron: "* * * * *", as: ada@example.com }`,
    )
    .join('\n')}\n`,
})

/** Moves the clock of this process; that of Postgres goes on. */
function shiftHost(minutes: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * minuteMs })
}

afterEach(() => {
  vi.useRealTimers()
})

const recordTime = (schedule: string, inMinutes = 0) =>
  recordScheduledTime(desk.api, {
    schedule,
    at: new Date(Date.now() + 30_000 + inMinutes * minuteMs).toISOString(),
  })

const outcomesOf = async (schedule: string) => {
  const rows = await desk.database.db
    .selectFrom('schedule_time')
    .select('outcome')
    .where('schedule', '=', schedule)
    .orderBy('at')
    .execute()
  return rows.map(({ outcome }) => outcome)
}

// Rules: security.md 42
test.each([
  ['behind', -5],
  ['ahead', 5],
] as const)(
  'a scheduled time starts its run while the clock of the API process is minutes %s that of the database',
  async (schedule, minutes) => {
    await recordTime(schedule)
    shiftHost(minutes)
    await startDueTimes(desk.api)
    expect(await outcomesOf(schedule)).toEqual(['started'])
  },
)

test('a process whose clock is ahead records no time as missed that has not come', async () => {
  await recordMissedTimes(desk.api)
  shiftHost(10)
  await recordMissedTimes(desk.api)
  expect(await outcomesOf('watched')).toEqual([])
})

test('a time that a Temporal server with a clock ahead reports early waits for its minute', async () => {
  await recordTime('early', 3)
  const inMs = await startDueTimes(desk.api)
  expect(inMs).toBeGreaterThan(minuteMs)
  expect(await outcomesOf('early')).toEqual([null])
  const at = new Date(Date.now() + 30_000)
  at.setUTCSeconds(0, 0)
  await desk.database.db
    .updateTable('schedule_time')
    .set({ at })
    .where('schedule', '=', 'early')
    .execute()
  await startDueTimes(desk.api)
  expect(await outcomesOf('early')).toEqual(['started'])
})

test('after the clock of the database was set back, a time that had been recorded as missed starts its run when it comes', async () => {
  const { db } = desk.database
  await recordTime('back', -3)
  await recordTime('back')
  await db
    .updateTable('schedule_time')
    .set({ outcome: 'missed' })
    .where('schedule', '=', 'back')
    .execute()
  await recordTime('back', -3)
  await recordTime('back')
  await startDueTimes(desk.api)
  expect(await outcomesOf('back')).toEqual(['missed', 'started'])
})

test('after the clock of the database was set back, times are watched from then on', async () => {
  const { db } = desk.database
  await recordMissedTimes(desk.api)
  const ahead = new Date(Date.now() + 4 * 24 * 60 * minuteMs)
  const watch = db.updateTable('schedule_watch').where('schedule', '=', 'rewatched')
  await watch.set({ through: ahead }).execute()
  await recordMissedTimes(desk.api)
  const { through } = await rowOf(db, 'schedule_watch', { schedule: 'rewatched' })
  expect(through.getTime()).toBeLessThan(Date.now() + minuteMs)
  expect(await outcomesOf('rewatched')).toEqual([])
})
