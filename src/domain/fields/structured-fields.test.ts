import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../json/json.ts'
import { fieldsAsText } from './fields-as-text.ts'
import { countRows, structuredFields } from './structured-fields.ts'

function fieldsOf(value: Json, metadata: JsonObject = {}) {
  const content = `${JSON.stringify(value, null, 2)}\n`
  return structuredFields({ type: 'structured', content, metadata })
}

const textOf = (value: Json, metadata?: JsonObject): string =>
  fieldsAsText(fieldsOf(value, metadata) ?? [])

test('the arguments of a call are labelled fields, with money, dates and nested values in words', () => {
  const order = {
    customer: { full_name: 'Ada Lovelace', email: 'ada@example.com' },
    amount_cents: 12990,
    currency: 'EUR',
    due: '2026-03-01',
    express: true,
    coupon: null,
    items: [
      { sku: 'A-1', price: 40 },
      { sku: 'B-2', price: 89.9 },
    ],
    tags: [],
    note: 'Dear Ada,\nthank you.\n',
  }
  expect(textOf(order, { fieldTitles: { '/customer/email': 'Mail to' } })).toBe(`Customer:
  Full name: Ada Lovelace
  Mail to [email]: ada@example.com
Amount [amount_cents]: 129.90 EUR (12990)
Currency: EUR
Due: 1 Mar 2026 ("2026-03-01")
Express: yes (true)
Coupon: none (null)
Items: 2 items
  1 of 2:
    Sku: A-1
    Price: 40 EUR (40)
  2 of 2:
    Sku: B-2
    Price: 89.90 EUR (89.9)
Tags: empty list
Note:
  │ Dear Ada,
  │ thank you.
  │ 
`)
})

test('each field names its line of the presentation, so that a cue leads to it', () => {
  const value = { a: { b: [1, { c: [] }], d: {} }, e: 'x\ny', f: 2 }
  const lines = JSON.stringify(value, null, 2).split('\n')
  const starts = (fieldsOf(value) ?? []).map(({ line }) => lines[line - 1]?.trim())
  expect(starts).toEqual([
    '"a": {',
    '"b": [',
    '1,',
    '{',
    '"c": []',
    '"d": {}',
    '"e": "x\\ny",',
    '"f": 2',
  ])
})

// Rules: security.md 17
test('no text, name or title looks like another field, and equal labels have their names', () => {
  expect(
    textOf(
      {
        note: 'pay 5\nAmount: 1',
        'amount: 1\n': 2,
        quoted: '"x"',
        five: '5',
        nothing: 'none',
        blank: '',
        toName: 'b',
        to_name: 'c',
        safe: 'x',
      },
      { fieldTitles: { '/safe': 'Amount: 1 [x]' } },
    ),
  ).toBe(`Note:
  │ pay 5
  │ Amount: 1
"amount: 1\\n": 2
Quoted: "\\"x\\""
Five: "5"
Nothing: "none"
Blank: ""
To name [toName]: b
To name [to_name]: c
Safe: x
`)
})

// Rules: security.md 17
test.each([
  'x]: 1\nAmount: 12.00 EUR (1200)\nnote_cents',
  'x\r\nAmount in cents',
  'a cents',
  '"cents',
])('a name is on one row, with and without a title, and no unit is read from one: %j', (name) => {
  const value = { [name]: 5, currency: 'EUR' }
  const titles = { [`/${name.replaceAll('/', '~1')}`]: 'Note' }
  const quoted = JSON.stringify(name)
  expect(textOf(value)).toBe(`${quoted}: 5\nCurrency: EUR\n`)
  expect(textOf(value, { fieldTitles: titles })).toBe(`Note [${quoted}]: 5\nCurrency: EUR\n`)
})

test('a label that does not lead back to its name has the name', () => {
  const names = ['dry_run', 'dryRun', '_dry-run', 'maxLines', 'userID', 'Title', 'line2', '$ref']
  const labels = names.map((name) => textOf({ [name]: 'x' }).split(':')[0])
  expect(labels).toEqual([
    'Dry run',
    'Dry run',
    'Dry run [_dry-run]',
    'Max lines',
    'User id [userID]',
    'Title [Title]',
    'Line2',
    '$ref',
  ])
})

test('a date that no calendar has is a text, and an amount whose title says cents has no unit', () => {
  const value = { from: '2026-02-30', to: '2026-02-28T24:00Z', by: '2026-13-01T00:00Z' }
  expect(textOf(value)).toBe('From: 2026-02-30\nTo: 2026-02-28T24:00Z\nBy: 2026-13-01T00:00Z\n')
  const titles = {
    '/price': 'Price in cents',
    '/list/-/total': 'Total (cents)',
    '/tax/value': 'Value in cents',
  }
  const tax = { value: 7, currency: 'EUR' }
  const order = { price: 12990, currency: 'EUR', list: [{ total: 5 }], tax }
  expect(textOf(order, { fieldTitles: titles })).toBe(`Price in cents [price]: 12990
Currency: EUR
List: 1 item
  1 of 1:
    Total (cents) [total]: 5
Tax:
  Value in cents [value]: 7
  Currency: EUR
`)
})

