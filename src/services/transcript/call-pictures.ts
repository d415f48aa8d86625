import { limits } from '#domain/limits.ts'
import { isPictureType, pictureTypeOf } from '#domain/tools/picture-type.ts'
import type { ModelPicture } from '#models/model.ts'
import { getContents } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { StoredFile } from './store-result.ts'
import type { TranscriptMessage } from './load-transcript.ts'

/** The pictures of a transcript that the model sees, by call. */
export type CallPictures = ReadonlyMap<string, readonly ModelPicture[]>

/**
 * Reads the newest pictures of what tools returned, as many as the bounds let a model see
 * (security.md 24); of all others it reads type, size and hash in the result's text.
 */
export async function callPictures(
  db: Db,
  transcript: readonly TranscriptMessage[],
): Promise<CallPictures> {
  const selected = selectPictures(transcript)
  if (selected.length === 0) return new Map()
  const contents = await getContents(
    db,
    selected.map(({ file }) => file.hash),
  )
  const pictures = new Map<string, ModelPicture[]>()
  for (const { callId, file } of selected) {
    const bytes = contents.get(file.hash) ?? Buffer.alloc(0)
    const mediaType = pictureTypeOf(bytes)
    if (mediaType !== null)
      pictures.set(callId, [...(pictures.get(callId) ?? []), { mediaType, bytes }])
  }
  return pictures
}

interface SelectedPicture {
  readonly callId: string
  readonly file: StoredFile
}

/** In the transcript's order. */
function selectPictures(transcript: readonly TranscriptMessage[]): SelectedPicture[] {
  const pictures = transcript.flatMap(({ calls }) =>
    calls
      .filter(({ result }) => result?.type === 'output')
      .flatMap(({ callId, result }) => (result?.files ?? []).map((file) => ({ callId, file })))
      .filter(({ file }) => isPictureType(file.mediaType) && file.bytes <= limits.pictureBytes),
  )
  let remainingBytes: number = limits.picturesShownBytes
  const selected: SelectedPicture[] = []
  for (const picture of pictures.toReversed().slice(0, limits.picturesShown)) {
    remainingBytes -= picture.file.bytes
    if (remainingBytes < 0) break
    selected.unshift(picture)
  }
  return selected
}
