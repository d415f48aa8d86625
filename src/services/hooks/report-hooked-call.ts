import { sql } from 'kysely'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { reportOutcome } from '../external/report-outcome.ts'

/** An agent's report on a call that it has made. */
export interface HookedOutcome {
  readonly hookCall: string
  /** the agent's own id of the call; `null`: it has none */
  readonly use: string | null
  readonly state: Exclude<ExternalOutcome, 'unknown'>
}

interface Row {
  readonly requestId: string
  readonly outcome: ExternalOutcome | null
  readonly isSame: boolean
}

const otherArguments =
  'The agent reports other arguments than those that were approved, so it is not known what ran.'

/**
 * Reports how a call ended whose permit a hook consumed; false where such a call got no permit. A
 * repeated report changes nothing. A call that the agent made with other arguments than the
 * approved ones has an unknown outcome.
 */
export async function reportHookedCall(
  ctx: ServiceContext,
  caller: Caller,
  { hookCall, state, use }: HookedOutcome,
): Promise<boolean> {
  const { ownerId, proposedBy = null } = byProgram(caller).actor
  // By the agent's id of the call; without one, the last equal call of the session that is open.
  // Of another key's calls, only those that the proposer of this one is behind (security.md 38).
  const { rows } = await sql<Row>`
    select request_id as "requestId", outcome, hook_call = ${hookCall} as "isSame"
    from external_request
    where owner_id = ${ownerId} and hook_call is not null and consumed_at is not null
      and (external_id = ${use} or hook_call = ${hookCall})
      and (hook_use = ${use} or (hook_use is null and outcome is null))
      and (${proposedBy}::uuid is null or request_id in (
        select request_id from request_principal where person_id = ${proposedBy}))
    order by hook_use nulls last, consumed_at desc limit 1
  `.execute(ctx.db)
  const [row] = rows
  if (row === undefined) return false
  if (row.outcome !== null) return true
  await reportOutcome(
    ctx,
    caller,
    row.isSame
      ? { request: row.requestId, state, summary: null }
      : { request: row.requestId, state: 'unknown', summary: otherArguments },
  )
  return true
}
