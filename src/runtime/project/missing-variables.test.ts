import { expect, test } from 'vitest'
import { policyWith } from '#tools/mcp/mcp.fixture.ts'
import { warnOfMissingVariables } from './missing-variables.ts'

test('a variable that an MCP server is given and that is not set is a warning where the server is declared', () => {
  const policy = policyWith({
    wiki: '{ type: http, url: "https://wiki.example.com", headers: { a: "${ONE} ${TWO}" } }',
    files: '{ command: files, args: ["${NOT_FILLED}"], env: { B: "${TWO}" } }',
  })
  expect(warnOfMissingVariables(policy, { ONE: '1', TWO: '2' })).toEqual([])
  expect(warnOfMissingVariables(policy, { ONE: '1' })).toMatchObject([
    { file: 'workers/w.md', line: 6, problem: expect.stringContaining('"wiki" is given TWO') },
    { file: 'workers/w.md', line: 7, problem: expect.stringContaining('"files" is given TWO') },
  ])
})
