import { sql } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { ActivationStatement } from '#domain/statements/statement.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { Policy } from '#policy/policy.ts'
import { policyDocument } from '#policy/version-digest.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { lockActivationAlone } from '../core/locks.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { newestActivation } from './activations/newest-activation.ts'
import { policyDifference } from './policy-difference.ts'
import { syncPeople } from './sync-people.ts'
import { relaxRule } from '#policy/proposing/relax-rule.ts'

/** The version in force, as a transaction with the activation lock sees it. */
export interface InForce {
  readonly sequence: number
  readonly digest: string | null
  /** of its signed statement, or of a newer one whose row was removed since */
  readonly hash: string | null
  /** the new sequence is above this one, and above forged rows */
  readonly after: number
  /** no row of a newer activation was changed or removed */
  readonly isTrue: boolean
}

/** Takes the lock that puts activations in an order, and reads which is in force. */
export async function lockActivation(
  { tx }: Pick<UnitOfWork, 'tx'>,
  ctx: SigningContext,
): Promise<InForce> {
  await lockActivationAlone(tx)
  const { statement, hash, audited } = await newestActivation(tx, ctx.verifier)
  const sequence = statement?.sequence ?? 0
  const newest = ctx.memory.policy()
  const after = Math.max(sequence, audited, newest?.sequence ?? 0)
  return {
    sequence,
    digest: statement?.policyDigest ?? null,
    hash: newest !== null && newest.sequence > sequence ? newest.hash : hash,
    after,
    isTrue: after <= sequence,
  }
}

/** Whether exactly this version is in force, with its row and its newest activation unchanged. */
export async function isInForce(tx: Tx, current: InForce, policy: Policy): Promise<boolean> {
  if (current.digest !== policy.digest || !current.isTrue) return false
  const row = await tx
    .selectFrom('policy_version')
    .select('document')
    .where('digest', '=', policy.digest)
    .executeTakeFirst()
  return row !== undefined && hashJson(row.document) === policy.digest
}

/** Stores the version; overwrites a row under its digest with other contents. */
export async function storeVersion(tx: Tx, policy: Policy): Promise<void> {
  const document = toJsonb(policyDocument(policy.files))
  await tx
    .insertInto('policy_version')
    .values({ digest: policy.digest, document })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ document }))
    .execute()
}

/**
 * Puts a version in force under the lock: stores and signs it, updates people and teams, ends
 * proposed changes that it contains, records `policy.activated` with the difference, and has open
 * pages fetch again. `people` are those who agreed. Returns its sequence.
 */
export async function storeActivation(
  unit: UnitOfWork,
  ctx: SigningContext,
  activation: {
    readonly policy: Policy
    readonly current: InForce
    readonly caller: Caller
    readonly people: readonly string[]
    /** the proposal to which they agreed; `null`: none */
    readonly proposalId: string | null
    readonly note: string | null
  },
): Promise<number> {
  const { policy, current, people, proposalId, note } = activation
  await syncPeople(unit, policy.config)
  await storeVersion(unit.tx, policy)
  await endChanges(unit.tx, policy)
  const before =
    current.digest === null
      ? null
      : await ctx.policies.byDigest(current.digest, unit.tx).catch(() => null)
  const sequence = await insertSigned(unit.tx, ctx, activation)
  await unit.audit({
    type: 'policy.activated',
    policyDigest: policy.digest,
    detail: {
      sequence,
      previousDigest: current.digest,
      note,
      people: [...people],
      ...(proposalId === null ? {} : { proposalId }),
      ...policyDifference(before, policy),
    },
  })
  await unit.event('policy.changed', {})
  return sequence
}

async function insertSigned(
  tx: Tx,
  ctx: SigningContext,
  { policy, current, caller, people, note }: Parameters<typeof storeActivation>[2],
): Promise<number> {
  const clock = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx)
  for (let sequence = current.after + 1; ; sequence += 1) {
    const statement: ActivationStatement = {
      version: 1,
      policyDigest: policy.digest,
      previousDigest: current.digest,
      activatedAt: (clock.rows[0]?.at ?? new Date(Number.NaN)).toISOString(),
      sequence,
      ...(current.hash === null ? {} : { previousHash: current.hash }),
      people,
    }
    const signedActivation = signStatement(ctx.signer, 'activation', statement)
    const inserted = await tx
      .insertInto('policy_activation')
      .values({
        sequence,
        digest: policy.digest,
        statement: signedActivation.statement,
        signature: signedActivation.signature,
        key_id: signedActivation.keyId,
        actor: toJsonb(caller.actor),
        note,
      })
      .onConflict((conflict) => conflict.column('sequence').doNothing())
      .returning('sequence')
      .executeTakeFirst()
    if (inserted !== undefined) return sequence
  }
}

/**
 * Ends the proposed changes whose rule no longer asks in a version that takes force. If a later
 * version asks again, the change must be proposed again.
 */
async function endChanges(tx: Tx, policy: Policy): Promise<void> {
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
