import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import { acceptEmptied, isReconciled } from './epoch-of-rows.ts'
import { raiseEpoch } from './raise-epoch.ts'

const desk = disposeAfterTests(await openProgramDesk())
const { service } = desk
const { db } = service

/** What the data folder remembers, beside Temporal's namespace. */
const hostAt = (epoch: number) => ({ memory: { epoch: () => epoch }, namespaceId: 'present' })
const epochOfRows = async () => (await rowOf(db, 'installation', {}, 'epoch')).epoch

beforeEach(() => setRows(db, 'installation', {}, { epoch: 1, namespace_id: 'present' }))

// Rules: security.md 29
describe('a database that was emptied', () => {
  test('goes on with the epoch of the data folder, so that what is approved in it counts', async () => {
    await acceptEmptied(db, hostAt(3))
    expect(await epochOfRows()).toBe(3)
    expect(await isReconciled(db, hostAt(3))).toBe(true)
  })

  test('keeps a higher epoch of its own', async () => {
    await setRows(db, 'installation', {}, { epoch: 5 })
    await acceptEmptied(db, hostAt(3))
    expect(await epochOfRows()).toBe(5)
  })
})

// Rules: security.md 29
test('a database whose epoch is below that of the data folder needs a repair, since no permit of it counts', async () => {
  expect(await isReconciled(db, hostAt(2))).toBe(false)
  const ctx = { ...service.ctx, memory: { ...service.ctx.memory, ...hostAt(2).memory } }
  const { epoch } = await raiseEpoch(ctx, { namespaceId: 'present', lost: null })
  expect(await isReconciled(db, hostAt(epoch))).toBe(true)
})

// Rules: security.md 29
test('an epoch that only SQL can have written is not accepted, and the sentence says what to do', async () => {
  const forged = 2_147_483_647
  await setRows(db, 'installation', {}, { epoch: forged })
  const sentence = `says that the epoch is ${forged}, and this data folder knows 3`
  const ctx = { ...service.ctx, memory: { ...service.ctx.memory, ...hostAt(3).memory } }
  const raising = raiseEpoch(ctx, { namespaceId: 'present', lost: null })
  await expect(raising).rejects.toThrow(sentence)
  await expect(acceptEmptied(db, hostAt(3))).rejects.toThrow(sentence)
  await expect(acceptEmptied(db, hostAt(3))).rejects.toThrow('set its epoch to 3')
  // The folder of an installation that was never repaired knows none, and the first epoch is 1.
  await expect(acceptEmptied(db, hostAt(0))).rejects.toThrow('set its epoch to 1')
  expect(await epochOfRows()).toBe(forged)
})

// Rules: security.md 29
test('a repair is complete although an approval of a program is older, and although a run goes on that a call started: the next repair ends no approval', async () => {
  const request = await desk.ask()
  await desk.decide(request, 'approve')
  const [run, child] = [
    await addRun(service, { startedBy: desk.ada }),
    await addRun(service, { startedBy: desk.ada }),
  ]
  const { callId } = await addRequest(service, run)
  await sql`
    insert into execution (call_id, attempt, state, epoch, detail)
    values (${callId}, 1, 'started', 1, ${{ childRunId: child.id }})
  `.execute(db)
  const { epoch } = await raiseEpoch(service.ctx, { namespaceId: 'present', lost: null })
  expect(await isReconciled(db, hostAt(epoch))).toBe(true)
})
