import { sql, type Selectable } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import type { Json } from '#domain/json/json.ts'
import type { RequestState } from '#domain/requests/request.ts'
import type { Rule, Verdict } from '#domain/policy/verdict.ts'
import { ContentRemoved, getTexts } from '#store/content/content.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Db, Tx } from '#store/database.ts'
import type { MessageTable } from '#store/tables/runs.ts'
import { readMessageText } from './messages.ts'
import type { CallResult, StoredFile } from './store-result.ts'

export interface TranscriptCall {
  readonly callId: string
  readonly toolCallId: string
  readonly tool: string
  /** as the model wrote it; `{invalidJson}` when its arguments were not JSON */
  readonly input: Json
  readonly verdict: Verdict | null
  readonly rule: Rule | null
  readonly requestId: string | null
  readonly requestState: RequestState | null
  readonly manual: boolean
  /** it has no effects, so that the call can be repeated */
  readonly readOnly: boolean
  readonly result: CallResult | null
}

/** A file that somebody sent with a message; a text is in the message itself. */
export interface MessageFile extends StoredFile {
  readonly name: string
}

export interface TranscriptMessage {
  /** in a fork: the earlier run of the message; `null`: the run itself */
  readonly from: string | null
  /** the turn that made or read it; `null` for an unread message */
  readonly turn: number | null
  readonly role: 'user' | 'assistant'
  readonly author: Actor | null
  readonly at: Date
  readonly text: string
  readonly sequence: number
  /** absent: none */
  readonly files?: readonly MessageFile[]
  readonly calls: readonly TranscriptCall[]
}

/**
 * A run's messages in the model's order: before a turn's answer the messages that the turn read,
 * unread ones last.
 */
export async function loadTranscript(db: Db | Tx, runId: string): Promise<TranscriptMessage[]> {
  return (await readTranscriptRows(db, runId)).messages
}

/** The same, with calls of people without a result, as messages without text. */
export async function loadTranscriptWithOpenCalls(
  db: Db | Tx,
  runId: string,
): Promise<TranscriptMessage[]> {
  const { messages, open } = await readTranscriptRows(db, runId)
  return [...messages, ...open]
}

interface TranscriptRows {
  readonly messages: TranscriptMessage[]
  readonly open: TranscriptMessage[]
}

/** Read again if contents were erased between reading the rows and their contents. */
async function readTranscriptRows(db: Db | Tx, runId: string): Promise<TranscriptRows> {
  try {
    return await readRowsOnce(db, runId)
  } catch (error) {
    if (!(error instanceof ContentRemoved)) throw error
    return readRowsOnce(db, runId)
  }
}

async function readRowsOnce(db: Db | Tx, runId: string): Promise<TranscriptRows> {
  const [messages, ownCalls] = await together([readMessages(db, runId), readCalls(db, runId)])
  const isFork = messages.some((message) => message.from_run_id !== null)
  const calls = isFork ? [...(await selectPrefixCalls(db, runId).execute()), ...ownCalls] : ownCalls
  return withTexts(db, messages, calls)
}

/**
 * A transcript from messages and calls, with their texts. Those of `knownTexts` are not read again.
 */
export async function withTexts(
  db: Db | Tx,
  messages: readonly MessageRow[],
  calls: readonly CallRow[],
  knownTexts: ReadonlyMap<string, string> = new Map(),
): Promise<TranscriptRows> {
  const hashes = [
    ...messages.map((message) => message.content_hash),
    ...calls.flatMap((call) => [call.input_hash, call.result_text_hash, call.result_output_hash]),
  ].filter((hash) => hash !== null)
  const texts = await getTexts(
    db,
    hashes.filter((hash) => !knownTexts.has(hash)),
  )
  const callsOfTurn = Map.groupBy(calls, (call) => call.turn)
  const textOf = (hash: string): string => knownTexts.get(hash) ?? texts.get(hash) ?? ''
  const callsOf = (message: (typeof messages)[number]): CallRow[] =>
    message.role === 'assistant'
      ? (callsOfTurn.get(message.turn ?? 0) ?? [])
      : calls.filter((call) => call.message_id === message.id)
  return {
    messages: messages
      .map((message) => ({
        from: message.from_run_id,
        turn: message.turn,
        role: message.role,
        author: message.author,
        at: message.created_at,
        text: readMessageText(textOf(message.content_hash)),
        sequence: message.sequence,
        ...(message.files === null ? {} : { files: message.files }),
        calls: callsOf(message).map((call) => callOf(call, textOf)),
      }))
      .toSorted(byReading),
    open: calls
      .filter((call) => call.invoked_by !== null && call.message_id === null)
      .map((call) => ({
        from: null,
        turn: null,
        role: 'user',
        author: { type: 'person', id: call.invoked_by ?? '', name: call.invoker ?? '' },
        at: call.invoked_at ?? new Date(Number.NaN),
        text: '',
        sequence: Infinity,
        calls: [callOf(call, textOf)],
      })),
  }
}

