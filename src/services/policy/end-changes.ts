import { sql } from 'kysely'
import type { Policy } from '#policy/policy.ts'
import { relaxRule } from '#policy/proposing/relax-rule.ts'
import type { Tx } from '#store/database.ts'

/**
 * Ends the proposed changes whose rule no longer asks in a version that takes force. If a later
 * version asks again, the change must be proposed again.
 */
export async function endChanges(tx: Tx, policy: Policy): Promise<void> {
  const open = await tx
    .selectFrom('policy_change')
    .select(['number', 'worker', 'rule_id'])
    .where('ended_at', 'is', null)
    .execute()
  const over = open.filter(({ worker, rule_id }) => {
    const text = policy.files.texts.get(`workers/${worker}.md`)
    return text === undefined || relaxRule(text, rule_id) === null
  })
  if (over.length === 0) return
  await tx
    .updateTable('policy_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where(
      'number',
      'in',
      over.map(({ number }) => number),
    )
    .execute()
}
