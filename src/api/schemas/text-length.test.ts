import { expect, test } from 'vitest'
import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { requireReasonFits } from '#services/core/problems/invalid.ts'
import { parseDecision } from '#services/requests/facts/decision-input.ts'
import { reason, text } from './common.ts'

const rockets = '🚀'.repeat(limits.reasonCharacters)

// Rules: security.md 24
test('the bound of a text counts code points, as the API document says', () => {
  expect(text(3).safeParse('🚀🚀🚀').success).toBe(true)
  expect(text(3).safeParse('🚀🚀🚀a').error?.issues[0]?.message).toBe('is over 3 characters')
  expect(z.toJSONSchema(text(3).describe('A text'))).toMatchObject({ maxLength: 3 })
})

test('a reason may have as many characters in a decision as in every other act', () => {
  const decide = (words: string) =>
    parseDecision({ decision: 'deny', digest: 'sha256:0', revision: 1, reason: words })
  expect(decide(rockets).reason).toBe(rockets)
  expect(reason.safeParse(rockets).success).toBe(true)
  expect(() => decide(`${rockets}a`)).toThrow(
    `reason is over ${limits.reasonCharacters} characters`,
  )
  expect(reason.safeParse(`${rockets}a`).success).toBe(false)
  for (const words of [rockets, null]) expect(() => requireReasonFits(words)).not.toThrow()
  expect(() => requireReasonFits(`${rockets}a`)).toThrow(
    `reason is over ${limits.reasonCharacters} characters`,
  )
})
