import { expect, test } from 'vitest'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { canonicalCall } from './canonical-call.ts'

const anything = {
  name: 'transfer',
  definitionHash: 'none',
  parse: async (input: Json) => ({ ok: true, input: input as JsonObject }),
  accesses: () => [],
} as unknown as Tool

// Rules: security.md 34
test('a call with a number beyond 2^53 is an error to the model, with the path of the number', async () => {
  const amount = JSON.parse('9007199254740993') as number
  const call = await canonicalCall(anything, { to: [{ amount }] }, null)
  expect(call).toEqual({ error: expect.stringContaining('the number at to[0].amount is beyond') })
})

test('a call with the largest number that all parsers read alike has a digest', async () => {
  const call = await canonicalCall(anything, { amount: Number.MAX_SAFE_INTEGER }, null)
  expect(call).toMatchObject({ call: { digest: expect.stringMatching(/^sha256:/) } })
})

test('a call whose input could not be read is not reported as invalid', async () => {
  const problem = 'The MCP server wiki does not answer: fetch failed.'
  const parse = async () => ({ ok: false, problems: [problem], isUnread: true })
  const call = await canonicalCall({ ...anything, parse } as unknown as Tool, {}, null)
  expect(call).toEqual({ error: problem })
})
