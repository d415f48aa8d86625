import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  customTool,
  judgeFixtureCall,
  projectWith,
  usualWorkspace,
  usualZones,
  type UsualWorkspace,
} from '#test/harness/fixtures/judging.ts'
import type { PolicyQuery } from '../calls/policy-query.ts'

let place: UsualWorkspace

beforeAll(async () => {
  place = await usualWorkspace()
})
afterAll(() => place[Symbol.dispose]())

const name = 'mcp__files__read_file'
const changed = 'the MCP server files has changed the definition of read_file'

async function word(
  tools: string,
  more: {
    changed?: string | null
    forged?: string
    own?: string
    query?: Partial<PolicyQuery>
  } = {},
) {
  const project = projectWith(
    `${usualZones}\nmcpServers: { files: { command: files, tools: { ${tools} } } }\n${more.own ?? ''}`,
  )
  const { changed: because = null, forged = null } = more
  const claims = { title: null, annotations: {}, transport: 'pipe' } as const
  const server = { name: 'files', tool: 'read_file', ...claims, changed: because, forged }
  const call = { tool: name, input: {}, tools: [customTool({ name, server })] }
  return judgeFixtureCall(project, place, call, more.query)
}

// Rules: product.md 25
describe('an MCP tool', () => {
  test('asks, unless the worker’s file says otherwise', async () => {
    expect(await word('')).toMatchObject({
      verdict: 'ask',
      reason: expect.stringContaining('files'),
    })
    expect(await word('read_file: ask')).toMatchObject({ verdict: 'ask' })
    expect(await word('other: preApproved')).toMatchObject({ verdict: 'ask' })
    expect(await word('read_file: preApproved')).toMatchObject({
      verdict: 'preApproved',
      rule: { source: expect.stringContaining('workers/') },
    })
    expect(await word('read_file: { blocked: not here }')).toMatchObject({
      verdict: 'blocked',
      reason: expect.stringContaining('not here'),
    })
  })

  test('whose definition changed asks with the reason, whatever the file says; a blocked one stays blocked', async () => {
    const asks = { verdict: 'ask', rule: { id: 'mcp:changed' }, reason: `${changed}: it asks` }
    expect(await word('read_file: preApproved', { changed })).toMatchObject(asks)
    const own = `tools: { ${name}: { approval: preApproved } }`
    expect(await word('', { changed, own })).toMatchObject(asks)
    expect(await word('read_file: blocked', { changed })).toMatchObject({ verdict: 'blocked' })
  })

  test('is made stricter by the worker’s own entry, never milder', async () => {
    const own = (approval: string): string => `tools: { ${name}: { approval: ${approval} } }`
    expect(await word('read_file: preApproved', { own: own('blocked') })).toMatchObject({
      verdict: 'blocked',
    })
    expect(await word('read_file: ask', { own: own('preApproved') })).toMatchObject({
      verdict: 'ask',
    })
  })

  // Rules: security.md 13
  test('whose pin is not the signed one is an error, whatever the file, the mode and grants say', async () => {
    const forged = 'what it is pinned to was changed in the database'
    const refused = { verdict: 'error', rule: { id: 'mcp:forged' }, reason: forged }
    for (const tools of ['read_file: preApproved', 'read_file: ask', '']) {
      expect(await word(tools, { forged })).toMatchObject(refused)
    }
    const grant = async () => ({ id: 'g', text: 'granted' })
    for (const query of [{ runMode: 'approve_all' as const }, { findGrant: grant }]) {
      expect(await word('read_file: ask', { forged, query })).toMatchObject(refused)
    }
  })
})
