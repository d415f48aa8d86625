import { afterEach, expect, test, vi } from 'vitest'
import { beginOpening, keepLetter, takeLetters } from './opening-letters.ts'

const press = (key: string, ctrlKey = false) =>
  keepLetter({ key, ctrlKey, metaKey: false, altKey: false })
afterEach(() => {
  vi.useRealTimers()
  takeLetters()
})

test('letters typed while a field opens are its first ones, in order', () => {
  beginOpening()
  expect([...'notex'].map((key) => press(key)).every(Boolean)).toBe(true)
  expect(press('Backspace')).toBe(true)
  expect(takeLetters()).toBe('note')
  expect(press('s')).toBe(false)
})

test('commands with Ctrl, Escape and other keys are not kept', () => {
  beginOpening()
  expect([press('k', true), press('ArrowDown')]).toEqual([false, false])
  expect(press('Escape')).toBe(false)
  expect(press('a')).toBe(false)
})

test('a field that never opens keeps no key for itself', () => {
  vi.useFakeTimers()
  beginOpening()
  vi.advanceTimersByTime(3_001)
  expect(press('j')).toBe(false)
})
