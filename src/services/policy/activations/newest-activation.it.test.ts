import { sql, type KyselyPlugin } from 'kysely'
import { expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { newestActivation } from './newest-activation.ts'

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
