import { sql } from 'kysely'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import type { Db } from '#store/database.ts'
import type { OutputPosition } from './stream-cursor.ts'
import type { LiveAttempt } from './stream-view.ts'

interface LiveRow {
  readonly callId: string
  readonly attempt: number
  readonly state: 'started' | 'unknown'
  readonly stream: OutputStream | null
  readonly start: number | null
  readonly bytes: Buffer | null
}

/**
 * By call id, the newest attempts at calls without a result, with their output after the reader's
 * position. Calls that have not begun are left out.
 */
export async function readLiveAttempts(
  db: Db,
  calls: readonly { readonly callId: string; readonly call: number }[],
  positions: readonly OutputPosition[],
): Promise<ReadonlyMap<string, LiveAttempt>> {
  if (calls.length === 0) return new Map()
  const offsets = positions.flatMap(({ call, attempt, stderr, stdout }) => {
    const callId = calls.find((one) => one.call === call)?.callId
    return callId === undefined
      ? []
      : [
          { call_id: callId, attempt, stream: 'stdout', sent: stdout },
          { call_id: callId, attempt, stream: 'stderr', sent: stderr },
        ]
  })
  const { rows } = await sql<LiveRow>`
    select tool_call.id as "callId", newest.attempt, newest.state, written.stream,
      greatest(written.skipped, reader.sent)::integer as start,
      substr(written.bytes, greatest(0, reader.sent - written.skipped)::integer + 1) as bytes
    from tool_call
    join lateral (
      select attempt, state from execution
      where execution.call_id = tool_call.id order by attempt desc limit 1
    ) newest on newest.state in ('started', 'unknown')
    left join live_output written
      on written.call_id = tool_call.id and written.attempt = newest.attempt
    left join lateral (
      select coalesce(max(sent), 0) as sent
      from jsonb_to_recordset(${JSON.stringify(offsets)}::jsonb)
        as known (call_id uuid, attempt integer, stream text, sent bigint)
      where known.call_id = tool_call.id and known.attempt = newest.attempt
        and known.stream = written.stream
    ) reader on true
    where tool_call.id = any(${calls.map(({ callId }) => callId)}::uuid[])
      and tool_call.result_type is null
    order by tool_call.id, written.stream desc
  `.execute(db)
  return new Map(
    [...Map.groupBy(rows, ({ callId }) => callId)].map(([callId, of]) => {
      const [{ attempt, state } = { attempt: 0, state: 'started' }] = of
      const streams = of.flatMap(({ bytes, start, stream }) =>
        stream === null || bytes === null || start === null ? [] : [{ stream, start, bytes }],
      )
      return [callId, { attempt, isLost: state === 'unknown', streams }]
    }),
  )
}