/** A run's own messages, after those of the turns that it took over. */
async function readMessages(db: Db | Tx, runId: string): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select message.*, ${filesOfMessage}, prefix.from_run_id from run_prefix as prefix
    join message on message.run_id = prefix.from_run_id
      and message.turn between prefix.first_turn and prefix.last_turn
    where prefix.run_id = ${runId}
    union all
    select message.*, ${filesOfMessage}, null from message where run_id = ${runId}
    order by sequence
  `.execute(db)
  return rows
}

/** Part of the query of the messages, since nearly all have none. */
export const filesOfMessage = sql`(
  select jsonb_agg(
    jsonb_build_object('name', name, 'hash', hash, 'mediaType', media_type, 'bytes', bytes)
    order by position
  )
  from message_file where message_id = message.id
) as files`

type MessageRow = Selectable<MessageTable> & {
  readonly from_run_id: string | null
  readonly files: readonly MessageFile[] | null
}
type CallRow = Awaited<ReturnType<typeof readCalls>>[number]

function readCalls(db: Db | Tx, runId: string) {
  return selectCalls(db).where('tool_call.run_id', '=', runId).execute()
}

/** Calls of the turns that a fork took over; people's calls belong to the turn that read them. */
function selectPrefixCalls(db: Db | Tx, runId: string) {
  const ofPrefix = sql<string>`
    select call.id from run_prefix as prefix
    join tool_call as call on call.run_id = prefix.from_run_id
    left join manual_call on manual_call.call_id = call.id
    left join message on message.id = manual_call.message_id
    where prefix.run_id = ${runId}
      and coalesce(message.turn, call.turn) between prefix.first_turn and prefix.last_turn`
  return selectCalls(db).where(sql<boolean>`tool_call.id in (${ofPrefix})`)
}

/** The calls of one turn that a run took or took over, in order, without their texts. */
export async function readCallsOfTurn(db: Db | Tx, runId: string, turn: number) {
  const own = selectCalls(db).where('tool_call.run_id', '=', runId)
  const calls = await together(
    [selectPrefixCalls(db, runId), own].map((of) =>
      of.where('tool_call.turn', '=', turn).execute(),
    ),
  )
  return calls.flat()
}

/** Calls with their columns for a transcript, in order. */
export function selectCalls(db: Db | Tx) {
  return db
    .selectFrom('tool_call')
    .leftJoin('manual_call', 'manual_call.call_id', 'tool_call.id')
    .leftJoin('person', 'person.id', 'manual_call.invoked_by')
    .leftJoin('request', 'request.id', 'tool_call.request_id')
    .selectAll('tool_call')
    .select(['manual_call.invoked_by', 'manual_call.message_id', 'person.name as invoker'])
    .select('request.state as request_state')
    .select('manual_call.created_at as invoked_at')
    .select(filesOfCall)
    .orderBy('tool_call.turn')
    .orderBy('tool_call.position')
}

/** Part of the query of the calls, since nearly all have none. */
const filesOfCall = sql<readonly StoredFile[] | null>`(
  select jsonb_agg(
    jsonb_build_object('hash', hash, 'mediaType', media_type, 'bytes', bytes) order by position
  )
  from result_file where result_file.call_id = tool_call.id
)`.as('files')

function callOf(call: CallRow, textOf: (hash: string) => string): TranscriptCall {
  return {
    callId: call.id,
    toolCallId: call.tool_call_id,
    tool: call.tool,
    input: JSON.parse(textOf(call.input_hash)) as Json,
    verdict: call.verdict,
    rule: call.rule,
    requestId: call.request_id,
    requestState: call.request_state,
    manual: call.manual,
    readOnly: call.read_only,
    result:
      call.result_type === null
        ? null
        : {
            type: call.result_type,
            text: call.result_text_hash === null ? '' : textOf(call.result_text_hash),
            ...(call.result_output_hash === null
              ? {}
              : { output: JSON.parse(textOf(call.result_output_hash)) as Json }),
            ...(call.files === null ? {} : { files: call.files }),
          },
  }
}

function byReading(left: TranscriptMessage, right: TranscriptMessage): number {
  const turns = (left.turn ?? Infinity) - (right.turn ?? Infinity)
  if (turns !== 0 && !Number.isNaN(turns)) return turns
  if (left.role !== right.role) return left.role === 'user' ? -1 : 1
  return left.sequence - right.sequence
}
