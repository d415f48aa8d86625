import { limits } from '#domain/limits.ts'

/**
 * The beginning of a long text for the model, cut at a character, and the number of omitted bytes
 * (0: none).
 */
export function visibleText(text: string): { readonly text: string; readonly leftOut: number } {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.shownToModelBytes) return { text, leftOut: 0 }
  let end = limits.shownToModelBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { text: bytes.subarray(0, end).toString('utf8'), leftOut: bytes.length - end }
}
