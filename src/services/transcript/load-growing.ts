import { sql, type Selectable } from 'kysely'
import { textOfRow, type PackedContent } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import type { MessageTable } from '#store/tables/runs.ts'
import {
  filesOfMessage,
  loadTranscript,
  selectCalls,
  withTexts,
  type MessageFile,
  type TranscriptMessage,
} from './load-transcript.ts'
import type { KnownTurns, TranscriptCache } from './transcript-cache.ts'

const emptyTurns: KnownTurns = { throughTurn: 0, digest: '', messages: [] }

/**
 * The transcript of a run that is about to take a turn, like that of `loadTranscript`. It uses the
 * cached part if the digest of its rows is unchanged: nothing was changed, erased or added since.
 * The other turns are read and cached. A run with turns of another, or with calls of people, is
 * read whole.
 */
export async function loadGrowingTranscript(
  db: Db | Tx,
  cache: TranscriptCache | undefined,
  of: { readonly runId: string; readonly turn: number },
): Promise<readonly TranscriptMessage[]> {
  const cached = cache?.get(of.runId)
  if (cache === undefined || cached === 'whole') return loadTranscript(db, of.runId)
  const earlier = cached ?? emptyTurns
  const read = await readSince(db, of, earlier)
  if (read === 'whole') {
    cache.set(of.runId, 'whole')
    return loadTranscript(db, of.runId)
  }
  const { messages, digest } =
    read === 'changed'
      ? await readAgain(db, of)
      : { ...read, messages: [...earlier.messages, ...read.messages] }
  const throughTurn = of.turn - 1
  const old = messages.filter(({ turn }) => turn !== null && turn <= throughTurn)
  cache.set(of.runId, { throughTurn, digest, messages: old })
  return messages
}

interface ReadTurns {
  readonly messages: readonly TranscriptMessage[]
  /** of all turns before the present one */
  readonly digest: string
}

async function readAgain(
  db: Db | Tx,
  of: { readonly runId: string; readonly turn: number },
): Promise<ReadTurns> {
  const read = await readSince(db, of, emptyTurns)
  if (typeof read === 'object') return read
  // Something was erased or changed at this moment: nothing of it is cached.
  return { messages: await loadTranscript(db, of.runId), digest: 'unknown' }
}

interface RunState {
  readonly is_whole: boolean
  readonly known_digest: string
  readonly digest: string
}

/**
 * Reads the turns after the cached ones. The digests are those of the time when the messages are
 * read, and the calls are read after that: a change in between has another digest the next time.
 */
async function readSince(
  db: Db | Tx,
  { runId, turn }: { readonly runId: string; readonly turn: number },
  earlier: KnownTurns,
): Promise<ReadTurns | 'changed' | 'whole'> {
  const { throughTurn } = earlier
  const { rows } = await sql<
    RunState & Nullable<Selectable<MessageTable>> & Files & Nullable<PackedContent>
  >`
    with line as (
      select turn, message::text as line from message where run_id = ${runId} and turn is not null
      union all
      select call.turn, (call, request.state)::text from tool_call call
        left join request on request.id = call.request_id where call.run_id = ${runId}
      union all
      select call.turn, file::text from tool_call call
        join result_file file on file.call_id = call.id where call.run_id = ${runId}
      union all
      select turn, file::text from message
        join message_file file on message_id = message.id where run_id = ${runId}
    )
    select state.*, message.*, ${filesOfMessage}, own_text.encoding, own_text.bytes from (
      select
        exists (select from run_prefix where run_id = ${runId})
          or exists (select from manual_call where run_id = ${runId})
          or exists (select from erased_content where hash in (
            select content_hash from message where run_id = ${runId} union all
            select unnest(array[input_hash, result_text_hash, result_output_hash])
              from tool_call where run_id = ${runId})) as is_whole,
        (select ${digestThrough(throughTurn)} from line) as known_digest,
        (select ${digestThrough(turn - 1)} from line) as digest
    ) as state
    left join message on run_id = ${runId} and (turn is null or turn > ${throughTurn})
    left join lateral (
      select encoding, bytes from content where hash = message.content_hash offset 0
    ) as own_text on true
    order by sequence
  `.execute(db)
  const [state] = rows
  if (state === undefined || state.is_whole) return 'whole'
  if (earlier !== emptyTurns && state.known_digest !== earlier.digest) return 'changed'
  const messages = rows.flatMap((row) => (hasMessage(row) ? [{ ...row, from_run_id: null }] : []))
  // A call belongs to an answer of the model. The first turn has none before it.
  const calls = messages.some(({ role }) => role === 'assistant')
    ? await selectCalls(db)
        .where('tool_call.run_id', '=', runId)
        .where('tool_call.turn', '>', throughTurn)
        .execute()
    : []
  const texts = new Map(
    messages.flatMap(({ content_hash: hash, encoding, bytes }) =>
      encoding === null || bytes === null ? [] : [[hash, textOfRow({ hash, encoding, bytes })]],
    ),
  )
  const read = await withTexts(db, messages, calls, texts)
  return { messages: read.messages, digest: state.digest }
}

interface Files {
  readonly files: readonly MessageFile[] | null
}

/** The query returns one row with the state of the run, even if there are no messages. */
type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null }

function hasMessage<Row extends Nullable<Selectable<MessageTable>>>(
  row: Row,
): row is Row & Selectable<MessageTable> {
  return row.id !== null
}

function digestThrough(turn: number) {
  return sql<string>`encode(sha256(convert_to(coalesce(
    string_agg(line, '' order by line) filter (where turn <= ${turn}), ''), 'UTF8')), 'hex')`
}
