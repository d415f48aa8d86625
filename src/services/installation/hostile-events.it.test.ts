import { expect, test } from 'vitest'
import { auditEventTypes } from '#domain/audit-event.ts'
import { readMisfiled } from '#store/audit/audit-log-export.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addForgedEvent, hostileDocuments } from '#test/harness/fixtures/hostile-events.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { readEventsAbout } from '../audit/export/events-about.ts'
import { eraseRequestWords } from '../erasure/erase-words.ts'
import { restartsOf } from '../runs/stalls.ts'
import { listSchedules } from '../runs/schedules/list-schedules.ts'
import { pauseSchedule } from '../runs/schedules/manage-schedule.ts'
import { recordScheduledTime } from '../runs/schedules/record-scheduled-time.ts'
import { startDueTimes } from '../runs/schedules/start-scheduled.ts'
import { recordRevocations } from './record-revocations.ts'

const config = `${deskConfig}  activatePolicy: [operators]
schedules:
  minutely: { worker: scribe, input: x, cron: "* * * * *", as: ada@example.com, catchup: one }
`
const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })

// Rules: security.md 29
test('events of any text that SQL adds to the trail stop no start, decision, schedule, erasure, export or activation', async () => {
  const { db } = desk.database
  const { ada, grace, olga } = desk.people
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, writeCall('notes/a.md', 'x'))
  const requestId = call.requestId
  for (const type of auditEventTypes) {
    for (const document of hostileDocuments) await addForgedEvent(db, type, document, { runId })
  }
  expect(await recordRevocations(desk.api)).toBe(0)
  for (const document of hostileDocuments) {
    // The newest event of this type is read for every call.
    await addForgedEvent(db, 'policy.activated', document)
    await desk.api.policies.inForce()
  }
  await desk.activate({ 'countersign.yaml': `${config}# another version\n` })
  await desk.decide(grace, requestId, { reason: 'looks right' })
  expect((await desk.execute(call.id)).kind).toBe('done')
  // The people behind the next request are found in the run's events too.
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/b.md', content: 'x' } }] })
  await desk.turn(runId, 2)

  await pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused: true })
  expect(await listSchedules(desk.api, ada.caller)).toMatchObject([{ paused: true }])
  await pauseSchedule(desk.api, ada.caller, { name: 'minutely', paused: false })
  // At most half a minute later: a time is missed once the next minute has begun.
  const at = new Date(Date.now() + 30_000).toISOString()
  await recordScheduledTime(desk.api, { schedule: 'minutely', at })
  await startDueTimes(desk.api)
  expect(await rowsOf(db, 'schedule_time', { schedule: 'minutely' }, 'outcome')).toEqual([
    { outcome: 'started' },
  ])

  expect(await restartsOf(db, runId)).toBe(0)
  expect((await readEventsAbout(db, requestId)).events.length).toBeGreaterThan(0)
  for (const [index, document] of hostileDocuments.entries()) {
    const request = { id: requestId, sequence: 1000 + index }
    await addForgedEvent(db, 'decision.recorded', document, { request })
  }
  const words = { request: requestId, why: 'asked for' }
  expect(await eraseRequestWords(desk.api, olga.caller, words)).toMatchObject({ texts: 1 })
  expect(await readMisfiled(db, 10_000)).toHaveLength(
    (auditEventTypes.length + 2) * hostileDocuments.length,
  )
})
