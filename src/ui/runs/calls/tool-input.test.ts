import { describe, expect, test } from 'vitest'
import { fieldsOf } from './input-fields.ts'
import { emptyInput, fieldAt, fieldTexts, readInput, valuesOf } from './tool-input.ts'

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', enum: ['staging', 'production'] },
    note: { type: 'string', description: 'why' },
    steps: { type: 'integer' },
    force: { type: 'boolean' },
    labels: { type: 'array', items: { type: 'string' } },
    plan: { type: 'array', items: { type: 'number' } },
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
      ['labels', 'lines', false],
      ['plan', 'json', false],
      ['dry', 'boolean', false],
    ])
  })

  test('sends what was typed as what it is, and leaves out what need not be given', () => {
    const values = { ...emptyInput(schema), note: 'now', steps: '3', labels: 'a\n\n[b c]\n' }
    expect(readInput(schema, values)).toEqual({
      to: 'staging',
      note: 'now',
      steps: 3,
      force: false,
      labels: ['a', '[b c]'],
    })
  })

  test('has fields for an object, choices of any value, dates, and what a value is by default', () => {
    const nested = {
      type: 'object',
      required: ['owner', 'level'],
      properties: {
        owner: {
          type: 'object',
          title: 'Owner',
          required: ['name'],
          properties: { name: { type: 'string' }, age: { type: 'number' } },
        },
        backup: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
        level: { enum: [1, '2', null] },
        due: { type: ['string', 'null'], format: 'date' },
        size: { type: 'string', default: 'm' },
        free: { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
      },
    }
    expect(
      fieldsOf(nested).map(({ name, group, kind, required }) => [name, group, kind, required]),
    ).toEqual([
      ['owner.name', 'Owner', 'text', true],
      ['owner.age', 'Owner', 'number', false],
      ['backup.host', 'backup', 'text', false],
      ['level', null, 'choice', true],
      ['due', null, 'date', false],
      ['size', null, 'text', false],
      ['free', null, 'json', false],
    ])
    expect(fieldsOf(nested).map(({ standard }) => standard)).toContain('m')
    const input = { owner: { name: 'Ada' }, level: 1, due: '2026-11-27', free: { a: 'b' } }
    expect(readInput(nested, valuesOf(nested, input))).toEqual(input)
    expect(readInput(nested, { ...emptyInput(nested), 'backup.host': 'b' })).toEqual({
      owner: { name: '' },
      backup: { host: 'b' },
      level: 1,
    })
    expect(fieldAt(nested, 'owner.name')).toBe('owner.name')
    expect(fieldAt(nested, 'owner')).toBe('owner.name')
    expect(fieldAt(nested, 'unknown')).toBe(null)
  })

  test('keeps texts of several lines as one JSON array', () => {
    const input = { note: 'now', to: 'staging', force: false, dry: true, labels: ['a\nb', 'c'] }
    expect(readInput(schema, valuesOf(schema, input))).toEqual(input)
    expect(fieldAt(schema, 'labels.1')).toBe('labels')
  })

  test.each([
    [{ steps: 'three' }, 'steps is not a number.'],
    [{ plan: '[' }, 'plan is not JSON.'],
  ])('refuses %j with a sentence', (typed, sentence) => {
    expect(() => readInput(schema, { ...emptyInput(schema), ...typed })).toThrow(sentence)
  })

  test('has in each field the text that it shows, whatever a link named', () => {
    const typed = { ...schema.properties, due: { type: 'string', format: 'date' } }
    const dated = { ...schema, properties: typed }
    const initial = emptyInput(dated)
    expect(fieldTexts(dated, {})).toEqual(initial)
    const hostile = {
      to: 'elsewhere',
      force: 'yes',
      dry: 'TRUE',
      steps: '1\n2',
      due: '2026-02-30',
      toString: 'x',
      ['__proto__']: 'x',
    }
    expect(fieldTexts(dated, hostile)).toEqual(initial)
    const fitting = {
      to: 'production',
      force: 'true',
      steps: 'three',
      due: '2026-02-28',
      note: '<b>',
    }
    expect(fieldTexts(dated, fitting)).toEqual({ ...initial, ...fitting })
  })

  test('of a schema without properties has none', () => {
    expect(readInput({}, {})).toEqual({})
  })
})
