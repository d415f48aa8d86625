import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Policy } from '#policy/policy.ts'
import { sdkServer } from '#test/harness/fixtures/mcp/sdk-tools.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { mcpBench, type McpBench, policyWith, stdioServer } from './mcp.fixture.ts'

let server: Server
let isHanging = true
let callCount = 0

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  await sdkServer('Add two numbers').connect(transport)
  await transport.handleRequest(request, response)
}

beforeAll(async () => {
  server = createServer((request, response) => {
    callCount += 1
    if (!isHanging) void answer(request, response)
  })
  await listenHere(server)
})
afterAll(() => closeServer(server))
beforeEach(() => {
  isHanging = true
  callCount = 0
})

const policy = (more: Readonly<Record<string, string>> = {}) => {
  const { port } = server.address() as AddressInfo
  return policyWith({ hang: `{ type: http, url: "http://127.0.0.1:${port}/mcp" }`, ...more })
}
const sums = { sums: stdioServer('stdio-server.ts', []) }
const namesOf = (registry: { all(): readonly { readonly name: string }[] }): readonly string[] =>
  registry.all().map(({ name }) => name)

async function untilListed(bench: McpBench, version: Policy, name: string): Promise<void> {
  const isListed = async () => namesOf(await bench.registry(version)).includes(name)
  await waitUntil(isListed)
}

describe('a server that hangs', () => {
  it('is neither asked nor awaited before a call of another server’s tool', async () => {
    await using bench = mcpBench({ waitMs: 600_000 })
    const registry = await bench.registry(policy(sums), ['read_result', 'mcp__sums__add'])
    expect(registry.get('mcp__sums__add')).toMatchObject({ description: 'Add two numbers' })
    expect(registry.get('read_result')).toBeDefined()
    expect(callCount).toBe(0)
  })

  it('is left out of the list with its tools, and a call of one is an error that says what to do', async () => {
    await using bench = mcpBench({ waitMs: 300 })
    await untilListed(bench, policy(sums), 'mcp__sums__add')
    const names = namesOf(await bench.registry(policy(sums)))
    expect(names.filter((name) => name.startsWith('mcp__hang__'))).toEqual([])
    const tool = await bench.tool(policy(sums), 'mcp__hang__add')
    expect(await tool.parse({})).toEqual({
      ok: false,
      problems: [
        'The MCP server hang does not answer: it did not answer within 0.3 seconds. Go on without its tools, or call one again later.',
      ],
      isUnread: true,
    })
  })

  it('is awaited no second time by a list of all tools, and is listed again once it answers', async () => {
    await using bench = mcpBench({ waitMs: 300 })
    expect(namesOf(await bench.registry(policy()))).not.toContain('mcp__hang__add')
    const worker = policy().workers.get('w')
    const offer = worker && (await bench.servers.toolsOf(policy(), worker))
    // The message does not say "within 0.3 seconds", because no call waited for that time.
    expect(offer?.problems.get('hang')?.[0]).toContain('it did not answer yet. Go on')
    expect(namesOf(await bench.registry(policy()))).not.toContain('mcp__hang__add')
    isHanging = false
    server.closeAllConnections()
    await untilListed(bench, policy(), 'mcp__hang__add')
  })

  it('still offers the tools that were pinned', async () => {
    await using bench = mcpBench({ waitMs: 1000 })
    isHanging = false
    await untilListed(bench, policy(), 'mcp__hang__add')
    const before = namesOf(await bench.registry(policy()))
    isHanging = true
    const worker = policy().workers.get('w')
    if (worker === undefined) throw new Error('no worker')
    const isLate = async (): Promise<boolean> => {
      const { problems } = await bench.servers.toolsOf(policy(), worker)
      return (problems.get('hang') ?? []).length > 0
    }
    await waitUntil(isLate)
    expect(namesOf(await bench.registry(policy()))).toEqual(before)
  })
})
