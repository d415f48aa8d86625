/** A time in texts for people of any time zone: `Mon, 30 Nov 2026 07:18:06 UTC`. Pure. */
export function utcWords(at: Date): string {
  return at.toUTCString().replace('GMT', 'UTC')
}
