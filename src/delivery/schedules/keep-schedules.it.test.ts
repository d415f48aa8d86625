import { test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { useOwnNamespace } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { recordScheduledTime } from '#services/runs/schedules/record-scheduled-time.ts'
import { connectTemporal } from '../temporal-client.ts'
import { ScheduleKeeper } from './keep-schedules.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'

const entry = '{ worker: scribe, input: x, cron: "* * * * *", as: ada@example.com }'
const schedules = `schedules:\n  first: ${entry}\n  second: ${entry}\n  third: ${entry}\n`

const desk = disposeAfterTests(await openAgentDesk())
const temporal = await useOwnNamespace()

function keep(restMs: number, isOurs: () => boolean = () => true): AsyncDisposable {
  const client = connectTemporal({ address: temporal.address, namespace: temporal.namespace })
  const confirm = async () => {
    if (!isOurs()) throw new Error('another Temporal')
  }
  const keeper = new ScheduleKeeper({
    ctx: desk.api,
    temporal: client,
    guard: { confirm },
    taskQueue: temporal.taskQueue,
    databaseUrl: desk.database.url,
    restMs,
  })
  return {
    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
    },
  }
}

async function untilStarted(schedule: string): Promise<void> {
  const runs = () => rowsOf(desk.database.db, 'run', { started_from: `schedule:${schedule}` }, 'id')
  await waitUntil(async () => (await runs()).length === 1)
}

async function isInTemporal(schedule: string): Promise<boolean> {
  await using client = connectTemporal({ address: temporal.address, namespace: temporal.namespace })
  for await (const { scheduleId } of client.client.schedule.list()) {
    if (scheduleId === `schedule:${schedule}`) return true
  }
  return false
}

const tenMinutes = 600_000
/** At most half a minute later: a time is missed a minute after it, also while a test runs. */
const soon = (): Date => new Date(Date.now() + 30_000)

test('an activation and a recorded time wake it, however long its pause is', async () => {
  await using _keeper = keep(tenMinutes)
  await desk.activate({ 'countersign.yaml': deskConfig + schedules })
  await waitUntil(() => isInTemporal('first'))
  await recordScheduledTime(desk.api, { schedule: 'first', at: soon().toISOString() })
  await untilStarted('first')
})

test('a time without a notification starts its run in the next round', async () => {
  await using _keeper = keep(500)
  const at = new Date(soon().setSeconds(0, 0))
  const values = { schedule: 'second', at }
  await desk.database.db.insertInto('schedule_time').values(values).execute()
  await untilStarted('second')
})

test('a round that fails is repeated within seconds', async () => {
  let callCount = 0
  await using _keeper = keep(tenMinutes, () => {
    callCount += 1
    return callCount > 2
  })
  await waitUntil(() => callCount > 2)
})
