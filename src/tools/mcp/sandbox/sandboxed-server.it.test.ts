import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { listenHere } from '#test/harness/listen.ts'
import { mcpBench, policyWith, scriptServer } from '../mcp.fixture.ts'

const sandbox = await findSandbox('bwrap')
if (!sandbox.works) {
  console.warn(`The sandbox tests are skipped: ${sandbox.problem}; ${sandbox.remedy}.`)
}

const slirp = spawnSync('slirp4netns', ['--version']).status === 0
if (!slirp) console.warn('The tests of "network: allow" are skipped: slirp4netns is not installed.')

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
    writeFileSync(path.join(bench.root, 'server.mjs'), scriptServer)
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
    ).toMatch(/^HOME,OWN,(PWD,)?PYTHONPYCACHEPREFIX,TMPDIR$/)
    expect(
      await run(
        `const net = await import('node:net'); return new Promise((resolve) => net.connect(80, '1.1.1.1').on('error', (error) => resolve(error.code)))`,
      ),
    ).toMatch(/ENETUNREACH|EPERM|EACCES/)
  })

  // Rules: product.md 1
  it('sees no zone whose reads are blocked, nor by a path in its arguments', async () => {
    await using bench = mcpBench({ sandbox })
    const at = (name: string): string => path.join(bench.root, name)
    for (const name of ['work', 'hr']) mkdirSync(at(name))
    writeFileSync(at('hr/pay.txt'), 'secret')
    writeFileSync(at('server.mjs'), scriptServer)
    const closed = '{ name: hr, root: hr, mode: ro, approval: { read: blocked } }'
    const read = `const fs = await import('node:fs/promises'); return fs.readFile('${at('hr/pay.txt')}', 'utf8')`
    const beside = `zones: [{ name: work, root: work, mode: rw }, ${closed}]\n`
    for (const [around, args] of [
      [zones.replace('sandbox:', `  - ${closed}\nsandbox:`), '[server.mjs]'],
      [beside, `[${at('server.mjs')}, ${at('hr')}]`],
      [beside, `[${at('server.mjs')}, ${bench.root}]`],
    ] as const) {
      const server = `{ command: ${process.execPath}, args: ${args} }`
      const tool = await bench.tool(policyWith({ boxed: server }, around), 'mcp__boxed__run')
      expect((await bench.call(tool, { code: read })).text, around).toBe('failed: ENOENT')
    }
  })

  // Rules: product.md 1
  it('reads no copy that Git has of a blocked zone, and Git there records nothing as deleted', async () => {
    await using bench = mcpBench({ sandbox })
    const at = (name: string): string => path.join(bench.root, name)
    for (const name of ['work', 'hr']) mkdirSync(at(name))
    writeFileSync(at('hr/pay.txt'), 'secret')
    writeFileSync(at('server.mjs'), scriptServer)
    execFileSync('bash', ['-c', 'git init -q . && git add hr'], { cwd: bench.root })
    const around = zones.replace(
      'sandbox:',
      '  - { name: hr, root: hr, mode: ro, approval: { read: blocked } }\nsandbox:',
    )
    const server = `{ command: ${process.execPath}, args: [server.mjs] }`
    const tool = await bench.tool(policyWith({ boxed: server }, around), 'mcp__boxed__run')
    const code = `const { spawnSync } = await import('node:child_process')
      const { stdout, stderr } = spawnSync('git', ['show', ':hr/pay.txt'], { encoding: 'utf8' })
      return stdout + stderr`
    const { text } = await bench.call(tool, { code })
    expect(text).toContain('fatal: ')
    expect(text).not.toContain('secret')
  })

  // Rules: security.md 8
  it('reads no key file and writes no protected name that was created after it started', async () => {
    await using bench = mcpBench({ sandbox })
    const at = (name: string): string => path.join(bench.root, name)
    mkdirSync(at('work'))
    writeFileSync(at('.env'), 'A=old')
    // A name that is no text.
    writeFileSync(Buffer.concat([Buffer.from(at('work/.env')), Buffer.of(0xff)]), 'A=odd')
    writeFileSync(at('server.mjs'), scriptServer)
    const server = `{ command: ${process.execPath}, args: [server.mjs] }`
    const tool = await bench.tool(policyWith({ boxed: server }, zones), 'mcp__boxed__run')
    const run = async (code: string): Promise<string> =>
      (await bench.call(tool, { code: `const fs = await import('node:fs/promises'); ${code}` }))
        .text
    const odd = `Buffer.concat([Buffer.from('work/.env'), Buffer.of(0xff)])`
    expect(await run(`return fs.readFile(${odd}, 'utf8')`)).toBe('failed: EACCES')
    const read = (name: string): Promise<string> => run(`return fs.readFile('${name}', 'utf8')`)
    const write = (name: string): Promise<string> =>
      run(`return fs.writeFile('${name}', 'evil').then(() => 'written')`)
    const mark = (): Promise<string> => run(`return globalThis.mark ??= Math.random()`)
    const first = await mark()
    expect(await read('.env')).toBe('failed: EACCES')
    expect(await mark()).toBe(first)
    writeFileSync(at('work/.env'), 'A=late')
    expect(await read('work/.env')).toBe('failed: EACCES')
    // As editors save: the mount over the old file ends with its name.
    writeFileSync(at('.saved'), 'A=new')
    renameSync(at('.saved'), at('.env'))
    expect(await read('.env')).toBe('failed: EACCES')
    writeFileSync(at('work/.gitattributes'), 'a person')
    expect(await write('work/.gitattributes')).toBe('failed: EROFS')
    rmSync(at('.env'))
    expect(await read('.env')).toBe('failed: ENOENT')
    const last = await mark()
    writeFileSync(at('work/plain.txt'), 'x')
    expect(await mark()).toBe(last)
  })

  // Rules: security.md 8, 10
  it.each([
    ['the data folder', {}],
    ['the one that an earlier start left', { dataDir: newFolder('countersign data ') }],
  ])(
    'sees neither %s nor keys by its arguments’ paths, nor by a link of its worker',
    async (_, more) => {
      await using bench = mcpBench({ sandbox, ...more })
      const at = (name: string): string => path.join(bench.root, name)
      for (const name of ['docs', 'work', '.countersign']) mkdirSync(at(name))
      const outside = newFolder('outside-')
      writeFileSync(path.join(outside, 'private'), 'private')
      symlinkSync(outside, at('work/link'))
      writeFileSync(at('.countersign/signing-key'), 'the key')
      writeFileSync(at('.env'), 'A=secret')
      writeFileSync(at('plain.txt'), 'plain')
      writeFileSync(at('server.mjs'), scriptServer)
      const serverWith = (...names: string[]): string => {
        const args = JSON.stringify([at('server.mjs'), ...names])
        return `{ command: ${process.execPath}, args: ${args} }`
      }
      const policy = policyWith(
        {
          root: serverWith(bench.root, at('.countersign')),
          around: serverWith(path.dirname(bench.root)),
          linked: serverWith(at('work/link'), at('.countersign/signing-key')),
        },
        zones.replace('root: .,', 'root: docs,'),
      )
      const readingsOf = async (server: string): Promise<string> => {
        const tool = await bench.tool(policy, `mcp__${server}__run`)
        const files = [
          ...['.countersign/signing-key', '.env', 'plain.txt', 'work/link/private'].map(at),
          path.join(outside, 'private'),
        ]
        const code = `const fs = await import('node:fs/promises')
        const read = (file) => fs.readFile(file, 'utf8').catch((error) => error.code)
        await fs.writeFile('${at('work/made.txt')}', 'made')
        return (await Promise.all(${JSON.stringify(files)}.map(read))).join(' ')`
        return (await bench.call(tool, { code })).text
      }
      expect(await readingsOf('root')).toBe('ENOENT EACCES plain ENOENT ENOENT')
      // What is named outside of the workspace is seen, and nothing else.
      expect(await readingsOf('around')).toBe('ENOENT EACCES plain private private')
      expect(await readingsOf('linked')).toBe('ENOENT ENOENT ENOENT ENOENT ENOENT')
    },
  )

  // Rules: security.md 7
  it.skipIf(!slirp)(
    'has the network that the worker’s sandbox allows, and never the host’s loopback',
    async () => {
      await using bench = mcpBench({ sandbox })
      writeFileSync(path.join(bench.root, 'server.mjs'), scriptServer)
      const listening = createServer((socket) => socket.end('reached'))
      const port = await listenHere(listening)
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
  it('reaches listed domains only through the proxy', async () => {
    await using bench = mcpBench({ sandbox })
    writeFileSync(path.join(bench.root, 'server.mjs'), scriptServer)
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

  it('whose program the host lacks is reported in a sentence', async () => {
    await using bench = mcpBench({ sandbox })
    const tool = await bench.tool(policyWith({ boxed: '{ command: no-such }' }), 'mcp__boxed__run')
    expect(await tool.parse({})).toMatchObject({ problems: [/there is no program no-such/] })
  })
})
