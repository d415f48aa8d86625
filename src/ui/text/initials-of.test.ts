import { expect, test } from 'vitest'
import { initialsOf } from './initials-of.ts'

test.each([
  ['Grace Hopper', 'GH'],
  ['Ada', 'A'],
  ['jean-luc de la tour', 'JT'],
  ['\u202e<b>Eve</b>', 'BB'],
  ['\u{20bb7}野 家', '\u{20bb7}家'],
  ['\u200b!', '?'],
])('%j has the initials %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
