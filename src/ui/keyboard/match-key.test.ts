import { expect, test } from 'vitest'
import { commandKeys } from './commands.ts'
import { matchKey, type PressedKey } from './match-key.ts'
import { platformOf } from './platform.ts'
import { ariaKeysOf, keyNames, shortcutIds, shortcutOf } from './shortcuts.ts'

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  typing: false,
  ...more,
})

test('every shortcut is found by its own keys and by no other', () => {
  for (const id of shortcutIds) {
    const { key, then, chord, shift, native } = shortcutOf(id)
    if (native) continue
    const first = matchKey(
      press(key, { ctrlKey: chord ?? false, shiftKey: shift ?? false }),
      null,
      true,
    )
    const found = then === undefined ? first : matchKey(press(then), first.pending, true)
    expect([id, found.id]).toEqual([id, id])
  }
})

test('while text is typed, bare keys are text and chords are commands', () => {
  expect(matchKey(press('a', { typing: true }), null, true).id).toBeNull()
  expect(matchKey(press('?', { typing: true, shiftKey: true }), null, true).id).toBeNull()
  expect(matchKey(press('Enter', { typing: true, metaKey: true }), null, true).id).toBe('submit')
})

test('switched off, no single key is a command; chords stay', () => {
  expect(matchKey(press('d'), null, false)).toEqual({ id: null, pending: null })
  expect(matchKey(press('g'), null, false)).toEqual({ id: null, pending: null })
  expect(matchKey(press('k', { ctrlKey: true }), null, false).id).toBe('palette')
})

test('no key without Ctrl or ⌘ submits', () => {
  for (const key of ['Enter', ' ', 'a', 'd', 'y', 's']) {
    expect(matchKey(press(key), null, true).id ?? '').not.toMatch(/^submit/)
  }
})

test('a key that is held down or pressed with Alt is no command', () => {
  expect(matchKey(press('j', { repeat: true }), null, true).id).toBeNull()
  expect(matchKey(press('j', { altKey: true }), null, true).id).toBeNull()
})

test('the second key of a sequence is not a command of its own', () => {
  expect(matchKey(press('a'), 'g', true).id).toBe('goAudit')
  expect(matchKey(press('x'), 'g', true)).toEqual({ id: null, pending: null })
})

test('people and assistive technology read the keys of their keyboard: Ctrl, on a Mac ⌘', () => {
  expect(keyNames('goInbox', 'other')).toEqual(['G', 'I'])
  expect(keyNames('submitNext', 'other')).toEqual(['Shift', 'Ctrl', '⏎'])
  expect(keyNames('submitNext', 'apple')).toEqual(['⇧', '⌘', '⏎'])
  expect(ariaKeysOf('submitNext', 'other')).toBe('Control+Shift+Enter')
  expect(ariaKeysOf('submitNext', 'apple')).toBe('Meta+Shift+Enter')
  expect(ariaKeysOf('deny', 'apple')).toBe('D')
  expect(ariaKeysOf('goInbox', 'apple')).toBeUndefined()
  for (const name of ['MacIntel', 'iPhone', 'iPad']) expect(platformOf(name)).toBe('apple')
  for (const name of ['Win32', 'Linux x86_64', '']) expect(platformOf(name)).toBe('other')
})

test('a chord is one press and a sequence is two, also in the words of the palette', () => {
  expect(commandKeys('palette', 'other')).toBe('Ctrl K')
  expect(commandKeys('palette', 'apple')).toBe('⌘ K')
  expect(commandKeys('goInbox', 'other')).toBe('G then I')
  expect(commandKeys('goAccount', 'other')).toBe('')
})
