import { expect, test } from 'vitest'
import { inputExample } from './triggers.ts'

test('an example of an input has every required member, with a value of its type', () => {
  const schema = {
    type: 'object',
    required: ['channel', 'text', 'count', 'owner', 'tags', 'urgent', 'other'],
    properties: {
      channel: { type: 'string', enum: ["it's", 'dev'] },
      text: { type: 'string' },
      count: { type: 'integer', minimum: 3 },
      owner: { required: ['name'], properties: { name: { type: 'string', default: 'Ada' } } },
      tags: { type: 'array' },
      urgent: { type: 'boolean' },
      note: { type: 'string' },
    },
  }
  expect(inputExample(schema)).toEqual({
    channel: "it's",
    text: 'TEXT',
    count: 3,
    owner: { name: 'Ada' },
    tags: [],
    urgent: true,
    other: 'TEXT',
  })
})

test('the first of several types counts, and a schema of required members alone is an object', () => {
  expect(inputExample({ type: ['integer', 'null'] })).toBe(1)
  expect(inputExample({ required: ['a'] })).toEqual({ a: 'TEXT' })
})
