import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BrokenRule } from '#domain/tools/broken-rule.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { findSandbox, type HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { mcpBench, policyWith, type McpBench } from '../mcp.fixture.ts'

const sandbox = await findSandbox('bwrap')
if (!sandbox.works) {
  console.warn(`The sandbox tests are skipped: ${sandbox.problem}; ${sandbox.remedy}.`)
}
const none = await findSandbox('no-such-bubblewrap')

/** A server that runs the code it is called with, in the workspace root. */
const script = `import { createInterface } from 'node:readline'
import * as fs from 'node:fs'
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const inputSchema = { type: 'object', properties: { code: { type: 'string' } } }
  if (method === 'initialize')
    send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'run', inputSchema }] } })
  else if (method === 'tools/call') {
    const text = String(new Function('fs', params.arguments.code)(fs))
    send({ id, result: { content: [{ type: 'text', text }] } })
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } })
}
`

async function runner(bench: McpBench, more = ''): Promise<Tool> {
  for (const name of ['work', '.countersign']) mkdirSync(path.join(bench.root, name))
  writeFileSync(path.join(bench.root, 'server.mjs'), script)
  const zones = `zones:\n  - { name: all, root: ., mode: ro }\n  - { name: work, root: work, mode: rw${more} }\n`
  const server = `{ command: ${process.execPath}, args: [server.mjs] }`
  return bench.tool(policyWith({ boxed: server }, zones), 'mcp__boxed__run')
}

const hosts: [string, HostSandbox][] = [
  ...(sandbox.works ? [['in its sandbox', sandbox] as [string, HostSandbox]] : []),
  ['where no sandbox works', none],
]

// Rules: security.md 8
describe.each(hosts)('a protected name that a server makes, %s,', (_, sandbox) => {
  it('is removed, and its call has failed', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await runner(bench)
    const code = `fs.mkdirSync('work/.git/hooks', { recursive: true }); fs.writeFileSync('work/fine.txt', 'x'); return 'did'`
    const result = await bench.call(tool, { code })
    const violation = 'it made "work/.git", a protected name, which was removed'
    expect(result).toMatchObject({ type: 'error', violation })
    expect(result.text).toContain(violation)
    expect(result.text).toContain('did')
    expect(existsSync(path.join(bench.root, 'work/.git'))).toBe(false)
    expect(readFileSync(path.join(bench.root, 'work/fine.txt'), 'utf8')).toBe('x')
    const next = await bench.call(tool, { code: `return 'well'` })
    expect(next).toMatchObject({ type: 'output', text: 'well' })
  })

  it('is removed when the server ends before it has answered, and named', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await runner(bench)
    const code = `fs.writeFileSync('work/.envrc', 'x'); process.exit(3)`
    const error = await bench.call(tool, { code }).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(BrokenRule)
    expect(error).toMatchObject({ message: expect.stringContaining('it made "work/.envrc"') })
    expect(existsSync(path.join(bench.root, 'work/.envrc'))).toBe(false)
  })

  it('stays where its zone lists it', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await runner(bench, ', protected: [".github/**"]')
    const code = `fs.mkdirSync('work/.github/workflows', { recursive: true }); return 'did'`
    expect(await bench.call(tool, { code })).toMatchObject({ type: 'output', text: 'did' })
    expect(existsSync(path.join(bench.root, 'work/.github/workflows'))).toBe(true)
  })

  it('between calls is not attributed to it: a file that a person adds stays', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await runner(bench)
    await bench.call(tool, { code: `return 'one'` })
    writeFileSync(path.join(bench.root, 'work/.envrc'), 'a person')
    expect(await bench.call(tool, { code: `return 'two'` })).toMatchObject({ type: 'output' })
    expect(existsSync(path.join(bench.root, 'work/.envrc'))).toBe(true)
  })
})
