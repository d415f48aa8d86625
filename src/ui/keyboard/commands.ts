import type { KeyboardPlatform } from './platform.ts'
import { keyNames, shortcutIds, shortcutOf, type ShortcutId } from './shortcuts.ts'

/** Commands of the palette without a key. Each also has a control on its page. */
const keyless = {
  handOver: 'Hand over to a colleague',
  nudge: 'Nudge the people who can decide',
  moreTime: 'Extend the deadline by a day',
  lightColours: 'Use light colours',
  darkColours: 'Use dark colours',
  compactRows: 'Use compact rows',
  roomyRows: 'Use roomy rows',
  goAccount: 'Your account',
} as const

type KeylessId = keyof typeof keyless
/** All commands that a page can register, with or without a key. */
export type CommandId = ShortcutId | KeylessId

/** In the order of the palette. */
export const commandIds: readonly CommandId[] = [
  ...shortcutIds,
  ...(Object.keys(keyless) as KeylessId[]),
]

export function commandLabel(id: CommandId): string {
  return isKeyless(id) ? keyless[id] : shortcutOf(id).label
}

/** The keys of a command as text: `G then I`, `Ctrl K`; empty if it has none. */
export function commandKeys(id: CommandId, platform: KeyboardPlatform): string {
  if (isKeyless(id)) return ''
  const isSequence = shortcutOf(id).then !== undefined
  return keyNames(id, platform).join(isSequence ? ' then ' : ' ')
}

function isKeyless(id: CommandId): id is KeylessId {
  return Object.hasOwn(keyless, id)
}
