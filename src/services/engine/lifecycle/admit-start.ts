import { sql, type Selectable } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import { type Verifier, verifyStatement, withRetired } from '#domain/statements/statement-bytes.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { PermitTable } from '#store/tables/decisions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import { lockRequests } from '../../core/locks.ts'
import { isUnstarted } from '../../core/runs/waits-to-start.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { isSignedInSomeMode } from '../../core/verify-run.ts'
import { restOf } from '../../core/runs/rest.ts'
import type { Rest } from '#domain/runs/workflow-outcomes.ts'
import { advanceLocked } from '../../requests/ending/advance-locked.ts'
import { nextWait } from '../../requests/ending/advance-requests.ts'
import { aboutRequest } from '../../requests/ending/end-request.ts'
import { endPermit } from '../../permits/end-permit.ts'
import { verifyPermit } from '../../permits/permits.ts'
import { workflow } from '../../core/authority.ts'
import { endRun, type RunEnding } from './end-run.ts'

/** Whether a run may take turns; `waits`: until a decision or a deadline. */
export type StartAdmission =
  | { readonly kind: 'begins' | 'ended' }
  | ({ readonly kind: 'waits'; readonly queues: readonly string[] } & Partial<Rest>)

/**
 * Judges whether a run may take a turn at all. Its signed statement says which request, if any, had
 * to be approved before its first turn. A row that says otherwise is refused (product.md 45).
 * Rejects if this process does not have the key with which the run is signed: Temporal repeats the
 * turn, which a process with the current keys can take. The caller holds the run's lock.
 */
export async function admitTurn(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
): Promise<StartAdmission> {
  if (run.start_request_id === null) {
    if (isSignedInSomeMode(unit.verifier, run)) return { kind: 'begins' }
    if (!hasKey(unit.verifier, run.key_id)) throw new Error(unknownKeyText(run.key_id))
    return refuse(unit, run, 'statement')
  }
  if (isUnstarted(run)) return admitStart(unit, run, run.start_request_id)
  if (await hasSpentPermit(unit, run.id, run.start_request_id)) return { kind: 'begins' }
  return refuse(unit, run, 'permit')
}

function hasKey({ publicKeys, retired }: Verifier, keyId: string): boolean {
  return publicKeys.has(keyId) || retired?.has(keyId) === true
}

function unknownKeyText(keyId: string): string {
  return `The run is signed with the key ${keyId}, which this process does not have: start it with the current COUNTERSIGN_PUBLIC_KEYS`
}

/**
 * Whether the first turn consumed a permit of the API for this start. The row's count of turns is
 * no proof of a first turn. The key may have been retired since.
 */
async function hasSpentPermit(
  { tx, verifier, seals }: UnitOfWork,
  runId: string,
  requestId: string,
): Promise<boolean> {
  const permits = await tx
    .selectFrom('permit')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('state', '=', 'consumed')
    .execute()
  return permits.some(({ id, statement: text, signature, key_id: keyId }) => {
    const row = { statement: text, signature, keyId }
    const statement = verifyStatement<PermitStatement>(withRetired(verifier), 'permit', row)
    const isOfStart =
      statement?.permitId === id &&
      statement.requestId === requestId &&
      statement.runId === runId &&
      statement.decision === 'approve'
    return isOfStart && !seals.revocations.has({ what: 'permit', id })
  })
}

/**
 * Judges a run whose start needed an approval, and carries out what is due. Its model is not called
 * without a permit that the API process signed for this very start, which the first turn consumes.
 */
