import { sql } from 'kysely'
import { hashJson } from '../../domain/digest.ts'
import type { ActivationStatement } from '../../domain/statement.ts'
import { signStatement } from '../../domain/statement-bytes.ts'
import type { Policy, ProjectFiles, ProjectProblem } from '../../policy/policy.ts'
import { parseProject } from '../../policy/project/parse-project.ts'
import { policyDigest, policyDocument } from '../../policy/version-digest.ts'
import { toJsonb, type Tx } from '../../store/database.ts'
import { requireRight } from '../access/has-right.ts'
import type { Caller, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { invalidProject, rejectPolicy } from './reject-policy.ts'
import { newestActivation } from './newest-activation.ts'
import { policyDifference } from './policy-difference.ts'
import { syncPeople } from './sync-people.ts'

export interface ActivationInput {
  readonly files: ProjectFiles
  /** a claim about where the files come from: a commit and its author, or "uncommitted" */
  readonly note: string | null
}

export interface Activation {
  readonly policy: Policy
  readonly sequence: number
  /** false: this version is in force already */
  readonly changed: boolean
  readonly warnings: readonly ProjectProblem[]
}

/** Names the advisory lock; any number that nothing else uses. */
const activationLock = 4_400_001

/**
 * Puts a version of the project folder into force: stores it by its digest, signs the activation, makes people and
 * teams what it says. Takes the right `activatePolicy`, or the system (start, a watched folder). Rejects with
 * `invalid_request` and every problem when the files are not valid; the last valid version stays in force.
 * Audits `policy.activated` with the difference, or `policy.rejected`.
 */
export async function activatePolicy(
  ctx: SigningContext,
  caller: Caller,
  input: ActivationInput,
): Promise<Activation> {
  if (caller.actor.type !== 'system') await requireRight(ctx, caller, 'activatePolicy')
  const parsed = parseProject(input.files)
  if ('problems' in parsed) {
    await rejectPolicy(ctx, caller, parsed.problems, policyDigest(input.files))
    throw invalidProject(parsed.problems)
  }
  const { policy, warnings } = parsed
  return await inUnitOfWork(ctx, async (unit) => {
    await sql`select pg_advisory_xact_lock(${activationLock})`.execute(unit.tx)
    const newest = await newestActivation(unit.tx, ctx.verifier)
    const previous = newest.statement
    const isTrue = newest.audited <= (previous?.sequence ?? 0)
    // Also for a version that is in force already: rows that were changed meanwhile are set right.
    await syncPeople(unit.tx, policy.config)
    if (previous?.policyDigest === policy.digest && isTrue && (await isStored(unit.tx, policy))) {
      return { policy, sequence: previous.sequence, changed: false, warnings }
    }
    await storeVersion(unit.tx, policy)
    const before =
      previous === null
        ? null
        : await ctx.policies.byDigest(previous.policyDigest).catch(() => null)
    const sequence = await storeActivation(unit.tx, ctx, {
      policy,
      previousDigest: previous?.policyDigest ?? null,
      after: Math.max(previous?.sequence ?? 0, newest.audited),
      actor: caller.actor,
      note: input.note,
    })
    await unit.audit({
      type: 'policy.activated',
      actor: caller.actor,
      channel: caller.channel,
      policyDigest: policy.digest,
      detail: {
        sequence,
        previousDigest: previous?.policyDigest ?? null,
        note: input.note,
        ...policyDifference(before, policy),
      },
    })
    return { policy, sequence, changed: true, warnings }
  })
}

async function isStored(tx: Tx, policy: Policy): Promise<boolean> {
  const row = await tx
    .selectFrom('policy_version')
    .select('document')
    .where('digest', '=', policy.digest)
    .executeTakeFirst()
  return row !== undefined && hashJson(row.document) === policy.digest
}

/** Stores the version; a row under its digest that holds something else is overwritten. */
async function storeVersion(tx: Tx, policy: Policy): Promise<void> {
  const document = toJsonb(policyDocument(policy.files))
  await tx
    .insertInto('policy_version')
    .values({ digest: policy.digest, document })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ document }))
    .execute()
}

interface NewActivation {
  readonly policy: Policy
  readonly previousDigest: string | null
  /** the new sequence is above this one, and above rows that are in its way */
  readonly after: number
  readonly actor: Caller['actor']
  readonly note: string | null
}

async function storeActivation(
  tx: Tx,
  ctx: SigningContext,
  activation: NewActivation,
): Promise<number> {
  const clock = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx)
  for (let sequence = activation.after + 1; ; sequence += 1) {
    const statement: ActivationStatement = {
      version: 1,
      policyDigest: activation.policy.digest,
      previousDigest: activation.previousDigest,
      activatedAt: (clock.rows[0]?.at ?? new Date(Number.NaN)).toISOString(),
      sequence,
    }
    const signed = signStatement(ctx.signer, 'activation', statement)
    const inserted = await tx
      .insertInto('policy_activation')
      .values({
        sequence,
        digest: activation.policy.digest,
        statement: signed.statement,
        signature: signed.signature,
        key_id: signed.keyId,
        actor: toJsonb(activation.actor),
        note: activation.note,
      })
      .onConflict((conflict) => conflict.column('sequence').doNothing())
      .returning('sequence')
      .executeTakeFirst()
    if (inserted !== undefined) return sequence
  }
}
