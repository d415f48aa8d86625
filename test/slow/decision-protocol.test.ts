import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkModel } from '../harness/programs/tla-tools.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'design', 'decision-protocol')
const check = (configuration: string) => checkModel(folder, 'DecisionProtocol', configuration)

test('no order of decisions, edits, kills, restores, forged signals and rows breaks an invariant of the protocol', async () => {
  const { violated, distinctStates } = await check('Protocol')
  expect(violated).toBeNull()
  // A specification whose actions are never enabled holds too.
  expect(distinctStates).toBeGreaterThan(500_000)
})

test('what was approved is carried out or said to be unknown, whichever worker dies', async () => {
  const { violated, distinctStates } = await check('Liveness')
  expect(violated).toBeNull()
  expect(distinctStates).toBeGreaterThan(100_000)
})

test('without the ledger a permit whose row is put back runs twice', async () => {
  expect((await check('OldReplay')).violated).toBe('OncePerPermit')
})

test('without sealed rows the starter decides after the row of those behind the request is deleted', async () => {
  const { violated, output } = await check('OldRows')
  expect(violated).toBe('SomebodyElseDecided')
  expect(output).toContain('behind |-> {}')
})
