import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openFeed } from '../../harness/open-feed.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'
import { decideAsShown, requestNamed } from './as-shown.ts'

const database = await createTestDatabase()
const live = openFeed(database)
const api = disposeAfterTests(await createTestApi({ database, events: live.feed }))
disposeAfterTests(live)
const grace = await api.signIn(api.people.grace)
const linus = await api.signIn(api.people.linus)
const ada = await createProgram(api, await api.signIn(api.people.ada))

const address = (query = ''): URL => new URL(`/mcp${query}`, api.url)
const requestInit = { headers: { authorization: `Bearer ${ada.key}` } }

interface Asked {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** A client of each revision of the protocol, as its own package makes it. */
const connections = {
  '2026-07-28': async (url: URL) => {
    const versionNegotiation = { mode: 'auto' as const }
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return {
      client,
      call: (asked: Asked) => client.callTool(asked, { timeout: 60_000 }),
    }
  },
  '2025-11-25': async (url: URL) => {
    const client = new LegacyClient({ name: 'agent', version: '1' })
    await client.connect(new LegacyTransport(url, { requestInit }))
    return {
      client,
      call: (asked: Asked) => client.callTool(asked, undefined, { timeout: 60_000 }),
    }
  },
}
const revisions = Object.keys(connections) as (keyof typeof connections)[]

let uses = 0
async function connect(revision: keyof typeof connections, query?: string) {
  const { call, client } = await connections[revision](address(query))
  return {
    tools: async () => (await client.listTools()).tools,
    ask: async (question: Record<string, unknown>): Promise<unknown> => {
      const { content } = await call({ name: 'approve', arguments: question })
      const [block] = content as { text: string }[]
      return JSON.parse(block?.text ?? '')
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
const nameOf = (use: string): string => `claude-code:permission-prompt-tool:${use}`
const question = (input: object = { to: `stage ${uses}` }) => {
  const tool_use_id = `toolu_mcp_${++uses}`
  return { tool_name: 'Deploy', input, tool_use_id }
}
const denial = (text: string) => ({ behavior: 'deny', message: expect.stringContaining(text) })

describe.each(revisions)('the permission tool over HTTP, for clients of %s', (revision) => {
  test('is the only tool, and waits for the approval of somebody else', async () => {
    await using agent = await connect(revision)
    expect((await agent.tools()).map(({ name }) => name)).toEqual(['approve'])
    const one = question()
    const answer = agent.ask(one)
    const request = await requestNamed(api, grace, nameOf(one.tool_use_id))
    expect(request).toMatchObject({ tool: 'Deploy', risk: 'high', input: one.input })
    expect((await decideAsShown(grace, request, 'approve')).status).toBe(200)
    expect(await answer).toEqual({ behavior: 'allow', updatedInput: one.input })
    // The permit is taken once.
    expect(await agent.ask(one)).toEqual(denial('carried out before'))
  })

  test('answers a denial with its reason, and a changed call with the approved arguments', async () => {
    await using agent = await connect(revision)
    const denied = question()
    const no = agent.ask(denied)
    const first = await requestNamed(api, grace, nameOf(denied.tool_use_id))
    await decideAsShown(grace, first, 'deny', 'not on a Friday')
    expect(await no).toEqual(denial('not on a Friday'))
    const changed = question()
    const yes = agent.ask(changed)
    const {
      id,
      digest,
      revision: number,
    } = await requestNamed(api, linus, nameOf(changed.tool_use_id))
    const input = { to: 'canary' }
    await linus.post(`/v1/requests/${id}/revisions`, { input, digest, revision: number })
    const now = await requestNamed(api, grace, nameOf(changed.tool_use_id))
    await decideAsShown(grace, now, 'approve')
    expect(await yes).toEqual({ behavior: 'allow', updatedInput: input })
  })

  test('denies a call that nobody decided in time; the same call goes on with its request', async () => {
    await using agent = await connect(revision, '?wait=1')
    const one = question()
    expect(await agent.ask(one)).toEqual(denial('waits as #'))
    const request = await requestNamed(api, grace, nameOf(one.tool_use_id))
    await decideAsShown(grace, request, 'approve')
    await using later = await connect(revision)
    expect(await later.ask({ ...one, tool_use_id: 'toolu_of_another_session' })).toEqual({
      behavior: 'allow',
      updatedInput: one.input,
    })
  })

  test('denies what is no question, and a worker that does not exist, with a sentence', async () => {
    await using agent = await connect(revision, '?worker=nobody')
    for (const odd of [{}, { tool_name: 'Deploy' }, { tool_name: '', input: {} }]) {
      expect(await agent.ask(odd)).toEqual(denial('Countersign: '))
    }
    expect(await agent.ask(question())).toEqual(denial('nobody'))
  })
})

test('the permission tool is for keys that may ask and read, and says where its address is described', async () => {
  const init = { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
  const nobody = await api.ask('/mcp', init)
  expect(nobody.status).toBe(401)
  const metadata = '/.well-known/oauth-protected-resource/mcp'
  expect(nobody.headers.get('www-authenticate')).toContain(`${metadata}"`)
  expect((await api.ask(metadata)).body).toMatchObject({
    resource: expect.stringMatching(/\/mcp$/),
  })
  const asker = await createProgram(api, grace, ['requests:write'])
  const headers = { authorization: `Bearer ${asker.key}` }
  expect((await api.ask('/mcp', { ...init, headers })).status).toBe(403)
  for (const query of ['?wait=-1', '?wait=soon', '?other=1']) {
    const authorization = `Bearer ${ada.key}`
    expect((await api.ask(`/mcp${query}`, { ...init, headers: { authorization } })).status).toBe(
      422,
    )
  }
})

// Rules: security.md 26
test('a page of another site cannot use MCP, whatever key it has', async () => {
  const send = (path: string, origin: string) =>
    api.ask(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.key}`,
        accept: 'application/json, text/event-stream',
        origin,
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    })
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
    expect(await send('/mcp', origin)).toMatchObject({
      status: 403,
      body: { code: 'csrf_failed' },
    })
    expect((await send('/mcp/files', origin)).status).toBe(403)
  }
  expect((await send('/mcp', new URL(api.url).origin)).status).toBe(200)
})
