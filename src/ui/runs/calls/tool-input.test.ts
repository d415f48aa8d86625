import { describe, expect, test } from 'vitest'
import { emptyInput, fieldsOf, readInput } from './tool-input.ts'

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', enum: ['staging', 'production'] },
    note: { type: 'string', description: 'why' },
    steps: { type: 'integer' },
    force: { type: 'boolean' },
    labels: { type: 'array', items: { type: 'string' } },
    dry: { type: 'boolean', default: false },
  },
  required: ['to', 'note', 'force', 'dry'],
}

describe('the form of a manual tool', () => {
  test('has a field for each property of its schema, in the schema’s order', () => {
    expect(fieldsOf(schema).map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['to', 'choice', true],
      ['note', 'text', true],
      ['steps', 'number', false],
      ['force', 'boolean', true],
      ['labels', 'json', false],
      ['dry', 'boolean', false],
    ])
  })

  test('sends what was typed as what it is, and leaves out what need not be given', () => {
    const values = { ...emptyInput(schema), note: 'now', steps: '3', labels: '["a"]' }
    expect(readInput(schema, values)).toEqual({
      to: 'staging',
      note: 'now',
      steps: 3,
      force: false,
      labels: ['a'],
    })
  })

  test.each([
    [{ steps: 'three' }, 'steps is not a number.'],
    [{ labels: '[' }, 'labels is not JSON.'],
  ])('refuses %j with a sentence', (typed, sentence) => {
    expect(() => readInput(schema, { ...emptyInput(schema), ...typed })).toThrow(sentence)
  })

  test('of a schema without properties has none', () => {
    expect(readInput({}, {})).toEqual({})
  })
})
