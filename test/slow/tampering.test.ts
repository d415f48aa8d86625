import { afterAll, beforeAll, expect, test } from 'vitest'
import type { VerdictName } from '#evidence/verify/findings/finding.ts'
import { tamperings, trailTables } from '../harness/evidence/tamper.ts'
import { tamperedVerdicts } from '../harness/evidence/tampered-verdicts.ts'
import { witnessedDesk, type WitnessedDesk } from '../harness/evidence/witnessed-desk.ts'

const seedsEach = 15

/** Which verdict a tampering with each table must fail: at least one of them. */
const failing: Readonly<Record<string, readonly VerdictName[]>> = {
  audit_event: ['integrity', 'completeness'],
  audit_leaf: ['integrity', 'completeness'],
  audit_tile: ['integrity'],
  audit_checkpoint: ['authenticity', 'integrity', 'completeness'],
  audit_cosignature: ['freshness'],
  permit: ['authenticity'],
  approval_grant: ['authenticity'],
  run: ['authenticity'],
  policy_activation: ['authenticity'],
}

let desk: WitnessedDesk

beforeAll(async () => {
  desk = await witnessedDesk()
})
afterAll(() => desk.desk[Symbol.asyncDispose]())

test('five hundred random tamperings by the owner of the database are each found, and where', async () => {
  let rounds = 0
  for (const table of Object.keys(trailTables)) {
    for (const tampering of tamperings) {
      for (let seed = 1; seed <= seedsEach; seed += 1) {
        const { done, verdicts } = await tamperedVerdicts(desk, { table, tampering, seed })
        if (done === null) continue
        rounds += 1
        const failed = verdicts.filter(({ outcome }) => outcome !== 'holds')
        const names: readonly VerdictName[] = failed.map(({ name }) => name)
        expect(
          failing[table]?.some((name) => names.includes(name)),
          `seed ${seed}, ${done}: ${names.join()}`,
        ).toBe(true)
        expect(failed.flatMap(({ findings }) => findings).length, done).toBeGreaterThan(0)
      }
    }
  }
  expect(rounds).toBeGreaterThanOrEqual(500)
})
