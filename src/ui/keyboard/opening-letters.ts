/** If a dialog takes longer than this to open, keys are commands again. */
const maxWaitMs = 3_000

let letters: string | null = null
let untilMs = 0

/** Starts to collect letters for the field of a dialog that is opening. */
export function beginOpening(): void {
  letters = ''
  untilMs = Date.now() + maxWaitMs
}

/** Returns the collected letters for the field, which now has the focus. */
export function takeLetters(): string {
  const text = letters ?? ''
  letters = null
  return text
}

/** Collects a letter. False if no dialog is opening, or the key is not a letter. */
export function keepLetter(pressed: {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}): boolean {
  if (letters === null) return false
  const { key, ctrlKey, metaKey, altKey } = pressed
  if (Date.now() > untilMs || key === 'Escape') {
    letters = null
    return false
  }
  if (ctrlKey || metaKey || altKey) return false
  if (key === 'Backspace') letters = letters.slice(0, -1)
  else if (key.length === 1) letters += key
  else return false
  return true
}
