import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { mcpBench, policyWith } from './mcp.fixture.ts'

const sandbox = await findSandbox('bwrap')
if (!sandbox.works) {
  console.warn(`The sandbox tests are skipped: ${sandbox.problem}; ${sandbox.remedy}.`)
}

const slirp = spawnSync('slirp4netns', ['--version']).status === 0
if (!slirp) console.warn('The tests of "network: allow" are skipped: slirp4netns is not installed.')

/**
 * A server of one file that does what its argument, a script, says and answers with what came of
 * it.
 */
const script = `import { createInterface } from 'node:readline'
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const inputSchema = { type: 'object', properties: { code: { type: 'string' } } }
  if (method === 'initialize')
    send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'run', inputSchema }] } })
  else if (method === 'tools/call') {
    const text = await new Function('return (async () => {' + params.arguments.code + '})()')().catch((error) => 'failed: ' + error.code)
    send({ id, result: { content: [{ type: 'text', text: String(text) }] } })
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } })
}
`

// Rules: security.md 7, 8; workers-and-policy.md, which tools a worker has
describe.skipIf(!sandbox.works)('an MCP server in the sandbox of its worker', () => {
  const zones = `zones:
  - { name: all, root: ., mode: ro }
  - { name: work, root: work, mode: rw }
sandbox: { required: true }
`

  it('reads and writes as the zones say, and sees neither the data folder, the host nor the network', async () => {
    await using bench = mcpBench({ sandbox, environment: { GIVEN: 'g' } })
    mkdirSync(path.join(bench.root, 'work'))
    mkdirSync(path.join(bench.root, '.countersign'))
    writeFileSync(path.join(bench.root, '.countersign/signing-key'), 'the key')
    writeFileSync(path.join(bench.root, 'server.mjs'), script)
    const server = `{ command: ${process.execPath}, args: [server.mjs], env: { OWN: "\${GIVEN}" } }`
    const policy = policyWith({ boxed: server }, zones)
    const tool = await bench.tool(policy, 'mcp__boxed__run')
    const run = async (code: string): Promise<string> => (await bench.call(tool, { code })).text
    const fs = `const { promises: fs } = await import('node:fs');`
    expect(
      await run(
        `${fs} await fs.writeFile('work/made.txt', 'x'); return fs.readFile('work/made.txt', 'utf8')`,
      ),
    ).toBe('x')
    expect(await run(`${fs} await fs.writeFile('made.txt', 'x')`)).toBe('failed: EROFS')
    expect(await run(`${fs} return fs.readdir('.countersign')`)).toBe('')
    expect(await run(`${fs} return fs.readdir('/home')`)).toBe('failed: ENOENT')
    expect(await run(`${fs} return (await fs.readdir('/root').catch(() => [])).length`)).toBe('0')
    expect(
      await run(`return Object.keys(process.env).filter((name) => name !== 'PATH').toSorted()`),
    ).toMatch(/^HOME,OWN(,PWD)?,TMPDIR$/)
    expect(
      await run(
        `const net = await import('node:net'); return new Promise((resolve) => net.connect(80, '1.1.1.1').on('error', (error) => resolve(error.code)))`,
      ),
    ).toMatch(/ENETUNREACH|EPERM|EACCES/)
  })

  // Rules: security.md 7
  it.skipIf(!slirp)(
    'has the network that the worker’s sandbox allows, and never the host’s loopback',
    async () => {
      await using bench = mcpBench({ sandbox })
      writeFileSync(path.join(bench.root, 'server.mjs'), script)
      const listening = createServer((socket) => socket.end('reached'))
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
      const { port } = listening.address() as AddressInfo
      const server = `{ command: ${process.execPath}, args: [server.mjs] }`
      const zone = 'zones: [{ name: all, root: ., mode: ro }]\n'
      const policy = policyWith(
        { boxed: server },
        `${zone}sandbox: { required: true, network: allow }\n`,
      )
      const tool = await bench.tool(policy, 'mcp__boxed__run')
      const run = async (code: string): Promise<string> => (await bench.call(tool, { code })).text
      expect(
        await run(`return Object.keys((await import('node:os')).networkInterfaces())`),
      ).toContain('tap0')
      expect(
        await run(`return (await import('node:fs')).readFileSync('/etc/resolv.conf', 'utf8')`),
      ).toContain('10.0.2.3')
      for (const host of ['127.0.0.1', '10.0.2.2']) {
        const reached = await run(
          `const net = await import('node:net'); return new Promise((resolve) => net.connect(${port}, '${host}').on('data', (data) => resolve('' + data)).on('error', (error) => resolve(error.code)).on('close', () => resolve('closed')))`,
        )
        expect(reached).not.toBe('reached')
      }
      listening.close()
    },
  )

  // Rules: workers-and-policy.md, shell rules
  it('reaches listed domains by the proxy alone', async () => {
    await using bench = mcpBench({ sandbox })
    writeFileSync(path.join(bench.root, 'server.mjs'), script)
    const policy = policyWith(
      { boxed: `{ command: ${process.execPath}, args: [server.mjs] }` },
      'zones: [{ name: all, root: ., mode: ro }]\nsandbox: { required: true, network: [pypi.org] }\n',
    )
    const tool = await bench.tool(policy, 'mcp__boxed__run')
    const run = async (code: string): Promise<string> => (await bench.call(tool, { code })).text
    expect(
      await run(
        `const net = await import('node:net'); return new Promise((resolve) => { const s = net.connect(3128, '127.0.0.1', () => s.write('CONNECT evil.com:443 HTTP/1.1\\r\\n\\r\\n')); s.on('data', (data) => resolve(process.env.HTTPS_PROXY + data)).on('error', (error) => resolve(error.code)) })`,
      ),
    ).toMatch(/^http:\/\/127\.0\.0\.1:3128HTTP\/1\.1 403 [^]*evil\.com is not listed/)
  })

  it('that is no program of this host is a sentence', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await bench.tool(policyWith({ boxed: '{ command: no-such }' }), 'mcp__boxed__run')
    expect(await tool.parse({})).toMatchObject({ problems: [/there is no program no-such/] })
  })
})
