import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Policy } from '#policy/policy.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { spawnInSandbox } from '../sandbox/spawn-in-sandbox.ts'
import { mcpBench, policyWith, scriptServer } from '../mcp.fixture.ts'
import type { ChangedProgram } from './check-programs.ts'
import { recordServerFiles } from './read-in-thread.ts'
import { putFile, putFiles } from '#test/harness/put-file.ts'

const sandbox = await findSandbox('bwrap')
const node = process.execPath

/** A project folder with these files. */
function projectOf(files: Readonly<Record<string, string>>) {
  const root = newFolder('programs-')
  putFiles(root, files)
  return { root, put: (at: string, text: string): void => putFile(root, at, text) }
}

async function recordedPaths(root: string, server: string): Promise<string[]> {
  const policy = policyWith({ own: server })
  const files = await recordServerFiles(root, policy.workers.values())
  return (files ?? []).map((file) => file.path)
}

// Rules: security.md 36
describe('for a server on standard input, a version records', () => {
  it('its script, the files that the script imports by name, and the packages of both', async () => {
    const { root, put } = projectOf({
      'servers/main.mjs': `import './helper.js'\nimport { z } from "zod"\nimport 'absent'\n`,
      'servers/helper.js': `export const x = require('../lib/deep')`,
      'servers/unused.js': '',
      'lib/deep/index.js': '',
      'package.json': '{"type":"module"}',
      'node_modules/zod/package.json': '{"name":"zod","dependencies":{"other":"1"}}',
      'node_modules/other/package.json': '{"name":"other"}',
      'node_modules/unnamed/package.json': '{"name":"unnamed"}',
    })
    const server = `{ command: node, args: [--no-warnings, servers/main.mjs, data.json] }`
    expect(await recordedPaths(root, server)).toEqual([
      'lib/deep/index.js',
      'node_modules/other/',
      'node_modules/zod/',
      'package.json',
      'servers/helper.js',
      'servers/main.mjs',
    ])
    // What Node would find first is another package.
    put('servers/node_modules/zod/package.json', '{"name":"zod"}')
    expect(await recordedPaths(root, server)).toContain('servers/node_modules/zod/')
  })

  it('every module next to a Python script, since it could shadow one of Python’s own', async () => {
    const { root } = projectOf({
      'srv/main.py': 'import http.server\nfrom shared.parts import one\n',
      'srv/shared/__init__.py': '',
      'srv/shared/parts.py': 'from . import two\n',
      'srv/shared/two.py': '',
      'srv/html.py': '',
      'srv/notes.txt': '',
      'srv/mod/__main__.py': '',
    })
    const all = ['srv/html.py', 'srv/main.py', 'srv/shared/__init__.py', 'srv/shared/parts.py']
    expect(await recordedPaths(root, '{ command: python3, args: [srv/main.py] }')).toEqual([
      ...all,
      'srv/shared/two.py',
    ])
    expect(await recordedPaths(root, '{ command: python3, args: [-m, srv.mod] }')).toEqual([
      'srv/mod/__main__.py',
    ])
  })

  it('the package of a program in node_modules, even if npx starts it, and no file of the host', async () => {
    const { root } = projectOf({
      'node_modules/@a/server/package.json': '{"name":"@a/server"}',
      'node_modules/@a/server/dist/main.js': '',
    })
    mkdirSync(path.join(root, 'node_modules/.bin'))
    symlinkSync('../@a/server/dist/main.js', path.join(root, 'node_modules/.bin/server'))
    symlinkSync('/usr/bin/env', path.join(root, 'outside.sh'))
    for (const server of [
      '{ command: node_modules/.bin/server, args: [outside.sh, /usr/bin/env] }',
      '{ command: npx, args: [-y, "@a/server@1.2.3"] }',
    ]) {
      expect(await recordedPaths(root, server)).toEqual(['node_modules/@a/server/'])
    }
    expect(await recordedPaths(root, '{ command: python3, args: [-m, mcp_server_git] }')).toEqual(
      [],
    )
  })
})

