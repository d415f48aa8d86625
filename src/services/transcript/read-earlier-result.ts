import type { EarlierResult, ResultPlace } from '#domain/tools/tool.ts'
import { ContentRemoved, getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { readCallsOfTurn } from './load-transcript.ts'

/**
 * What a run's model was given of one call, by its place in the transcript. The transcript is the
 * run's own and that of the turns it was forked from: a place in it names nothing of another run.
 * It reads the calls of that turn and the text of the one, however long the run is.
 */
export async function readEarlierResult(
  db: Db,
  runId: string,
  place: ResultPlace,
): Promise<EarlierResult | null> {
  try {
    return await readOnce(db, runId, place)
  } catch (error) {
    // It was erased in between: in its place is a notice.
    if (!(error instanceof ContentRemoved)) throw error
    return readOnce(db, runId, place)
  }
}

async function readOnce(
  db: Db,
  runId: string,
  { turn, call: position }: ResultPlace,
): Promise<EarlierResult | null> {
  const call = (await readCallsOfTurn(db, runId, turn))[position - 1]
  if (call === undefined || call.result_type === null || call.result_text_hash === null) return null
  return { tool: call.tool, text: await getText(db, call.result_text_hash) }
}