async function admitStart(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  requestId: string,
): Promise<StartAdmission> {
  const [request] = await lockRequests(unit.tx, [requestId])
  if (request !== undefined) await advanceLocked(unit, request)
  const start = await readStart(unit, run.id, requestId)
  if (start?.request.state === 'pending') {
    const { nextDeadlineMs, queues } = await nextWait(unit.tx, run.id)
    return { kind: 'waits', queues, ...restOf(run, nextDeadlineMs) }
  }
  if (start === null || start.request.state !== 'approved') return refuse(unit, run, 'request')
  const { permit } = start
  if (permit === null) return refuse(unit, run, 'permit')
  // An attempt at this turn, whose process died, has consumed it.
  const isSpent = permit.state === 'consumed'
  const verdict = verifyPermit(unit, isSpent ? { ...permit, state: 'live' } : permit, {
    requestId,
    revision: start.request.revision,
    runId: run.id,
    callId: null,
    digest: start.request.digest,
    factsDigest: hashJson(start.facts),
    policyDigest: start.request.policy_digest,
    attempt: 1,
    epoch: isSpent ? permit.epoch : start.epoch,
    now: isSpent && permit.ended_at !== null ? permit.ended_at : start.now,
  })
  if (!verdict.ok) return refuse(unit, run, verdict.detail)
  if (!isSpent) await spend(unit, start.request, permit)
  return { kind: 'begins' }
}

interface ReadStart {
  readonly request: Selectable<RequestTable>
  readonly permit: Selectable<PermitTable> | null
  readonly facts: CallFacts
  readonly epoch: number
  readonly now: Date
}

async function readStart(
  { tx }: UnitOfWork,
  runId: string,
  requestId: string,
): Promise<ReadStart | null> {
  const { rows } = await sql<
    Omit<ReadStart, 'request' | 'permit'> & { request: JsonRow; permit: JsonRow | null }
  >`
    select to_jsonb(request) as request, to_jsonb(permit) as permit, shown.facts,
      (select epoch from installation) as epoch, clock_timestamp() as now
    from request
    join request_revision shown on shown.request_id = request.id and shown.revision = request.revision
    left join permit on permit.request_id = request.id and permit.revision = request.revision
    where request.id = ${requestId} and request.run_id = ${runId} and request.kind = 'start'
  `.execute(tx)
  const [row] = rows
  if (row === undefined) return null
  return {
    ...row,
    request: fromJsonRow(row.request),
    permit: row.permit === null ? null : fromJsonRow(row.permit),
  }
}

async function spend(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  permit: Selectable<PermitTable>,
): Promise<void> {
  if (!(await endPermit(unit.tx, permit.id, 'consume'))) {
    throw new Error(`Permit ${permit.id} is not live`)
  }
  await unit.audit({
    type: 'permit.consumed',
    ...aboutRequest(request),
    digest: request.digest,
    policyDigest: request.policy_digest,
    detail: { permitId: permit.id, attempt: permit.attempt, start: true },
  })
}

/** A run that nobody signed so, or approved, is refused, whatever the rows say. */
async function refuse(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  check: string,
): Promise<StartAdmission> {
  const row = await unit.tx
    .selectFrom('run')
    .select('ended_at')
    .where('id', '=', run.id)
    .executeTakeFirst()
  if (row?.ended_at != null) return { kind: 'ended' }
  await unit.audit({
    type: 'permit.refused',
    runId: run.id,
    detail: { permitId: null, reason: 'invalid_permit', check },
  })
  await endRun(unit, workflow, run, {
    event: 'cancel',
    cancelReason: 'run_cancelled',
    endReason: null,
    ...(check === 'statement' ? signatureRefusal : approvalRefusal(check)),
  })
  return { kind: 'ended' }
}

type Refusal = Pick<RunEnding, 'why' | 'failure'>

/**
 * The refusal by the check `statement`: for a run that needed no approval, and for one that took
 * turns before its row was changed.
 */
const signatureRefusal: Refusal = {
  why: 'the signature of the run does not hold',
  failure: {
    code: 'invalid_statement',
    message:
      'The run ended, because its signature does not hold for its row: something else changed it in the database. Start it again.',
  },
}

function approvalRefusal(check: string): Refusal {
  return {
    why: 'the start of the run was not approved',
    failure: {
      code: 'start_denied',
      message: `The run ended, because the approval of its start could not be verified (${check}). Start it again.`,
    },
  }
}
