import { expect, test } from 'vitest'
import { z } from 'zod'
import { issueSentence } from './issue-sentence.ts'
import { issueSentences } from './issue-sentences.ts'

const anOption = z.enum(['prompt', 'strict', 'approve_all'])

test.each([
  [z.string(), undefined, 'is missing'],
  [z.string(), 3, 'must be text'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), '3', 'must be a number'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.strictObject({}), [], 'must be an object'],
  [anOption, 'yolo', 'must be prompt, strict or approve_all'],
  [z.literal('once'), 'twice', 'must be once'],
  [z.string().min(1), '', 'must not be empty'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.string().min(3), 'ab', 'must have at least 3 characters'],
  [z.string().max(3), 'abcd', 'must have at most 3 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entries'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().max(9), 10, 'must be at most 9'],
  [z.email(), 'ada at example', 'must be an e-mail address'],
  [z.union([z.string(), z.literal(false)]), undefined, 'is missing'],
  [z.union([z.string(), z.literal(false)]), 3, 'must be text, or must be false'],
  [
    z.union([z.string(), z.strictObject({ a: z.int() })]),
    { a: 'x' },
    'must be text, or a: must be a number',
  ],
  [z.union([z.string(), z.int()], 'is neither'), false, 'is neither'],
  [z.string().max(3, 'is over 3 characters'), 'abcd', 'is over 3 characters'],
])('the issue of a value is said in words (%#)', (schema: z.ZodType, value, sentence) => {
  expect(schema.safeParse(value).error?.issues.map(issueSentence)).toEqual([sentence])
})

test('problems of an input begin with the field, and those of other libraries keep their words', () => {
  const schema = z.strictObject({
    a: z.number(),
    b: z.strictObject({ c: z.string() }),
    d: z.string(),
  })
  const { error } = schema.safeParse({ a: 'x', b: { c: 1 } })
  const sentences = ['a: must be a number', 'b.c: must be text', 'd: is missing']
  expect(issueSentences(error?.issues ?? [])).toEqual(sentences)
  const other = { code: 'domain', message: 'must be a cat', path: [{ key: 'pet' }] }
  expect(issueSentences([other])).toEqual(['pet: must be a cat'])
  const ofZod3 = { code: 'invalid_union', unionErrors: [], message: 'Invalid input', path: ['to'] }
  expect(issueSentences([ofZod3])).toEqual(['to: Invalid input'])
})
