import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { closeServer, listenHere } from '../../harness/listen.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { faultProject } from '#test/faults/fault-project.ts'
import { FaultWorld } from '#test/faults/fault-world.ts'
import { decide, makeKey } from '#test/faults/gateway-world.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { runProgram } from '../../packages/packed.ts'
import { InstalledPrograms, unreachable } from '../runtimes/runtimes.ts'

const programs = new InstalledPrograms('mcp-tools', {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
})
const upstream = fileURLToPath(
  new URL('../../harness/fixtures/mcp/conformance-server.ts', import.meta.url),
)
const preApproved = `test_simple_text test_image_content test_audio_content test_embedded_resource
  test_multiple_content_types test_error_handling greet`

let world: FaultWorld
let key: string
let missing: string | null = null
const folder = newFolder('mcp tools ')
/** The package sends no key of its own. */
const proxy = createServer((request, response) => {
  const url = new URL(request.url ?? '', world.installation.url)
  const headers = { ...request.headers, authorization: `Bearer ${key}` }
  const answer = forward(url, { method: request.method, headers }, (from) => {
    response.writeHead(from.statusCode ?? 502, from.headers)
    from.pipe(response)
  })
  answer.on('error', () => response.destroy())
  request.pipe(answer)
})

beforeAll(async () => {
  missing = await programs.install().then(() => null, unreachable)
  if (missing !== null) return
  const files = faultProject({})
  const tools = preApproved
    .split(/\s+/)
    .map((name) => `${name}: preApproved`)
    .join(', ')
  const served = `{ command: ${process.execPath}, args: ['${upstream}'], holdSeconds: 1, tools: { ${tools} } }`
  const config = `${files['countersign.yaml'] ?? ''}mcpServers:\n  suite: ${served}\n`
  world = await FaultWorld.start({ ...files, 'countersign.yaml': config })
  await world.untilSql('select count(*)::int from mcp_pin', [], 1, 120_000)
  key = await makeKey(world)
  await listenHere(proxy)
}, 600_000)
afterAll(async () => {
  clearInterval(approving)
  await closeServer(proxy)
  await world?.[Symbol.asyncDispose]()
}, 60_000)
/** Somebody else approves whatever waits, as soon as it does. */
const approving = setInterval(() => {
  void world
    ?.sql(`select id from request where state = 'pending'`)
    .then((rows) =>
      Promise.all(
        rows.map((row) => decide(world, { structured: { requestId: row['id'] } }, 'approve')),
      ),
    )
    .catch(() => undefined)
}, 500)
beforeEach(({ skip }) => {
  if (missing !== null) skip(`the official programs cannot be installed: ${missing}`)
})

/** The scenarios by the revision that they are run for, with the checks that fail, and why. */
const scenarios: readonly (readonly [revision: string, names: string, failing?: string[]])[] = [
  [
    '2025-11-25',
    `server-initialize ping tools-list tools-call-simple-text tools-call-image tools-call-audio
     tools-call-embedded-resource tools-call-mixed-content tools-call-error json-schema-2020-12
     dns-rebinding-protection`,
  ],
  [
    '2026-07-28',
    `tools-list tools-call-simple-text tools-call-image tools-call-audio http-header-validation
     tools-call-embedded-resource tools-call-mixed-content tools-call-error json-schema-2020-12
     dns-rebinding-protection server-sse-multiple-streams input-required-result-unsupported-methods`,
  ],
  // Nothing is announced, and no tool of the fixture needs a capability of its client.
  [
    '2026-07-28',
    'server-stateless',
    [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-sends-subscription-ack',
      'sep-2575-server-tags-subscription-id',
    ],
  ],
  [
    'extension',
    `tasks-capability-negotiation tasks-wire-fields tasks-request-headers
     tasks-dispatch-and-envelope tasks-request-state-removal`,
  ],
  // What was begun is never `failed`: calling again would not be safe (SEP-2848).
  ['extension', 'tasks-lifecycle', ['sep-2663-tasks-get-status-failed']],
]
const rows = scenarios.flatMap(([revision, names, failing = []]) =>
  names.split(/\s+/).map((name) => ({ revision, name, failing })),
)

test.each(rows)(
  'the official conformance package finds no other fault than is meant in $name of $revision',
  async ({ revision, name, failing }) => {
    // The end of an equal call of the same key would be given again.
    key = await makeKey(world)
    const { port } = proxy.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/mcp/suite`
    const program = programs.file('@modelcontextprotocol/conformance/dist/index.js')
    const args = [program, 'server', '--url', url, '--scenario', name, '--output-dir', folder]
    if (revision !== 'extension') args.push('--spec-version', revision)
    // It ends with 1 where a check fails.
    const { stdout } = await runProgram(process.execPath, args, { cwd: folder }).catch(
      (error: { readonly stdout: string }) => error,
    )
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, \d+ failed, 0 warnings/)
    const found = stdout.matchAll(/\[([\w-]+) *\] \S*FAILURE/g)
    expect([...found].map(([, id]) => id)).toEqual(failing)
  },
)

test('the command line of the official inspector lists the tools and calls them with a key', async () => {
  const program = programs.file('.bin/mcp-inspector')
  const inspect = async (...args: string[]): Promise<unknown> => {
    const url = `${world.installation.url}/mcp/suite`
    const header = ['--header', `Authorization: Bearer ${key}`]
    const words = ['--cli', url, '--transport', 'http', ...header, '--method', ...args]
    const { stdout } = await runProgram(program, words, { cwd: folder })
    return JSON.parse(stdout)
  }
  const { tools } = (await inspect('tools/list')) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toContain('test_simple_text')
  expect(await inspect('tools/call', '--tool-name', 'test_simple_text')).toMatchObject({
    content: [{ text: 'This is a simple text response for testing.' }],
  })
  clearInterval(approving)
  const name = `name=${Date.now()}`
  const contact = ['contactMethod=phone', 'phone=1']
  const waits = ['tools/call', '--tool-name', 'json_schema_2020_12_tool', '--tool-arg', name]
  expect(await inspect(...waits, ...contact)).toMatchObject({
    content: [{ text: expect.stringContaining('PENDING, not run') as string }],
  })
})
