/** A part of a command's output: one stream's bytes from `start` on, of one attempt. */
export interface OutputPiece {
  readonly attempt: number
  readonly start: number
  readonly bytes: Uint8Array
}

/** The position of a reader of a stream: the bytes of this attempt before `offset` were read. */
export interface OutputPlace {
  readonly attempt: number
  readonly offset: number
}

/** The position before the first read. */
export const noOutput: OutputPlace = { attempt: 0, offset: 0 }

/**
 * The position after a piece that was requested from the reader's offset, and how many bytes before
 * it are no longer stored. `null`: it is of another attempt, so that earlier bytes are void: begin
 * with `noOutput`. Pure.
 */
export function placeBehind(
  place: OutputPlace,
  piece: OutputPiece,
): { readonly place: OutputPlace; readonly missing: number } | null {
  const { attempt, bytes, start } = piece
  if (place.offset > 0 && place.attempt !== attempt) return null
  return { place: { attempt, offset: start + bytes.length }, missing: start - place.offset }
}

/**
 * The end of the bytes, as text of at most `most.bytes` bytes and `most.lines` lines, and the
 * number of bytes before it. An incomplete character is left for later. Pure.
 */
export function endOfOutput(
  bytes: Uint8Array,
  max: { readonly bytes: number; readonly lines: number },
): { readonly text: string; readonly left: number } {
  let from = Math.max(0, bytes.length - max.bytes)
  if (from > 0) {
    const line = bytes.indexOf(lineFeed, from - 1)
    if (line !== -1 && line < bytes.length - 1) from = line + 1
    else while (from < bytes.length && isContinuation(bytes[from])) from += 1
  }
  from = Math.max(from, startOfLines(bytes, max.lines))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { text: decoder.decode(bytes.subarray(from), { stream: true }), left: from }
}

const lineFeed = 0x0a

/** Whether a byte of UTF-8 continues a character. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** The offset of the last `maxLines` lines. */
function startOfLines(bytes: Uint8Array, maxLines: number): number {
  let at = bytes.length - 1
  for (let lines = 0; lines < maxLines; lines += 1) {
    if (at <= 0) return 0
    at = bytes.lastIndexOf(lineFeed, at - 1)
    if (at === -1) return 0
  }
  return at + 1
}
