/** A dialog that is late loses no key for longer than this: then keys are commands again. */
const longestMs = 3_000

let letters: string | null = null
let untilMs = 0

/** From here on letters belong to the field that opens, until it takes them. */
export function beginOpening(): void {
  letters = ''
  untilMs = Date.now() + longestMs
}

/** What was typed meanwhile, for the field that now has the focus. */
export function takeLetters(): string {
  const typed = letters ?? ''
  letters = null
  return typed
}

/** Keeps a key for the field that opens; false where nothing opens, or the key is no letter. */
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
