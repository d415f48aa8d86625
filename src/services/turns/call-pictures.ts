import { limits } from '../../domain/limits.ts'
import { isPictureType, pictureTypeOf } from '../../domain/picture-type.ts'
import type { ModelPicture } from '../../models/model.ts'
import { getContents } from '../../store/content/content.ts'
import type { Db } from '../../store/database.ts'
import type { StoredFile } from '../runs/transcript/store-result.ts'
import type { TranscriptMessage } from './messages/load-transcript.ts'

/** The pictures of a transcript that the model sees, by call. */
export type CallPictures = ReadonlyMap<string, readonly ModelPicture[]>

/**
 * Reads the newest pictures of what tools returned, as many as the bounds let a model see (security.md 24); of all others
 * it reads type, size and hash in the result's text.
 */
export async function callPictures(
  db: Db,
  transcript: readonly TranscriptMessage[],
): Promise<CallPictures> {
  const chosen = chosenPictures(transcript)
  if (chosen.length === 0) return new Map()
  const contents = await getContents(
    db,
    chosen.map(({ file }) => file.hash),
  )
  const seen = new Map<string, ModelPicture[]>()
  for (const { callId, file } of chosen) {
    const bytes = contents.get(file.hash) ?? Buffer.alloc(0)
    const mediaType = pictureTypeOf(bytes)
    if (mediaType !== null) seen.set(callId, [...(seen.get(callId) ?? []), { mediaType, bytes }])
  }
  return seen
}

interface Chosen {
  readonly callId: string
  readonly file: StoredFile
}

/** In the transcript's order. */
function chosenPictures(transcript: readonly TranscriptMessage[]): Chosen[] {
  const pictures = transcript.flatMap(({ calls }) =>
    calls
      .filter(({ result }) => result?.type === 'output')
      .flatMap(({ callId, result }) => (result?.files ?? []).map((file) => ({ callId, file })))
      .filter(({ file }) => isPictureType(file.mediaType) && file.bytes <= limits.pictureBytes),
  )
  let left: number = limits.picturesShownBytes
  const chosen: Chosen[] = []
  for (const one of pictures.toReversed().slice(0, limits.picturesShown)) {
    left -= one.file.bytes
    if (left < 0) break
    chosen.unshift(one)
  }
  return chosen
}
