import { sql } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'
import { admits, cannotSignIn } from '../../core/admission.ts'
import type { Caller, PolicyReader } from '../../core/context.ts'
import { lockRights } from '../../core/locks.ts'
import { requireLiveKey, rightsIn } from '../../core/rights-of.ts'
import { usedUpBudget, usedUpProblem, type UsedUpBudget } from '../../core/runs/used-up-budget.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { personRows, verifyPerson, type PersonRows } from '../../core/verified-person.ts'
import { notManagerOfStarts } from './pause-start.ts'
import { requireApproveAll, requireStarter } from './require-starter.ts'

/** The refusal of a start that was judged by a version which is no longer in force. */
export class PolicyChanged extends Problem {
  constructor() {
    super(
      'conflict',
      'Another policy version was activated while this start was judged, so nothing was started. Send it again: it is then judged by the version in force',
    )
  }
}

/** Who starts a run of which worker. `starter`: `null` where nobody does. */
interface JudgedStart {
  readonly starter: PersonRef | null
  readonly mode: RunMode
  /** the version by which the start was judged */
  readonly policy: Policy
  /** the worker of this version, whose `startableBy` applies */
  readonly current: WorkerDefinition
  /** the worker of the run, whose budget applies */
  readonly worker: WorkerDefinition
}

/**
 * Judges once more, in the transaction that records a run, what its start was judged by: preparing
 * a start may take seconds. Until the commit no other policy version can take force, and the people
 * cannot be disabled. Rejects with
 *
 * - `conflict`: another version is in force by now;
 * - `unauthenticated`: the key has ended, or this version does not admit the caller, who signed in
 *   before it took force and whose call took long to arrive;
 * - `forbidden`: the starter, the key's owner or the caller may not start it any more;
 * - `budget_exhausted` or `mode_not_permitted`.
 */
export async function requireMayStart(
  { policies }: { readonly policies: Pick<PolicyReader, 'inForce'> },
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  { actor }: Caller,
  { starter, mode, policy, current, worker }: JudgedStart,
): Promise<void> {
  const callerId = callingPerson(actor)
  const ids = [...new Set([starter?.id ?? null, callerId].filter((id) => id !== null))]
  // Sent together, but the lock is a statement of its own: one that waits for a lock reads the
  // other rows as they were before.
  const [, { used, people }, inForce] = await together([
    lockRights(tx, ids),
    readFacts(tx, worker, ids),
    policies.inForce(tx),
    actor.type === 'machine' ? requireLiveKey({ tx, seals }, actor) : Promise.resolve(),
  ])
  if (inForce.digest !== policy.digest) throw new PolicyChanged()
  if (used !== null) throw usedUpProblem(used)
  const rowsOf = (id: string) => people.find(({ person }) => person['id'] === id) ?? null
  const personNow = (id: string) => {
    const rows = rowsOf(id)
    const person = rows === null ? null : verifyPerson(seals, rows)
    return person?.enabled === true ? person : null
  }
  const rightsNow = (id: string) => rightsIn(policy.config, personNow(id)?.email ?? null)
  const requireStarterNow = (id: string) => requireStarter(seals, current, rowsOf(id))
  if (starter !== null) {
    requireStarterNow(starter.id)
    if (mode === 'approve_all') requireApproveAll(rightsNow(starter.id))
  }
  if (callerId === null) return
  if (callerId !== starter?.id) {
    if (actor.type === 'machine') requireStarterNow(callerId)
    // The caller starts a run of a schedule now, whose runs start as another person: that takes
    // `manageRuns`.
    else if (!rightsNow(callerId).has('manageRuns')) throw notManagerOfStarts()
  }
  const person = personNow(callerId)
  if (person !== null && admits(policy.config, person)) return
  throw cannotSignIn({ byKey: actor.type === 'machine' })
}

/** The person who calls, or who owns the key that does; `null`: a time or a message does. */
function callingPerson(actor: Actor): string | null {
  if (actor.type === 'person') return actor.id
  return actor.type === 'machine' ? actor.ownerId : null
}

async function readFacts(tx: Tx, { name }: WorkerDefinition, personIds: readonly string[]) {
  const { rows } = await sql<{ used: UsedUpBudget | null; people: PersonRows[] }>`
    select ${usedUpBudget(sql<string>`${name}::text`)} as used,
      (select coalesce(jsonb_agg(${personRows}), '[]') from person
        where ${isOneOf('id', personIds)}) as people
  `.execute(tx)
  return rows[0] ?? { used: null, people: [] }
}
