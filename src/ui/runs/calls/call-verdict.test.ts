import { expect, test } from 'vitest'
import { callVerdict } from './call-verdict.ts'

const rule = (text: string, id = 'r') => ({ id, text, source: null })

test('the verdict on a call is said once, by its rule or before it', () => {
  const words = (verdict: 'preApproved' | 'blocked', text: string) =>
    callVerdict({ verdict, rule: rule(text) })
  expect(words('preApproved', 'zone notes: read is pre-approved')).toBe(
    'zone notes: read is pre-approved',
  )
  expect(words('preApproved', 'granted by Grace')).toBe('pre-approved: granted by Grace')
  expect(words('blocked', 'zone notes: delete is blocked')).toBe('zone notes: delete is blocked')
  expect(words('blocked', 'the command could read .env')).toBe(
    'blocked: the command could read .env',
  )
  expect(callVerdict({ verdict: 'ask', rule: rule('zone notes: write asks') })).toBe(
    'zone notes: write asks',
  )
  const strict = rule('the run\'s mode "strict" denies what would ask: …', 'mode:strict')
  expect(callVerdict({ verdict: 'ask', rule: strict })).toBe('denied by the mode “Strict”')
})
