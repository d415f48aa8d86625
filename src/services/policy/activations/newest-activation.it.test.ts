import { sql, type KyselyPlugin } from 'kysely'
import { expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { silentLog } from '#test/harness/silent-log.ts'
import { newestActivation } from './newest-activation.ts'
import { createPolicyReader } from './policy-reader.ts'

const activations = 6

const desk = disposeAfterTests(await openAgentDesk())

/** Counts the rows that queries return. */
class RowCounter implements KyselyPlugin {
  rows = 0
  readonly transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node
  readonly transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    this.rows += result.rows.length
    return result
  }
}

// Rules: security.md 29
it('a version that takes force while the one in force is read is not taken for a rollback', async () => {
  const { memory, policies, verifier } = desk.api
  const before = await policies.inForce()
  let hasAnswered = false
  const db = desk.database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!hasAnswered) {
        hasAnswered = true
        await desk.activate({ 'countersign.yaml': `${deskConfig}# meanwhile\n` })
        await policies.inForce()
      }
      return result
    },
  })
  const reader = createPolicyReader({ db, verifier, memory, log: silentLog })
  expect((await reader.inForce()).digest).toBe(before.digest)
  expect((await reader.inForce()).digest).toBe((await policies.inForce()).digest)
  expect((await policies.inForce()).digest).not.toBe(before.digest)
})

// Rules: security.md 29
it('the policy in force is found in one row, and in the rows below only if that one is forged', async () => {
  for (let count = 0; count < activations; count += 1) {
    await desk.activate({ 'countersign.yaml': `${deskConfig}# ${count}\n` })
  }
  const counter = new RowCounter()
  const db = desk.database.db.withPlugin(counter)
  const { verifier } = desk.api
  const newest = await newestActivation(db, verifier)
  expect(counter.rows).toBe(1)
  expect(newest).toMatchObject({ forged: [], statement: { sequence: newest.audited } })
  expect(newest.audited).toBeGreaterThanOrEqual(activations)
  const forged = newest.audited + 1
  await sql`insert into policy_activation (sequence, digest, statement, signature, key_id, actor)
    select ${forged}::int, digest, statement, signature, key_id, actor from policy_activation
    where sequence = ${newest.audited}::int`.execute(desk.database.db)
  expect(await newestActivation(db, verifier)).toEqual({ ...newest, forged: [forged] })
  expect(counter.rows).toBeGreaterThan(activations)
})
