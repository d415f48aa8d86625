import { sql } from 'kysely'
import { getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { restMs } from '../../core/runs/rest.ts'
import { readMessageText } from '../../transcript/messages.ts'

/** The open work of a run that is about to rest or to be completed. */
export interface OpenWork {
  /** a person's message that no turn has read */
  readonly hasUnread: boolean
  /** a call without a result */
  readonly hasOpenCalls: boolean
  readonly lastHadCalls: boolean
  readonly hasPending: boolean
  /** a call of a person, whose result has not entered the transcript */
  readonly hasInvokedCalls: boolean
  /** a grant of this root is live */
  readonly hasGrants: boolean
  /** milliseconds until its rest ends, by the database's clock; `null`: never by itself */
  readonly restMs: number | null
  /** the time of the read */
  readonly now: Date
  /** hash of the model's last text */
  readonly lastHash: string | null
}

/** Reads the open work in one query. The caller holds the run's lock. */
export async function readOpenWork(
  tx: Tx,
  run: { readonly id: string; readonly turn: number },
): Promise<OpenWork> {
  const { rows } = await sql<OpenWork>`
    select
      exists (select from message where run_id = run.id and role = 'user' and turn is null) as "hasUnread",
      exists (select from tool_call where run_id = run.id and result_type is null) as "hasOpenCalls",
      exists (select from tool_call where run_id = run.id and turn = ${run.turn}) as "lastHadCalls",
      exists (select from request where run_id = run.id and state = 'pending') as "hasPending",
      exists (select from approval_grant where root_run_id = run.id
        and ended_at is null and revoked_at is null) as "hasGrants",
      exists (select from manual_call where run_id = run.id and message_id is null) as "hasInvokedCalls",
      ${restMs} as "restMs",
      clock_timestamp() as now,
      (select content_hash from message where run_id = run.id and role = 'assistant'
        order by turn desc limit 1) as "lastHash"
    from run where id = ${run.id}
  `.execute(tx)
  const [openWork] = rows
  if (openWork === undefined) throw new Error(`Run ${run.id} no longer exists`)
  return openWork
}

/** The model's last text; empty when there is none. */
export async function lastTextOf(tx: Tx, { lastHash }: OpenWork): Promise<string> {
  return lastHash === null ? '' : readMessageText(await getText(tx, lastHash))
}

/**
 * Whether a run that waits for input has an open call or decision, which must end first. A message
 * is not open work: posting one makes the run continue.
 */
export function isOpen({ hasOpenCalls, hasPending, hasInvokedCalls }: OpenWork): boolean {
  return hasOpenCalls || hasPending || hasInvokedCalls
}
