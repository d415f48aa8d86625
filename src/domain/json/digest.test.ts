import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './digest.ts'

/** The output of the reference, or its refusal. */
function reference(value: unknown): string {
  try {
    return canonicalize(value) ?? 'refused'
  } catch {
    return 'refused'
  }
}

function written(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch {
    return 'refused'
  }
}

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('10', '9', '-1', '01', '__proto__', 'toJSON', 'constructor', '', '\ud800', 'é'),
)

describe('canonicalJson', () => {
  it('writes every value byte by byte as the reference does, and refuses what it refuses', () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(null, undefined, -0, '\udc00', 'a\ud800', '\u2028', new Date(0)),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(names, tie('value'), { maxKeys: 6 }),
        fc.dictionary(names, tie('value'), { maxKeys: 6, noNullPrototype: false }),
      ),
    })).value
    fc.assert(
      fc.property(values, (value) => {
        expect(written(value)).toBe(reference(value))
      }),
      { numRuns: 3000 },
    )
  })

  it('writes members in the order of their UTF-16 code units, also of names that are numbers', () => {
    const value = { b: 1, a: [{ z: null, y: 'é' }], '10': 0, '9': 0, '\u{1f600}': 0, '\ufb33': 0 }
    expect(canonicalJson(value)).toBe(
      '{"10":0,"9":0,"a":[{"y":"é","z":null}],"b":1,"\u{1f600}":0,"\ufb33":0}',
    )
  })

  it.each([
    ['NaN', { a: Number.NaN }, 'NaN'],
    ['an infinity', [Number.POSITIVE_INFINITY], 'Infinity'],
    ['a lone surrogate', { a: 'x\ud800' }, 'Lone surrogate'],
    ['a name with a lone surrogate', { '\udfff': 1 }, 'Lone surrogate'],
    ['undefined', undefined, 'no canonical JSON form'],
    ['a big integer', { a: 1n }, 'BigInt'],
  ])('refuses %s', (_, value, message) => {
    expect(() => canonicalJson(value)).toThrow(message)
  })

  it('refuses values that contain themselves, and writes values that are nested ten thousand deep', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(() => canonicalJson(circle)).toThrow('Circular')
    let deep: unknown = 0
    for (let level = 0; level < 10_000; level += 1) deep = [deep]
    expect(canonicalJson(deep)).toBe(`${'['.repeat(10_000)}0${']'.repeat(10_000)}`)
  })
})
