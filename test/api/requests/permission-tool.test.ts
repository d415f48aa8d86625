import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'
import { decideAsShown, requestNamed } from './as-shown.ts'

const api = disposeAfterTests(await createTestApi({ events: 'live' }))
const grace = await api.signIn(api.people.grace)
const linus = await api.signIn(api.people.linus)
const ada = await createProgram(api, await api.signIn(api.people.ada))

const address = (query = ''): URL => new URL(`/mcp${query}`, api.url)
const initOf = (headers: Readonly<Record<string, string>>) => ({
  requestInit: { headers: { authorization: `Bearer ${ada.key}`, ...headers } },
})
const shop = { 'countersign-root': '/srv/shop' }

interface How {
  readonly onprogress?: (progress: { progress: number }) => void
  readonly signal?: AbortSignal
}

interface Asked {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** A client of each revision of the protocol, as its own package makes it. */
const connections = {
  '2026-07-28': async (url: URL, options: ReturnType<typeof initOf>) => {
    const versionNegotiation = { mode: 'auto' as const }
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(url, options))
    return {
      client,
      call: (request: Asked, how: How) => client.callTool(request, { timeout: 60_000, ...how }),
    }
  },
  '2025-11-25': async (url: URL, options: ReturnType<typeof initOf>) => {
    const client = new LegacyClient({ name: 'agent', version: '1' })
    await client.connect(new LegacyTransport(url, options))
    return {
      client,
      call: (request: Asked, how: How) =>
        client.callTool(request, undefined, { timeout: 60_000, ...how }),
    }
  },
}
const revisions = Object.keys(connections) as (keyof typeof connections)[]

let uses = 0
async function connect(
  revision: keyof typeof connections,
  query?: string,
  headers: Readonly<Record<string, string>> = shop,
) {
  const { call, client } = await connections[revision](address(query), initOf(headers))
  return {
    tools: async () => (await client.listTools()).tools,
    ask: async (question: Record<string, unknown>, how: How = {}): Promise<unknown> => {
      const { content } = await call({ name: 'approve', arguments: question }, how)
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
    expect(await agent.ask(one)).toEqual(denial('has taken its permit'))
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

  test('denies an invalid question, and one about a worker that does not exist, with a sentence', async () => {
    await using agent = await connect(revision, '?worker=nobody')
    for (const [odd, why] of [
      [{}, 'not a question: tool_name is missing'],
      [{ tool_name: 'Deploy' }, 'not a question: input is not an object'],
      [{ tool_name: '', input: {} }, 'not a question: tool_name is not a text'],
    ] as const) {
      expect(await agent.ask(odd)).toEqual(denial(why))
    }
    expect(await agent.ask(question())).toEqual(denial('nobody'))
  })

  // Rules: security.md 1
  test('an approval counts in the same folder of the same machine only, and without a folder for its call only', async () => {
    const one = question()
    const here = { ...shop, 'countersign-host': 'one' }
    const elsewhere = [
      { ...shop, 'countersign-host': 'two' },
      { ...here, 'countersign-root': '/srv/other' },
      shop,
      {},
    ]
    const ask = async (headers: Readonly<Record<string, string>>, tool_use_id: string) => {
      await using agent = await connect(revision, '?wait=0', headers)
      return await agent.ask({ ...one, tool_use_id })
    }
    const approve = async (use: string) =>
      decideAsShown(grace, await requestNamed(api, grace, nameOf(use)), 'approve')
    expect(await ask(here, one.tool_use_id)).toEqual(denial('waits as #'))
    await approve(one.tool_use_id)
    for (const [index, headers] of elsewhere.entries()) {
      const use = `${one.tool_use_id}_${index}`
      expect(await ask(headers, use)).toEqual(denial('waits as #'))
      expect(await requestNamed(api, grace, nameOf(use))).toMatchObject({ state: 'pending' })
    }
    const allowed = { behavior: 'allow', updatedInput: one.input }
    expect(await ask(here, `${one.tool_use_id}_here`)).toEqual(allowed)
    // Without a folder, only the call of this id goes on.
    const rootless = `${one.tool_use_id}_3`
    await approve(rootless)
    expect(await ask({}, `${rootless}_again`)).toEqual(denial('settings name no folder'))
    expect(await ask({}, rootless)).toEqual(allowed)
  })

  test('a client that asks for progress gets it while its call waits', async () => {
    await using agent = await connect(revision)
    const one = question()
    const firstProgress = Promise.withResolvers<number>()
    const onprogress = ({ progress }: { progress: number }) => firstProgress.resolve(progress)
    const answer = agent.ask(one, { onprogress })
    expect(await firstProgress.promise).toBeGreaterThan(0)
    const request = await requestNamed(api, grace, nameOf(one.tool_use_id))
    await decideAsShown(grace, request, 'deny', 'no')
    expect(await answer).toEqual(denial('no'))
  })

  test('the permit of a call whose client has gone stays for the next equal call', async () => {
    const one = question()
    const stop = new AbortController()
    {
      await using gone = await connect(revision)
      const answer = gone.ask(one, { signal: stop.signal })
      await requestNamed(api, grace, nameOf(one.tool_use_id))
      stop.abort()
      await expect(answer).rejects.toThrow(/abort/i)
    }
    const request = await requestNamed(api, grace, nameOf(one.tool_use_id))
    await decideAsShown(grace, request, 'approve')
    await using later = await connect(revision)
    expect(await later.ask({ ...one, tool_use_id: `${one.tool_use_id}_later` })).toEqual({
      behavior: 'allow',
      updatedInput: one.input,
    })
  })

  // Its agent may have given it up behind a connection that a proxy keeps open.
  test('a newer equal call ends the older wait, which does not take the permit', async () => {
    await using older = await connect(revision)
    await using newer = await connect(revision)
    const one = question()
    const first = older.ask(one)
    const { id } = await requestNamed(api, grace, nameOf(one.tool_use_id))
    const waiterOf = async () => {
      const [row] = await rowsOf(
        api.database.db,
        'external_request',
        { request_id: id },
        'hook_use',
      )
      return row?.hook_use ?? null
    }
    await waitUntil(async () => (await waiterOf()) !== null, { withinMs: 30_000 })
    const firstWaiter = await waiterOf()
    const second = newer.ask({ ...one, tool_use_id: `${one.tool_use_id}_newer` })
    await waitUntil(async () => (await waiterOf()) !== firstWaiter, { withinMs: 30_000 })
    const request = await requestNamed(api, grace, nameOf(one.tool_use_id))
    await decideAsShown(grace, request, 'approve')
    expect(await first).toEqual(denial('newer equal call'))
    expect(await second).toEqual({ behavior: 'allow', updatedInput: one.input })
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
