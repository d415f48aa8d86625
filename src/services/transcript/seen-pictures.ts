import { limits } from '#domain/limits.ts'
import { isPictureType, pictureTypeOf } from '#domain/tools/picture-type.ts'
import type { ModelPicture } from '#models/model.ts'
import { getContents } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { StoredFile } from './store-result.ts'
import type { TranscriptMessage } from './load-transcript.ts'

/** The pictures of a transcript that the model sees, by call, and by {@link placeOfMessage}. */
export type SeenPictures = ReadonlyMap<string, readonly ModelPicture[]>

/** The key of the pictures of a message. */
export function placeOfMessage({ sequence }: Pick<TranscriptMessage, 'sequence'>): string {
  return `message ${sequence}`
}

/**
 * Reads the newest pictures that people sent and tools returned, as many as a model may see
 * (security.md 24); for others the text has type, size and hash.
 */
export async function seenPictures(
  db: Db,
  transcript: readonly TranscriptMessage[],
): Promise<SeenPictures> {
  const selected = selectPictures(transcript)
  if (selected.length === 0) return new Map()
  const contents = await getContents(
    db,
    selected.map(({ file }) => file.hash),
  )
  const pictures = new Map<string, ModelPicture[]>()
  for (const { place, file } of selected) {
    const bytes = contents.get(file.hash) ?? Buffer.alloc(0)
    const mediaType = pictureTypeOf(bytes)
    if (mediaType !== null)
      pictures.set(place, [...(pictures.get(place) ?? []), { mediaType, bytes }])
  }
  return pictures
}

interface SelectedPicture {
  readonly place: string
  readonly file: StoredFile
}

/** In the transcript's order. */
function selectPictures(transcript: readonly TranscriptMessage[]): SelectedPicture[] {
  const pictures = transcript
    .flatMap((message) => [
      ...(message.files ?? []).map((file) => ({ place: placeOfMessage(message), file })),
      ...message.calls
        .filter(({ result }) => result?.type === 'output')
        .flatMap(({ callId, result }) =>
          (result?.files ?? []).map((file) => ({ place: callId, file })),
        ),
    ])
    .filter(({ file }) => isPictureType(file.mediaType) && file.bytes <= limits.pictureBytes)
  let remainingBytes: number = limits.picturesShownBytes
  const selected: SelectedPicture[] = []
  for (const picture of pictures.toReversed().slice(0, limits.picturesShown)) {
    remainingBytes -= picture.file.bytes
    if (remainingBytes < 0) break
    selected.unshift(picture)
  }
  return selected
}
