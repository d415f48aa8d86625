import { expect, test } from 'vitest'
import { memberOf, textIn, valueIn } from './value-in.ts'

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty']

test('a member is an own one: names that every object inherits are missing until an object has them', () => {
  for (const name of inherited) {
    expect([name, valueIn({ a: 1 }, name)]).toEqual([name, undefined])
    expect([name, textIn({ a: 'x' }, name)]).toEqual([name, null])
    expect([name, memberOf({ a: 1 }, name)]).toEqual([name, undefined])
    const own = JSON.parse(`{"${name}":"own"}`) as Record<string, unknown>
    expect([valueIn(own, name), textIn(own, name), memberOf(own, name)]).toEqual(
      Array.from({ length: 3 }, () => 'own'),
    )
  }
})

test('the text of a member is a text: a number, a list or null is none, and an empty text is one', () => {
  const object = { number: 7, list: ['x'], nothing: null, empty: '' }
  for (const name of ['number', 'list', 'nothing', 'absent']) {
    expect(textIn(object, name)).toBeNull()
  }
  expect(textIn(object, 'empty')).toBe('')
})

test.for([null, undefined, 'text', 7, ['item'], () => 1])('%s has no members', (value) => {
  for (const name of ['length', '0', 'name', ...inherited]) {
    expect(memberOf(value, name)).toBeUndefined()
  }
})
