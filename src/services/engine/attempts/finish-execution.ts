import { sql, type Selectable, type RawBuilder } from 'kysely'
import { hashBytes } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import { executionTransitions, transition } from '#domain/requests/transitions.ts'
import { putContent } from '#store/content/content.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import { aboutRequest, endRequest } from '../../requests/ending/end-request.ts'
import { lockRequests } from '../../core/locks.ts'
import { storeResult, type CallResult } from '../../transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutCall, lockCall, requestChanged, type CallAtHand } from './call-at-hand.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, executor } from '../../core/authority.ts'
import type { FileChange, FileSide } from '#domain/tools/file-change.ts'

/** How an attempt ended, and the result that the model reads. */
export interface ExecutionEnd {
  readonly state: 'succeeded' | 'failed'
  /** why it failed, unless the tool reported it: `stopped`, `cancelled` */
  readonly reason: string | null
  readonly exitCode: number | null
  readonly output: Json | null
  readonly result: CallResult
  /** what it did to files of the workspace; absent: not known file by file */
  readonly changes?: readonly FileChange[]
}

export interface EndedAttempt {
  readonly callId: string
  readonly attempt: number
  /** of what was executed */
  readonly digest: string
}

/**
 * Stores how an attempt ended, with its result. If the attempt was given up as `unknown`, a late
 * end still replaces that and closes its outcome check, until a person has settled it
 * (architecture.md, execution). Returns false after a settlement, when the end is only recorded.
 */
export async function finishExecution(
  ctx: SystemContext,
  attempt: EndedAttempt & { readonly requestId: string | null },
  end: ExecutionEnd,
): Promise<boolean> {
  const { requestId } = attempt
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCall(unit.tx, attempt.callId, requestId === null ? [] : [requestId])
    return at === null ? false : finishLocked(unit, at, attempt, end)
  })
}

/** As `finishExecution`, in the caller's transaction, which holds the run's lock. */
export async function finishLocked(
  unit: UnitOfWork,
  at: CallAtHand,
  attempt: EndedAttempt,
  end: ExecutionEnd,
): Promise<boolean> {
  const row = await attemptOf(unit, at, attempt)
  const event = end.state === 'succeeded' ? 'succeed' : 'fail'
  const state = transition(executionTransitions, row.state, event)
  const settled = row.settled_then !== null || state === null
  const outputHash = await outputHashOf(unit, end, settled)
  const { request_id: requestId } = at.call
  // Only an `unknown` attempt has an outcome check.
  const check = row.state === 'started' ? null : await pendingCheckOf(unit, attempt.callId)
  const requestIds = [requestId, check].filter((id) => id !== null)
  await lockRequests(
    unit.tx,
    requestIds.filter((id) => !at.locked.includes(id)),
  )
  const changes = insertChanges(at.run.id, attempt, end.changes ?? [])
  if (!settled) {
    // The output is stored with the result, and the attempt refers to it.
    const update = sql`
      update execution set state = ${state}, reason = ${end.reason}, exit_code = ${end.exitCode},
        output_hash = ${outputHash}, finished_at = clock_timestamp()
      where call_id = ${attempt.callId} and attempt = ${attempt.attempt}
    `
    await storeResult(unit.tx, attempt.callId, end.result, [update, ...changes])
  } else for (const change of changes) await change.execute(unit.tx)
  await unit.audit({
    type: 'execution.finished',
    ...executor,
    ...aboutCall(at),
    digest: attempt.digest,
    detail: {
      attempt: attempt.attempt,
      state: end.state,
      reason: end.reason,
      exitCode: end.exitCode,
      output: outputHash,
      late: row.state !== 'started',
      settledBefore: settled,
    },
  })
  if (!settled && check !== null) await closeCheck(unit, check)
  await requestChanged(unit, at)
  await unit.event('run.changed', { runId: at.run.id })
  return !settled
}

/** The attempt as the caller read it under the lock, if it is the newest. */
async function attemptOf(
  { tx }: UnitOfWork,
  { execution }: CallAtHand,
  attempt: { readonly callId: string; readonly attempt: number },
): Promise<Selectable<ExecutionTable>> {
  if (execution?.attempt === attempt.attempt) return execution
  return tx
    .selectFrom('execution')
    .selectAll()
    .where('call_id', '=', attempt.callId)
    .where('attempt', '=', attempt.attempt)
    .executeTakeFirstOrThrow()
}

/**
 * Hash of the output. It is stored here if only the attempt refers to it, and not at all if nothing
 * will.
 */
async function outputHashOf(
  { tx }: UnitOfWork,
  { output, result }: ExecutionEnd,
  settled: boolean,
): Promise<string | null> {
  if (output === null) return null
  const text = JSON.stringify(output)
  return settled || result.output === output ? hashBytes(text) : putContent(tx, text)
}

/** The pending outcome check of a call, if there is one. */
async function pendingCheckOf(unit: UnitOfWork, callId: string): Promise<string | null> {
  const check = await unit.tx
    .selectFrom('request')
    .select('id')
    .where('call_id', '=', callId)
    .where('kind', '=', 'outcome_check')
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return check?.id ?? null
}

/** The end is known after all, which wakes the run that waits for the answer. */
async function closeCheck(unit: UnitOfWork, checkId: string): Promise<void> {
  const [check] = await lockRequests(unit.tx, [checkId])
  if (check?.state !== 'pending') return
  await endRequest(unit, check, { event: 'cancel', reason: 'settled' })
  await unit.audit({
    type: 'request.cancelled',
    ...executor,
    ...aboutRequest(check),
    digest: check.digest,
    detail: { cancelReason: 'settled' },
  })
  if (check.run_id !== null) {
    const payload = { requestIds: [check.id] }
    await unit.enqueue({ kind: 'signal_decided', runId: check.run_id, payload })
  }
}

/**
 * The statements that store an attempt's file changes. If an answer of the database was lost, the
 * end of an attempt is stored twice; its changes are stored once.
 */
function insertChanges(
  runId: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
  changes: readonly FileChange[],
): RawBuilder<unknown>[] {
  return changes.map(
    ({ path, from, before, after }, index) => sql`
      insert into file_change (run_id, call_id, attempt, position, path, from_path,
        before_hash, after_hash, before_lines, after_lines)
      values (${runId}, ${callId}, ${attempt}, ${index + 1}, ${path}, ${from},
        ${before?.hash ?? null}, ${after?.hash ?? null}, ${linesOf(before)}, ${linesOf(after)})
      on conflict (call_id, attempt, position) do nothing
    `,
  )
}

function linesOf(side: FileSide | null): Buffer | null {
  return side === null || side.lines === null ? null : Buffer.from(side.lines)
}
