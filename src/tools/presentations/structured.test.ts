import { expect, test } from 'vitest'
import { presentStructured } from './structured.ts'

// Rules: security.md 17
test('arguments with hidden and look-alike characters are shown with a warning that counts them', () => {
  const { content, warnings } = presentStructured({ to: 'a\u202eb', name: 'p\u0430y' }, {}, [
    'First.',
  ])
  expect(content).toContain('a\u202eb')
  expect(warnings).toEqual([
    'First.',
    expect.stringMatching(/^Hidden characters: 1 \(U\+202E .* × 1\)\.$/),
    expect.stringMatching(/^Look-alike characters: 1 /),
  ])
  expect(presentStructured({ to: 'ab' }, {}, []).warnings).toEqual([])
})

test('the titles in the schema of the fields that a call has are presented, without their control characters', () => {
  const schema = {
    type: 'object',
    title: 'The call',
    properties: {
      to: { type: 'string', title: 'Mail\nto' },
      'a/b': { type: 'object', properties: { c: { title: 'Deep' } } },
      list: { type: 'array', items: { properties: { d: { title: 'Of each' } } } },
      other: { title: 'Not in the call' },
      blank: { title: ' ' },
    },
  }
  const input = { to: 'x', 'a/b': { c: 1 }, list: [{ d: 1 }, { d: 2 }], blank: 1, __proto__: 2 }
  expect(presentStructured(input, { server: 'shop' }, [], schema).metadata).toEqual({
    server: 'shop',
    fieldTitles: {
      '/to': 'Mail to',
      '/a~1b/c': 'Deep',
      '/list/-/d': 'Of each',
    },
  })
  expect(presentStructured(input, {}, [], { type: 'object' }).metadata).toEqual({})
  const hidden = { properties: { to: { title: 'Mail\u202eto' } } }
  expect(presentStructured(input, {}, [], hidden).warnings).toEqual([
    expect.stringMatching(/^Hidden characters: 1/),
  ])
})

test('a long list leaves titles for the fields after it, and no name is read as its entries', () => {
  const entry = { properties: { d: { title: 'Of each' } } }
  const schema = {
    properties: {
      list: { items: entry },
      '-': { title: 'Dash' },
      last: { title: 'The last' },
    },
  }
  const input = { list: Array.from({ length: 500 }, () => ({ d: 1 })), '-': 1, last: 2 }
  const { metadata } = presentStructured(input, {}, [], schema)
  expect(metadata).toEqual({
    fieldTitles: { '/list/-/d': 'Of each', '/~': 'Dash', '/last': 'The last' },
  })
})
