import { sql, type Selectable, type RawBuilder } from 'kysely'
import { hashBytes } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import { executionTransitions, isEnd, transition } from '#domain/requests/transitions.ts'
import { putContent } from '#store/content/content.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import { closeCheck } from '../../requests/ending/close-check.ts'
import { lockRequests } from '../../core/locks.ts'
import { storeResult, type CallResult } from '../../transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutCall, lockCall, requestChanged, setChainOf, type CallAtHand } from './call-at-hand.ts'
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
  /** what it did to files of the workspace, as far as that is known file by file */
  readonly changes?: readonly FileChange[]
  /** the number of its other changes of files; absent: not known */
  readonly moreChanges?: number
}

/** The end of an attempt that had no effect. */
export function notCarriedOut(reason: string, text: string): ExecutionEnd {
  const result = { type: 'error', text } as const
  return { state: 'failed', reason, exitCode: null, output: null, result }
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
    if (at === null) return false
    setChainOf(unit, at)
    return finishLocked(unit, at, attempt, end)
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
  // The answer to the first commit of this end was lost.
  if (row.settled_then === null && isEnd(executionTransitions, row.state)) return true
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
  const changes = insertChanges(at.run.id, attempt, end)
  if (!settled) {
    // The output is stored with the result, and the attempt refers to it.
    const update = sql`
      update execution set state = ${state}, reason = ${end.reason}, exit_code = ${end.exitCode},
        output_hash = ${outputHash}, more_changes = ${end.moreChanges ?? null},
        finished_at = clock_timestamp()
      where call_id = ${attempt.callId} and attempt = ${attempt.attempt}
    `
    await storeResult(unit.tx, attempt.callId, end.result, [update, ...changes])
  } else {
    for (const change of changes) await change.execute(unit.tx)
    if (end.moreChanges !== undefined) {
      await unit.tx
        .updateTable('execution')
        .set({ more_changes: end.moreChanges })
        .where('call_id', '=', attempt.callId)
        .where('attempt', '=', attempt.attempt)
        .execute()
    }
  }
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

/** Hash of the output. It is stored here only if the attempt alone will refer to it. */
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

/**
 * The statement that stores an attempt's file changes, if it has any; once also if the end of a
 * settled attempt is recorded twice because an answer of the database was lost.
 */
function insertChanges(
  runId: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
  { changes = [] }: ExecutionEnd,
): RawBuilder<unknown>[] {
  if (changes.length === 0) return []
  const column = <T>(valueOf: (change: FileChange) => T): T[] => changes.map(valueOf)
  return [
    sql`
      insert into file_change (run_id, call_id, attempt, position, path, from_path,
        before_hash, after_hash, before_lines, after_lines)
      select ${runId}::uuid, ${callId}::uuid, ${attempt}::int, c.position, c.path, c.from_path,
        c.before_hash, c.after_hash, c.before_lines, c.after_lines
      from unnest(${column(({ path }) => path)}::text[], ${column(({ from }) => from)}::text[],
        ${column(({ before }) => before?.hash ?? null)}::text[],
        ${column(({ after }) => after?.hash ?? null)}::text[],
        ${column(({ before }) => linesOf(before))}::bytea[],
        ${column(({ after }) => linesOf(after))}::bytea[])
        with ordinality as c(path, from_path, before_hash, after_hash, before_lines, after_lines,
          position)
      order by c.position
      on conflict (call_id, attempt, position) do nothing
    `,
  ]
}

function linesOf(side: FileSide | null): Buffer | null {
  return side === null || side.lines === null ? null : Buffer.from(side.lines)
}
