import { limits } from '../../domain/limits.ts'

/** What of a long text the model is shown, cut at a character, with the bytes that were left out (0: none). */
export function shownText(text: string): { readonly text: string; readonly leftOut: number } {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.shownToModelBytes) return { text, leftOut: 0 }
  let end = limits.shownToModelBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { text: bytes.subarray(0, end).toString('utf8'), leftOut: bytes.length - end }
}