const zones = `zones: [{ name: all, root: ., mode: rw }]\n`
const server = `{ command: ${JSON.stringify(node)}, args: [servers/main.mjs] }`
const main = `${scriptServer}\nimport './helper.mjs'\n`

/** A host with a server of two files, both recorded; `attack` comes right before each start. */
async function attackedHost(attack: () => void = () => undefined) {
  const refusals: ChangedProgram[] = []
  const bench = mcpBench({
    sandbox,
    spawnConfined: async (place, program) => {
      const site = {
        sandbox,
        dataDir: path.join(bench.root, '.countersign'),
        projectDir: bench.root,
      }
      const confine = spawnInSandbox(site, async (changed) => void refusals.push(changed))
      const confined = await confine(place, program)
      attack()
      return confined
    },
  })
  mkdirSync(path.join(bench.root, 'servers'))
  const put = (at: string, text: string): void => writeFileSync(path.join(bench.root, at), text)
  put('servers/main.mjs', main)
  put('servers/helper.mjs', 'globalThis.helper = "recorded"\n')
  const plain = policyWith({ own: server }, zones)
  const serverFiles = await recordServerFiles(bench.root, plain.workers.values())
  if (serverFiles === null) throw new Error('nothing was recorded')
  const policy: Policy = { ...plain, files: { ...plain.files, serverFiles } }
  const listing = async () => {
    const [worker] = policy.workers.values()
    if (worker === undefined) throw new Error('no worker')
    const [one] = await bench.servers.listingsOf(policy, worker, 20_000)
    return one
  }
  return { bench, policy, put, refusals, listing }
}

// Rules: security.md 33, 36
describe('a server on standard input whose program was changed since the activation', () => {
  const changes: readonly (readonly [string, string])[] = [
    ['servers/main.mjs', `${main}// evil`],
    ['servers/helper.mjs', 'globalThis.helper = "evil"'],
    ['package.json', '{"imports":{"#x":"./evil.mjs"}}'],
  ]
  it.each(changes)('is not started: %s', async (at, text) => {
    const host = await attackedHost()
    await using _bench = host.bench
    host.put(at, text)
    const listing = await host.listing()
    expect(listing).toMatchObject({
      listing: null,
      problem: expect.stringMatching(/not started: .*countersign policy activate/) as string,
    })
    expect(listing?.problem).toContain(at)
    expect(host.refusals).toEqual([{ worker: 'w', path: at }])
  })

  it('is not started where its script was absent when the version was recorded', async () => {
    const host = await attackedHost()
    await using bench = host.bench
    const policy: Policy = { ...host.policy, files: { ...host.policy.files, serverFiles: [] } }
    const [worker] = policy.workers.values()
    if (worker === undefined) throw new Error('no worker')
    const [one] = await bench.servers.listingsOf(policy, worker, 20_000)
    expect(one?.problem).toMatch(/is not part of what the version in force recorded/)
  })

  it.skipIf(!sandbox.works)(
    'runs the recorded bytes when they change after the comparison, and while it runs',
    async () => {
      const host = await attackedHost(() => {
        host.put('servers/helper.mjs', 'globalThis.helper = "evil"')
        chmodSync(path.join(host.bench.root, 'servers/main.mjs'), 0o644)
        rmSync(path.join(host.bench.root, 'servers/main.mjs'))
        host.put('servers/main.mjs', 'process.exit(1)')
      })
      await using bench = host.bench
      const tool = await bench.tool(host.policy, 'mcp__own__run')
      const run = async (code: string): Promise<string> => (await bench.call(tool, { code })).text
      expect(await run('return globalThis.helper')).toBe('recorded')
      const fs = `const fs = await import('node:fs/promises');`
      expect(await run(`${fs} return fs.writeFile('servers/helper.mjs', 'evil')`)).toMatch(/EROFS/)
    },
  )
})
