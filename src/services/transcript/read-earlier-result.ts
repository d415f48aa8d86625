import type { EarlierResult, ResultPlace } from '#domain/tools/tool.ts'
import { isPictureType } from '#domain/tools/picture-type.ts'
import { ContentRemoved, getContents, getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { StoredFile } from './store-result.ts'
import { loadTranscript, readCallsOfTurn } from './load-transcript.ts'

/**
 * The result that a run's model got for one call. The place counts in the transcript of the run and
 * of the turns that it was forked from, so that it cannot name a call of another run. Reads only
 * the calls of that turn and the text of this one, however long the run is.
 */
export async function readEarlierResult(
  db: Db,
  runId: string,
  place: ResultPlace,
): Promise<EarlierResult | null> {
  try {
    return await readOnce(db, runId, place)
  } catch (error) {
    // It was erased in between: a notice replaces it.
    if (!(error instanceof ContentRemoved)) throw error
    return readOnce(db, runId, place)
  }
}

async function readOnce(
  db: Db,
  runId: string,
  { turn, call: position }: ResultPlace,
): Promise<EarlierResult | null> {
  if (position === 0) return picturesBefore(db, runId, turn)
  const call = (await readCallsOfTurn(db, runId, turn))[position - 1]
  if (call === undefined || call.result_type === null || call.result_text_hash === null) return null
  const pictures = await picturesOf(db, call.files ?? [])
  return { tool: call.tool, text: await getText(db, call.result_text_hash), pictures }
}

/** The files that were sent before a turn, with the messages that it read. */
async function picturesBefore(db: Db, runId: string, turn: number): Promise<EarlierResult | null> {
  const transcript = await loadTranscript(db, runId)
  const files = transcript
    .filter((message) => message.role === 'user' && message.turn === turn)
    .flatMap((message) => message.files ?? [])
    .filter(({ mediaType }) => isPictureType(mediaType))
  if (files.length === 0) return null
  const text = files
    .map(({ name, mediaType, hash }) => `${name} (${mediaType}, ${hash})`)
    .join('\n')
  return { tool: null, text, pictures: await picturesOf(db, files) }
}

async function picturesOf(db: Db, files: readonly StoredFile[]) {
  const pictures = files.filter(({ mediaType }) => isPictureType(mediaType))
  const contents = await getContents(
    db,
    pictures.map(({ hash }) => hash),
  )
  return pictures.flatMap(({ mediaType, hash }) => {
    const bytes = contents.get(hash)
    return bytes === undefined ? [] : [{ mediaType, bytes }]
  })
}
