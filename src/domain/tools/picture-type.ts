/**
 * The picture types that models read and browsers draw without running anything. SVG, a document,
 * is not one of them.
 */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type PictureType = (typeof pictureTypes)[number]

/**
 * The picture type by the first bytes; `null` for everything else, whatever its name.
 * @example pictureTypeOf(Buffer.from('<svg onload="…">')) // null
 */
export function pictureTypeOf(bytes: Uint8Array): PictureType | null {
  const at = (start: number, ...expected: readonly (number | string)[]): boolean =>
    expected
      .flatMap((one) =>
        typeof one === 'number' ? [one] : Array.from(one, (char) => char.charCodeAt(0)),
      )
      .every((byte, index) => bytes[start + index] === byte)
  if (at(0, 0x89, 'PNG', 0x0d, 0x0a, 0x1a, 0x0a) && at(12, 'IHDR')) return 'image/png'
  if (at(0, 0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (at(0, 'GIF87a') || at(0, 'GIF89a')) return 'image/gif'
  if (at(0, 'RIFF') && at(8, 'WEBP')) return 'image/webp'
  return null
}

/** Whether models get files of this media type as pictures. */
export function isPictureType(mediaType: string): mediaType is PictureType {
  return pictureTypes.some((one) => one === mediaType)
}
