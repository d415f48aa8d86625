import { shortcutIds, shortcutOf, type ShortcutId } from './shortcuts.ts'

/** A pressed key, its modifiers, and whether the focus is in a text field. */
export interface PressedKey {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly repeat: boolean
  /** whether the focus is in a text field */
  readonly typing: boolean
}

/** The matching command, and the first key of a sequence if the next press can complete one. */
export interface KeyMatch {
  readonly id: ShortcutId | null
  readonly pending: string | null
}

/**
 * The command of a pressed key. Single keys do not count in text fields, while held down, or if
 * `singleKeys` is off; keys with Ctrl or Cmd always count. Pure.
 */
export function matchKey(
  pressed: PressedKey,
  pending: string | null,
  singleKeys: boolean,
): KeyMatch {
  const none: KeyMatch = { id: null, pending: null }
  if (pressed.altKey || pressed.repeat) return none
  const key = pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key
  const chord = pressed.ctrlKey || pressed.metaKey
  if (!chord && (pressed.typing || !singleKeys)) return none
  if (!chord && key === 'Escape') return { id: 'back', pending: null }

  for (const id of shortcutIds) {
    const shortcut = shortcutOf(id)
    if (shortcut.native) continue
    if (chord) {
      const shiftFits = pressed.shiftKey === (shortcut.shift ?? false)
      if (shortcut.chord && shiftFits && shortcut.key === key) return { id, pending: null }
      continue
    }
    if (shortcut.chord) continue
    if (shortcut.then !== undefined) {
      if (pending === shortcut.key && key === shortcut.then) return { id, pending: null }
    } else if (pending === null && shortcut.key === key) {
      return { id, pending: null }
    }
  }
  const begins =
    !chord &&
    shortcutIds.some((id) => {
      const { key: first, then } = shortcutOf(id)
      return then !== undefined && first === key
    })
  return begins ? { id: null, pending: key } : none
}
