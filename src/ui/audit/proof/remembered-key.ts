/** Whether this browser saw this key of the log before, or another one. */
export type KeySeen = 'first' | 'same' | 'changed'

const place = 'countersign.log-key'

/** Compares a verifier key with the one that this browser saw first, and remembers the first. */
export function keySeen(vkey: string): KeySeen {
  try {
    const before = localStorage.getItem(place)
    if (before !== null) return before === vkey ? 'same' : 'changed'
    localStorage.setItem(place, vkey)
  } catch {
    // Where nothing may be stored, every time is the first.
  }
  return 'first'
}
