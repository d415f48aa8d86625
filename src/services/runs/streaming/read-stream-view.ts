import { sql } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import type { CallResultType, RestReason, RunState } from '#domain/requests/request.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import { readLiveText } from '#store/content/live-text.ts'
import type { Db } from '#store/database.ts'
import type { RunFailure } from '#store/tables/runs.ts'
import { readMessageText } from '../../transcript/messages.ts'
import { readLiveAttempts } from './read-live-attempts.ts'
import type { StreamCursor } from './stream-cursor.ts'
import type { CallView, StreamView, TurnView } from './stream-view.ts'

/** The state of a run for a reader at `cursor`; `null` when there is no such run. */
export async function readStreamView(
  db: Db,
  runId: string,
  cursor: StreamCursor,
): Promise<StreamView | null> {
  const { rows } = await sql<RunRow>`
    select run.turn as turns, run.state, run.rest, run.failure,
      run.ended_at is not null or run.state = 'waiting_for_input' as rests,
      newest.attempt, newest.outcome,
      (select content_hash from message
        where run_id = run.id and turn = ${cursor.turn} and role = 'assistant') as "textHash"
    from run
    left join lateral (
      select attempt, outcome from turn_attempt
      where run_id = run.id and turn = ${cursor.turn}
      order by outcome is not distinct from 'stored' desc, attempt desc limit 1
    ) newest on true
    where run.id = ${runId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { turns, state, rest, failure, rests } = row
  return { runId, turns, state, rest, failure, rests, turn: await turnOf(db, runId, cursor, row) }
}

interface RunRow {
  readonly turns: number
  readonly state: RunState
  readonly rest: RestReason | null
  readonly failure: RunFailure | null
  readonly rests: boolean
  /** of the turn: the one whose message is stored, else the newest */
  readonly attempt: number | null
  readonly outcome: string | null
  readonly textHash: string | null
}

async function turnOf(
  db: Db,
  runId: string,
  cursor: StreamCursor,
  { attempt, outcome, textHash }: RunRow,
): Promise<TurnView> {
  const { turn } = cursor
  // Old attempts may have been removed: the message is of one of them.
  const number = attempt ?? 1
  const isSame = cursor.stage === 'text' && cursor.attempt === number
  const offset = isSame ? cursor.offset : 0
  if (textHash !== null) {
    const isTextSent = !['new', 'opened', 'step', 'text'].includes(cursor.stage)
    const [text, calls] = await Promise.all([
      isTextSent ? '' : storedText(db, textHash),
      readCallViews(db, runId, cursor),
    ])
    return { kind: 'stored', attempt: number, text: text.slice(offset), calls }
  }
  if (attempt === null || outcome !== null) return { kind: 'none' }
  const text = await readLiveText(db, { runId, turn, attempt }, offset)
  return { kind: 'live', attempt, text }
}

/** Erased text is empty. */
async function storedText(db: Db, hash: string): Promise<string> {
  const messageText = (await getRemainingTexts(db, [hash])).get(hash)
  return messageText === undefined ? '' : readMessageText(messageText)
}

interface CallRow {
  readonly callId: string
  readonly toolCallId: string
  readonly tool: string
  readonly inputHash: string
  readonly resultType: CallResultType | null
  readonly textHash: string | null
  readonly outputHash: string | null
  readonly requests: readonly string[]
}

async function readCallViews(
  db: Db,
  runId: string,
  cursor: StreamCursor,
): Promise<readonly CallView[]> {
  const { turn, calls: callsPosition } = cursor
  const { rows } = await sql<CallRow>`
    select id as "callId", tool_call_id as "toolCallId", tool, input_hash as "inputHash",
      result_type as "resultType", result_text_hash as "textHash",
      result_output_hash as "outputHash",
      array(select request.id::text from request where request.run_id = tool_call.run_id
        and request.call_id = tool_call.id order by request.created_at, request.id) as requests
    from tool_call where run_id = ${runId} and turn = ${turn} order by position
  `.execute(db)
  const hashes = rows.flatMap(({ inputHash, textHash, outputHash }, index) => {
    if (callsPosition[index] === 'z') return []
    const input = (callsPosition[index] ?? '-') === '-' ? [inputHash] : []
    return [...input, ...[textHash, outputHash].filter((hash) => hash !== null)]
  })
  const texts = hashes.length === 0 ? new Map() : await getRemainingTexts(db, hashes)
  const jsonOf = (hash: string): Json => {
    const text = texts.get(hash)
    return text === undefined ? null : (JSON.parse(text) as Json)
  }
  const open = rows.flatMap(({ callId, resultType }, call) =>
    resultType === null ? [{ callId, call }] : [],
  )
  const live = await readLiveAttempts(db, open, cursor.outputs)
  return rows.map(({ callId, toolCallId, tool, inputHash, requests, ...row }) => ({
    callId,
    live: live.get(callId) ?? null,
    toolCallId,
    tool,
    input: jsonOf(inputHash),
    requests,
    result:
      row.resultType === null
        ? null
        : {
            type: row.resultType,
            text: row.textHash === null ? '' : (texts.get(row.textHash) ?? ''),
            ...(row.outputHash === null ? {} : { output: jsonOf(row.outputHash) }),
          },
  }))
}
