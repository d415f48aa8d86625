import type { KeyboardPlatform } from './platform.ts'
import { verbs } from '../words/verbs.ts'

/** In the order of the list under `?`. */
export const shortcutGroups = ['Lists', 'A request', 'Deciding', 'Pages'] as const

/** One keyboard command. `chord`: with Ctrl or Cmd. `then`: the second key of a sequence. */
export interface Shortcut {
  readonly key: string
  readonly then?: string
  readonly chord?: true
  readonly shift?: true
  readonly label: string
  readonly group: (typeof shortcutGroups)[number]
  /** the browser handles the key itself: the command is only listed */
  readonly native?: true
}

/** The registry of all keys: handlers, the list under `?` and `aria-keyshortcuts` use it. */
export const shortcuts = {
  next: { key: 'j', label: 'Next', group: 'Lists' },
  previous: { key: 'k', label: 'Previous', group: 'Lists' },
  open: { key: 'Enter', label: 'Open', group: 'Lists', native: true },
  select: { key: 'x', label: 'Select', group: 'Lists' },
  showNew: { key: '.', label: 'Show what is new', group: 'Lists' },
  filter: { key: '/', label: 'Filter', group: 'Lists' },
  back: { key: 'u', label: 'Back (also Esc)', group: 'A request' },
  claim: { key: 'c', label: 'Claim or release', group: 'A request' },
  snooze: { key: 'h', label: verbs.snooze, group: 'A request' },
  comment: { key: 'm', label: 'Write a comment', group: 'A request' },
  viewed: { key: 'v', label: 'Mark the file as viewed', group: 'A request' },
  nextFile: { key: 'n', label: 'Next file', group: 'A request' },
  previousFile: { key: 'p', label: 'Previous file', group: 'A request' },
  split: { key: 's', label: 'Split or unified', group: 'A request' },
  raw: { key: 'r', label: 'Raw input', group: 'A request' },
  turn: { key: 't', label: verbs.decideTurn, group: 'A request' },
  deny: { key: 'd', label: 'Go to deny; again: submit (not at high risk)', group: 'Deciding' },
  approve: {
    key: 'a',
    label: 'Go to approve; again: submit (not at high risk)',
    group: 'Deciding',
  },
  takeBack: { key: 'z', label: 'Take back what is not sent yet', group: 'Deciding' },
  submit: { key: 'Enter', chord: true, label: verbs.submit, group: 'Deciding' },
  submitNext: {
    key: 'Enter',
    chord: true,
    shift: true,
    label: verbs.submitNext,
    group: 'Deciding',
  },
  goInbox: { key: 'g', then: 'i', label: 'Inbox', group: 'Pages' },
  goRuns: { key: 'g', then: 'r', label: 'Runs', group: 'Pages' },
  goInsights: { key: 'g', then: 'n', label: 'Insights', group: 'Pages' },
  goAudit: { key: 'g', then: 'a', label: 'Audit', group: 'Pages' },
  goPolicy: { key: 'g', then: 'p', label: 'Policy', group: 'Pages' },
  newRun: { key: 'g', then: 's', label: verbs.newRun, group: 'Pages' },
  copyLink: { key: 'y', label: verbs.copyLink, group: 'Pages' },
  palette: { key: 'k', chord: true, label: 'Search or run a command', group: 'Pages' },
  help: { key: '?', label: 'This list', group: 'Pages' },
} as const satisfies Record<string, Shortcut>

export type ShortcutId = keyof typeof shortcuts

/** Ids in the order of the list under `?`. */
export const shortcutIds = Object.keys(shortcuts) as ShortcutId[]

/** A shortcut with the type of its optional members. */
export function shortcutOf(id: ShortcutId): Shortcut {
  return shortcuts[id]
}

/** Keys as people read them: `['G', 'I']`, `['Ctrl', '⏎']`, on a Mac `['⌘', '⏎']`. */
export function keyNames(id: ShortcutId, platform: KeyboardPlatform): string[] {
  const { key, then, chord, shift } = shortcutOf(id)
  const symbol = key === 'Enter' ? '⏎' : key.toUpperCase()
  const isApple = platform === 'apple'
  return [
    ...(shift ? [isApple ? '⇧' : 'Shift'] : []),
    ...(chord ? [isApple ? '⌘' : 'Ctrl'] : []),
    symbol,
    ...(then === undefined ? [] : [then.toUpperCase()]),
  ]
}

/** The value of `aria-keyshortcuts`, which cannot express sequences (`undefined`). */
export function ariaKeysOf(id: ShortcutId, platform: KeyboardPlatform): string | undefined {
  const { key, then, chord, shift } = shortcutOf(id)
  if (then !== undefined) return undefined
  const keyName = key.length === 1 ? key.toUpperCase() : key
  if (!chord) return keyName
  return `${platform === 'apple' ? 'Meta' : 'Control'}+${shift ? 'Shift+' : ''}${keyName}`
}
