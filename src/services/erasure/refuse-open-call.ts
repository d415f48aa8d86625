import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { Tx } from '#store/database.ts'
import type { CallOfRequest } from '../requests/words/call-of-request.ts'

/**
 * Rejects with `conflict`, and a sentence that says what to do first, while the contents of a call
 * are needed: somebody may still decide about them, they may be carried out, or the run's model
 * reads them in its next turn. Judged under the locks that each of these takes.
 */
export async function refuseOpenCall(tx: Tx, call: CallOfRequest): Promise<void> {
  const pending = call.requests.find(({ state }) => state === 'pending')
  if (pending !== undefined) {
    const first = pending.run_id === null ? 'Decide or withdraw it' : 'Decide it or cancel its run'
    throw open(`Request ${pending.number} is pending. ${first} first`, pending.id)
  }
  const { rows } = await sql<{ state: string }>`
    select state from execution where call_id = ${call.request.call_id} and state = 'started'
  `.execute(tx)
  if (rows.length > 0) {
    throw open(
      'The call is being carried out. Wait for its end, or cancel its run',
      call.request.id,
    )
  }
  const runs = [...call.above, ...call.children, ...call.forks]
  const going = runs.find(({ state }) => !isEnd(runTransitions, state))
  if (going !== undefined) {
    throw open(
      `Run ${going.id} has not ended (${going.state}), and still uses the contents of this call. Wait for its end, or cancel it`,
      call.request.id,
    )
  }
  if (call.request.kind === 'external') await refuseLivePermit(tx, call.request.id)
}

/** The program may still consume the permit, or carry out the call it consumed it for. */
async function refuseLivePermit(tx: Tx, requestId: string): Promise<void> {
  const { rows } = await sql<{ consumed: boolean }>`
    select permit.state = 'consumed' as consumed
    from permit join external_request as asked on asked.request_id = permit.request_id
    where permit.request_id = ${requestId} and permit.expires_at > clock_timestamp()
      and (permit.state = 'live' or (permit.state = 'consumed' and asked.outcome is null))
  `.execute(tx)
  const [permit] = rows
  if (permit === undefined) return
  throw permit.consumed
    ? open(
        'The program has consumed the permit. Wait for its report, or for the end of the permit',
        requestId,
      )
    : open(
        'It is approved and not carried out yet. Revoke the approval, or wait for its end',
        requestId,
      )
}

function open(why: string, requestId: string): Problem {
  return new Problem('conflict', `${why}: its contents cannot be erased before.`, {
    request: requestId,
  })
}
