import { expect, test } from 'vitest'
import { JsonProblem, parseStrictJson } from '#api/body/strict-json.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { mutateBytes } from './mutate.ts'
import { seedOfRun } from '../seed-of-run.ts'

const documents = 100_000
const keys = [
  '"a"',
  '"b"',
  '"\\u0061"',
  '"__proto__"',
  '"__prot\\u006f__"',
  '""',
  '"é"',
  '"\\ud83d\\ude00"',
]
const numbers = [
  '0',
  '-0',
  '-0.0',
  '0e9',
  '1',
  '1.50',
  '1e2',
  '1E+2',
  '120e-1',
  '0.1',
  '0.30000000000000004',
  '0.1000000000000000055',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '1e22',
  '1e-400',
  '1e400',
  '-1e400',
  '5e-324',
  '1e99999999999999999999',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
]
const texts = [
  '"x"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\""',
  '"\\\\"',
  '"{\\"a\\":1,"',
  '"\\u0000"',
  '"\\x"',
  '"\u0001"',
  '"a:b"',
  "'a'",
]
const words = ['true', 'false', 'null', 'NaN', 'Infinity', 'undefined', 'nul', '']
const blanks = ['', '', '', ' ', '\n', '\t\r', '\u00a0', '\ufeff', '/**/']
const pieces = [
  ...keys,
  ...numbers,
  ...texts,
  ...words,
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\ufeff',
  '\0',
]

function anyValue(choose: Choices, depth: number): string {
  const blank = choose.percent(5) ? choose.one(blanks) : ''
  if (depth > 0 && choose.percent(45)) {
    const members = Array.from({ length: choose.number(5) }, () => anyValue(choose, depth - 1))
    return choose.percent(50)
      ? `${blank}[${members.join(',')}]`
      : `${blank}{${members.map((value) => `${choose.one(keys)}:${value}`).join(',')}}`
  }
  return blank + choose.one(choose.one([numbers, texts, words.slice(0, choose.percent(3) ? 8 : 3)]))
}

function anyDocument(choose: Choices): Buffer {
  if (choose.percent(2)) {
    const levels = 95 + choose.number(10)
    const [open, close] = choose.one([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"":', '}]'],
    ] as const)
    return Buffer.from(`${open.repeat(levels)}1${close.repeat(levels)}`)
  }
  const document = Buffer.from(anyValue(choose, 1 + choose.number(5)))
  return choose.percent(50) ? document : mutateBytes(choose, document, pieces)
}

/** Whether the value is what the bytes say to every reader, found without the reader's own code. */
function isClear(text: string, value: unknown): boolean {
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
  const found = { members: 0, clear: true }
  look(value, 1, found)
  const written = outside.split(':').length - 1
  const numbersClear = (outside.match(/-?\d[\d.eE+-]*/g) ?? []).every(isExact)
  return found.clear && found.members === written && numbersClear
}

function look(value: unknown, depth: number, found: { members: number; clear: boolean }): void {
  if (typeof value === 'string') found.clear &&= value.isWellFormed()
  if (typeof value !== 'object' || value === null) return
  found.clear &&= depth <= 100
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      found.members += 1
      found.clear &&= key.isWellFormed() && key !== '__proto__'
    }
    look(member, depth + 1, found)
  }
}

/** Whether a double's shortest form is the very number that was written, by exact arithmetic. */
function isExact(literal: string): boolean {
  const value = Number(literal)
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const [one, other] = [fractionOf(literal), fractionOf(String(value))]
  return one.digits * 10n ** BigInt(other.places) === other.digits * 10n ** BigInt(one.places)
}

/** `digits / 10^places`; an exponent beyond all doubles is as good as -2000. */
function fractionOf(literal: string): { digits: bigint; places: number } {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Math.max(-2000, Math.min(2000, Number(exponent)))
  const digits = BigInt(`${whole}${fraction}`)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

function parsedPlainly(bytes: Buffer): { text: string; value: unknown } | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

function parsedStrictly(bytes: Buffer): { value: unknown } | JsonProblem {
  try {
    return { value: parseStrictJson(bytes) }
  } catch (error) {
    if (error instanceof JsonProblem) return error
    throw error
  }
}

// Rules: security.md 22, 34
test(`of ${documents} random bodies exactly those that mean one thing are read, as what they say`, () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  let read = 0
  let refusedAlone = 0
  for (let round = 0; round < documents; round += 1) {
    const bytes = anyDocument(choose)
    const what = `SEED=${seed} round ${round}: ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`
    let strict: ReturnType<typeof parsedStrictly> = { value: null }
    const spentMs = cpuMsOf(() => {
      strict = parsedStrictly(bytes)
    })
    expect(spentMs, what).toBeLessThan(1000)
    const plain = parsedPlainly(bytes)
    const clear = plain !== null && isClear(plain.text, plain.value)
    expect(
      'value' in strict,
      `${what}: ${strict instanceof JsonProblem ? strict.message : ''}`,
    ).toBe(clear)
    if (!('value' in strict)) {
      refusedAlone += plain === null ? 0 : 1
      continue
    }
    read += 1
    expect(strict.value, what).toEqual(plain?.value)
    const canonical = canonicalJson(strict.value)
    expect(canonicalJson(parseStrictJson(Buffer.from(canonical))), what).toBe(canonical)
  }
  // A test that reads nothing, or refuses nothing that JSON.parse reads, would hold of any reader.
  expect(read).toBeGreaterThan(documents / 20)
  expect(refusedAlone).toBeGreaterThan(documents / 20)
}, 240_000)
