import { sql } from 'kysely'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { refuseEndedKey } from '../../requests/people/refuse-ended-key.ts'
import type { Caller } from '../../core/context.ts'
import { usedUpBudget, usedUpProblem, type UsedUpBudget } from '../../core/runs/used-up-budget.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { personRows, type PersonRows } from '../../requests/people/verified-person.ts'
import { memberOf } from './find-member.ts'
import { requireStarter } from './require-starter.ts'

/** Who starts a run of which worker. `starter`: `null` where nobody does. */
interface JudgedStart {
  readonly starter: PersonRef | null
  /** the worker of the policy in force, whose `startableBy` applies */
  readonly current: WorkerDefinition
  /** the worker of the run, whose budget applies */
  readonly worker: WorkerDefinition
}

/**
 * Judges once more, in the transaction that records a run, that its budget is not used up and that
 * its starter may start it: preparing a start may take seconds, in which a person can be disabled
 * or leave a team, and a key can end. The person's row stays locked against a change until the
 * commit. Rejects with `budget_exhausted`, `forbidden` or `unauthenticated`.
 */
export async function requireMayStart(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  { actor }: Caller,
  { starter, current, worker }: JudgedStart,
): Promise<void> {
  const starterId = sql`${starter?.id ?? null}::uuid`
  // A statement of its own: one that waits for the lock would read memberships as they were before.
  if (starter !== null) await sql`select from person where id = ${starterId} for share`.execute(tx)
  const { rows } = await sql<{ used: UsedUpBudget | null; starter: PersonRows | null }>`
    select ${usedUpBudget(sql<string>`${worker.name}::text`)} as used,
      (select ${personRows} from person where id = ${starterId}) as starter
  `.execute(tx)
  const [now = { used: null, starter: null }] = rows
  if (now.used !== null) throw usedUpProblem(now.used)
  if (actor.type === 'machine') await refuseEndedKey({ tx, seals }, actor.id)
  if (starter === null) return
  requireStarter(current, memberOf(seals, now.starter, current.startableBy ?? []))
}
