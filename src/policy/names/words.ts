/** The words of a text, for long lists of names. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
