import { hashBytes } from '#domain/json/digest.ts'
import type { Tx } from '#store/database.ts'

/**
 * The content of a message: its text as a JSON string. Its calls are rows of `tool_call`, written
 * with it. A run's input that is text has the same bytes, so that it is stored once.
 */
export function writeMessageText(text: string): string {
  return JSON.stringify(text)
}

/** Parses the result of {@link writeMessageText}. */
export function readMessageText(storedText: string): string {
  const text: unknown = JSON.parse(storedText)
  return typeof text === 'string' ? text : ''
}

/** The content hash of an empty message. */
export const wordlessHash = hashBytes(writeMessageText(''))

/** The next sequence number in a run's messages. The caller holds the run's lock. */
export async function nextSequence(tx: Tx, runId: string): Promise<number> {
  const last = await tx
    .selectFrom('message')
    .select('sequence')
    .where('run_id', '=', runId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.sequence ?? 0) + 1
}
