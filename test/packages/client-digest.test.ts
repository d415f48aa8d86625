import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callDigest as servicesDigest, canonicalJson as servicesForm } from '#domain/json/digest.ts'
import { callDigest, canonicalJson } from '../../packages/client/src/digest.ts'

test('a program writes every JSON value as the service does, so that both mean the same digest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(canonicalJson(value)).toBe(servicesForm(value))
      const call = { tool: 'deploy', input: { value }, toolHash: 'sha256:0' }
      expect(await callDigest(call)).toBe(
        servicesDigest(call as Parameters<typeof servicesDigest>[0]),
      )
    }),
    { numRuns: 300 },
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, 1n, { a: [() => 1] }])(
  'what JSON cannot carry is refused: %s',
  (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  },
)