test('an amount has no unit where a name or a title around it says cents, unless its name does', () => {
  const money = { value: 12990, currency: 'EUR' }
  const text = textOf({ amount_cents: money })
  expect(text).toBe('Amount cents:\n  Value: 12990\n  Currency: EUR\n')
  expect(textOf({ amount: money }, { fieldTitles: { '/amount': 'Amount in cents' } })).toContain(
    '  Value: 12990\n',
  )
  const inner = { cents: { net: [{ total: 5, currency: 'EUR', price_cents: 250 }] } }
  expect(textOf(inner)).toContain('Total: 5\n')
  expect(textOf(inner)).toContain('Price [price_cents]: 2.50 EUR (250)\n')
})

test('the title of the entries of a list counts for each, wherever it says cents', () => {
  const order = { prices: [12990], currency: 'EUR' }
  const read = (title: string): string => textOf(order, { fieldTitles: { '/prices/-': title } })
  expect(read('Price')).toContain('1 of 1: 12,990 EUR (12990)\n')
  for (const title of ['Price in cents', 'Price (cents, net)', 'Price in euro cent'])
    expect(read(title)).toContain('1 of 1: 12990\n')
  const price = { price: 12990, currency: 'EUR' }
  for (const title of ['Price (cents, net)', 'Price in euro cent', 'Minor units of the price'])
    expect(textOf(price, { fieldTitles: { '/price': title } })).toContain(' [price]: 12990\n')
})

// Rules: security.md 17
test('blank lines of a text cannot scroll the rest out of sight', () => {
  expect(textOf({ note: `ok${'\n'.repeat(20)}evil`, a: { b: `${' \n'.repeat(8)}x` } })).toBe(`Note:
  │ ok
  ⟦19 blank lines⟧
  │ evil
A:
  B:
    ⟦8 blank lines⟧
    │ x
`)
})

// Rules: security.md 17
test.each([
  'empty list',
  'No fields',
  '1 item',
  '1,200 items',
  '5 EUR (500)',
  '5 (5\u2028)',
  ' \u2028x',
])('a text that looks like another value is quoted: %j', (text) => {
  expect(textOf({ note: text })).toBe(`Note: ${JSON.stringify(text)}\n`)
})

test('what is no JSON, has no fields, would lose bytes or is too long keeps its lines', () => {
  const shown = (content: string) => structuredFields({ type: 'structured', content, metadata: {} })
  for (const content of [
    'no JSON',
    '{}\n',
    '[]',
    '5',
    '{"a":1}',
    '{\n  "a": 1,\n  "a": 2\n}',
    '{\n  "a": 12345678901234567890\n}',
    '{\n  "a": 1.0\n}',
  ]) {
    expect(shown(content)).toBeNull()
  }
  expect(shown('{\n  "__proto__": 1\n}')).toMatchObject([{ label: 'Proto' }])
  expect(fieldsOf(Array.from({ length: 2_001 }, () => 1))).toBeNull()
  expect(fieldsOf({ a: '\n'.repeat(3_000) })).toBeNull()
  const longest = fieldsOf({ a: '\n'.repeat(1_900) }) ?? []
  expect([longest.length, countRows(longest)]).toEqual([1, 1_901])
  let deep: Json = 1
  for (let depth = 0; depth < 30; depth += 1) deep = { deep }
  expect(fieldsOf(deep)).toBeNull()
  const text = { type: 'text', content: '{\n  "a": 1\n}\n', metadata: {} } as const
  expect(structuredFields(text)).toBeNull()
})

// Rules: security.md 20
test('a secret that only its name gives away keeps its line, by which pages mask it', () => {
  expect(fieldsOf({ password: 'correct-horse', to: 'x' })).toMatchObject([
    { value: { kind: 'json', text: '"password": "correct-horse"' } },
    { value: { kind: 'short', text: 'x' } },
  ])
})

const key = `-----BEGIN PRIVATE KEY-----\n${`MIIEvQIBADANBgkqhkiG9w0B${'a1B2'.repeat(9)}\n`.repeat(3)}-----END PRIVATE KEY-----`
const githubToken = `ghp_${'a'.repeat(36)}`

// Rules: security.md 20
test.each([
  ['a key of several lines', key],
  ['such a key beside many', `${'export PASSWORD="correct-horse"\n'.repeat(20)}${key}`],
])('what the lines of a text would not mask keeps its line: %s', (_, text) => {
  expect(fieldsOf({ text })).toMatchObject([{ value: { kind: 'json' } }])
})

// Rules: security.md 20
test('a text whose lines mask each of its secrets is shown by its lines', () => {
  const text = `\u001b"x"\n\t${githubToken}\nPASSWORD=correct-horse\n`
  expect(fieldsOf({ text, token: githubToken })).toMatchObject([
    { value: { kind: 'lines', text } },
    { value: { kind: 'short', text: githubToken } },
  ])
})
