import { describe, expect, it } from 'vitest'
import { openStreamingServer, type StreamingHow } from '#test/harness/fixtures/mcp/http-server.ts'
import { mcpBench, policyWith } from './mcp.fixture.ts'
import type { EndedServerMessage } from './mcp-tool.ts'

async function bench(how: StreamingHow) {
  const served = await openStreamingServer(how)
  const messages: EndedServerMessage[] = []
  const own = mcpBench({ onMessageEnded: (message) => messages.push(message) })
  const tool = await own.tool(policyWith({ far: `{ url: "${served.url}" }` }), 'mcp__far__act')
  return {
    served,
    messages,
    call: (context: { traceparent?: string } = {}) => own.call(tool, {}, context),
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
    },
  }
}

function count(methods: readonly string[], method: string): number {
  return methods.filter((one) => one === method).length
}

describe('an MCP server that answers over a stream', () => {
  it('is read to the answer', async () => {
    await using own = await bench('whole')
    expect(await own.call()).toMatchObject({ type: 'output', text: 'acted' })
    expect(own.served.seen.join('\n')).not.toContain(' in ')
  })

  it('receives the trace context of a call, with no other message, and each message is counted', async () => {
    await using own = await bench('whole')
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await own.call({ traceparent })
    expect(own.served.seen.filter((one) => one.includes(' in '))).toEqual([
      `tools/call in ${traceparent}`,
    ])
    const made = { tool: null, transport: 'tcp', durationMs: expect.any(Number), error: null }
    expect(own.messages).toEqual([
      // The server does not know the revision without sessions.
      { ...made, method: 'server/discover', error: '_OTHER' },
      { ...made, method: 'initialize' },
      { ...made, method: 'tools/list' },
      { ...made, method: 'tools/list' },
      { ...made, method: 'tools/call', tool: 'act' },
    ])
  })

  it('whose stream breaks off is resumed after its last whole event, and the call is made once', async () => {
    await using own = await bench('breaks-off')
    expect(await own.call()).toMatchObject({ type: 'output', text: 'acted' })
    expect(own.served.seen).toContain('GET e1')
    expect(count(own.served.seen, 'tools/call')).toBe(1)
  })

  it.each(['breaks-off-for-good', 'no-ids'] as const)(
    'whose stream breaks off and cannot be resumed (%s) leaves the outcome unknown at once',
    async (how) => {
      await using own = await bench(how)
      await expect(own.call()).rejects.toThrow(/lost while act ran: its answer broke off/)
      expect(own.messages.at(-1)).toMatchObject({ tool: 'act', error: '_OTHER' })
      expect(count(own.served.seen, 'tools/call')).toBe(1)
    },
  )

  it('that never ends its stream is ended at its limit, and leaves the outcome unknown', async () => {
    await using own = await bench('never-ends')
    await expect(own.call()).rejects.toThrow(/lost while act ran: .*more than 67108864 bytes/)
    expect(count(own.served.seen, 'tools/call')).toBe(1)
  })

  it('that redirects a call is not followed', async () => {
    await using own = await bench('elsewhere')
    await expect(own.call()).rejects.toThrow(/lost while act ran: .*redirect/)
    expect(own.served.seen).not.toContain('elsewhere')
  })

  it('that asks for the same call again is not called a second time', async () => {
    await using own = await bench('asks-again')
    await expect(own.call()).rejects.toThrow(/lost while act ran: .*it asked for the call again/)
    expect(own.served.seen).not.toContain('initialize')
    expect(count(own.served.seen, 'tools/call')).toBe(1)
  })

  it('is connected to again when its session has expired, before the call is made', async () => {
    await using own = await bench('whole')
    own.served.expireSessions()
    expect(await own.call()).toMatchObject({ type: 'output', text: 'acted' })
    expect(count(own.served.seen, 'initialize')).toBe(2)
    expect(count(own.served.seen, 'tools/call')).toBe(1)
  })
})
