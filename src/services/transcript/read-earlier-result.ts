import type { EarlierResult, ResultPlace } from '#domain/tools/tool.ts'
import type { Db } from '#store/database.ts'
import { loadTranscript } from './load-transcript.ts'

/**
 * What a run's model was given of one call, by its place in the transcript. The transcript is the
 * run's own and that of the turns it was forked from: a place in it names nothing of another run.
 */
export async function readEarlierResult(
  db: Db,
  runId: string,
  place: ResultPlace,
): Promise<EarlierResult | null> {
  const transcript = await loadTranscript(db, runId)
  const of = transcript.find(({ role, turn }) => role === 'assistant' && turn === place.turn)
  const call = of?.calls[place.call - 1]
  if (call?.result == null) return null
  return { tool: call.tool, text: call.result.text }
}
