import { expect, test } from 'vitest'
import { useOwnNamespace } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes } from '#policy/schedules/cron.ts'
import { connectTemporal } from '../temporal-client.ts'
import { syncSchedules } from './sync-schedules.ts'

const server = await useOwnNamespace()

function setting(name: string, cron = '0 6 * * 1-5'): ScheduleSetting {
  const rest = {
    worker: 'scribe',
    input: 'x',
    as: 'ada@example.com',
    conversation: false,
    source: '',
  }
  return { name, cron, timezone: 'Europe/Berlin', catchup: 'none', ...rest }
}

test('Temporal gets exactly the schedules of the configuration, and other schedules are not changed', async () => {
  const { taskQueue, ...address } = server
  await using temporal = connectTemporal({ ...address, deadlineMs: 10_000 })
  const { schedule } = temporal.client
  await schedule.create({
    scheduleId: 'of-somebody-else',
    spec: { cronExpressions: ['0 0 1 1 *'] },
    action: { type: 'startWorkflow', workflowType: 'other', taskQueue, args: [] },
  })
  const sync = (...settings: Parameters<typeof syncSchedules>[2]) =>
    syncSchedules(temporal, taskQueue, settings)
  const ids = async () => {
    const found = []
    for await (const { scheduleId } of schedule.list()) found.push(scheduleId)
    return found.toSorted().join()
  }
  const listed = (expected: string) => waitUntil(async () => (await ids()) === expected)
  await sync(
    { setting: setting('nightly'), paused: false },
    { setting: setting('weekly'), paused: true },
  )
  await listed('of-somebody-else,schedule:nightly,schedule:weekly')
  const nightly = await schedule.getHandle('schedule:nightly').describe()
  const [next] = nightly.info.nextActionTimes
  expect(next?.toISOString()).toMatch(/T0[45]:00:00.000Z$/)
  expect(nightly.policies.catchupWindow).toBe(60_000)
  expect((await schedule.getHandle('schedule:weekly').describe()).state.paused).toBe(true)
  await sync({ setting: setting('weekly', '30 7 * * *'), paused: false })
  await listed('of-somebody-else,schedule:weekly')
  const weekly = await schedule.getHandle('schedule:weekly').describe()
  expect(weekly.state.paused).toBe(false)
  expect(weekly.info.nextActionTimes[0]?.getUTCMinutes()).toBe(30)
})

test('each time of Temporal is a time of the cron expression, over both changes of the clocks', async () => {
  const { taskQueue, ...address } = server
  await using temporal = connectTemporal({ ...address, deadlineMs: 10_000 })
  const forward = setting('forward', '30 2 25-31 3 *')
  const back = setting('back', '*/30 1-3 25-31 10 *')
  const schedules = [forward, back].map((one) => ({ setting: one, paused: false }))
  await syncSchedules(temporal, taskQueue, schedules)
  const timesOf = async ({ name }: ScheduleSetting) =>
    (await temporal.client.schedule.getHandle(`schedule:${name}`).describe()).info.nextActionTimes
  const expected: Date[] = []
  const actual = await timesOf(forward)
  for (const _ of actual) {
    const next = cronTimes(forward).next(expected.at(-1) ?? new Date())
    if (next !== null) expected.push(next)
  }
  expect(actual.length).toBeGreaterThan(7)
  expect(actual).toEqual(expected)
  expect((await timesOf(back)).filter((at) => !cronTimes(back).has(at))).toEqual([])
})
