import { sql } from 'kysely'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import type { Db, Tx } from '../database.ts'
import { liveTextChannel } from './live-text.ts'

/** How many of the newest bytes of a stream can be read while its command runs. */
export const maxLiveBytes = 64 * 1024

/** The newest bytes that an attempt has written to a stream, and how many came before them. */
export interface StreamTail {
  readonly stream: OutputStream
  readonly skipped: number
  readonly bytes: Uint8Array
}

/**
 * Replaces the stored output of an attempt, and notifies readers. Writes nothing when the call has
 * its result, a person has settled the attempt's end, or a later attempt has begun.
 */
export async function putLiveOutput(
  db: Db | Tx,
  of: { readonly callId: string; readonly attempt: number },
  streams: readonly StreamTail[],
): Promise<void> {
  const rows = streams.map(
    ({ stream, skipped, bytes }) =>
      sql`(${stream}::text, ${skipped}::integer, ${Buffer.from(bytes)}::bytea)`,
  )
  await sql`
    with open as (
      select tool_call.id, tool_call.run_id from tool_call
      join execution on execution.call_id = tool_call.id and execution.attempt = ${of.attempt}
      where tool_call.id = ${of.callId} and tool_call.result_type is null
        and execution.settled_then is null
      -- A result that is being stored comes first: then nothing is written behind it.
      for share of tool_call
    ), put as (
      insert into live_output (call_id, stream, attempt, skipped, bytes)
      select open.id, part.stream, ${of.attempt}, part.skipped, part.bytes
      from open cross join (values ${sql.join(rows)}) as part (stream, skipped, bytes)
      on conflict (call_id, stream)
        do update set attempt = excluded.attempt, skipped = excluded.skipped, bytes = excluded.bytes
    )
    select pg_notify(${liveTextChannel}, run_id::text) from open
  `.execute(db)
}

/** How much a call that runs, or whose end is unknown, has written so far. */
export interface LiveCall {
  readonly callId: string
  /** `unknown`: nobody knows how it ended */
  readonly state: 'running' | 'unknown'
  /** bytes */
  readonly stdout: number
  readonly stderr: number
}

/** The calls of a run that have no result yet, with the sizes of their output. */
export async function liveCallsOf(db: Db, runId: string): Promise<LiveCall[]> {
  const { rows } = await sql<LiveCall>`
    select tool_call.id as "callId",
      case newest.state when 'started' then 'running' else 'unknown' end as state,
      coalesce(sum(written.total) filter (where written.stream = 'stdout'), 0)::integer as stdout,
      coalesce(sum(written.total) filter (where written.stream = 'stderr'), 0)::integer as stderr
    from tool_call
    join lateral (
      select attempt, state from execution
      where execution.call_id = tool_call.id order by attempt desc limit 1
    ) newest on newest.state in ('started', 'unknown')
    join lateral (
      select stream, skipped + octet_length(bytes) as total from live_output
      where live_output.call_id = tool_call.id and live_output.attempt = newest.attempt
    ) written on true
    where tool_call.run_id = ${runId} and tool_call.result_type is null
    group by tool_call.id, newest.state
  `.execute(db)
  return rows
}
