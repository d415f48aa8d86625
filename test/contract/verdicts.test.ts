import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { ContractDesk } from './contract-desk.ts'
import { contractConfig, type ScriptCall, scriptedWorker } from './contract-project.ts'

const write = (path: string, more: object = {}) => ({
  tool: 'write_file',
  input: { path, content: 'x', ...more },
})
const read = (path: string) => ({ tool: 'read_file', input: { path } })

/** What each call of one turn must come to: verdict, type of result, and what the model reads. */
const fileCalls: Record<string, [ScriptCall, string, string | null, RegExp?]> = {
  read: [read('notes/old.md'), 'preApproved', 'output', /^hello\nold\n$/],
  binary: [read('data.bin'), 'preApproved', 'output', /octet-stream, 4 bytes, sha256:/],
  missing: [read('notes/none.md'), 'preApproved', 'error', /does not exist/],
  hidden: [read('.countersign/run/dev-token'), 'error', 'error', /belongs to Countersign/],
  secret: [read('.env.local'), 'ask', null],
  list: [
    { tool: 'list_files', input: { path: '.', glob: '*.bin' } },
    'preApproved',
    'output',
    /data\.bin/,
  ],
  search: [
    { tool: 'search_files', input: { pattern: 'hel+o' } },
    'preApproved',
    'output',
    /notes\/old\.md/,
  ],
  readOnly: [write('src/x.ts'), 'error', 'error', /zone src, which is read-only/],
  suffix: [write('notes/x.txt'), 'error', 'error', /does not end in \.md/],
  hook: [write('deep/.GIT/hooks/x'), 'blocked', 'blocked', /protected name/],
  env: [write('.env'), 'blocked', 'blocked', /protected name/],
  ci: [write('.github/workflows/ci.yml'), 'ask', null],
  own: [write('countersign.yaml'), 'blocked', 'blocked', /Countersign's own/],
  ownTool: [write('tools/evil.ts'), 'blocked', 'blocked', /Countersign's own/],
  frozen: [write('frozen/a'), 'blocked', 'blocked', /^code freeze until Monday$/],
  cold: [write('cold/a'), 'blocked', 'blocked', /^cold storage$/],
  ice: [write('ice/a'), 'blocked', 'blocked', /^blocked by policy: overlay/],
  free: [write('scratch/free.txt'), 'preApproved', null],
  tightened: [write('scratch/asked/a.txt'), 'ask', null],
  history: [
    { tool: 'delete_file', input: { path: 'notes/old.md' } },
    'blocked',
    'blocked',
    /^notes are history$/,
  ],
  moved: [
    { tool: 'move_file', input: { from: 'notes/old.md', to: 'scratch/old.md' } },
    'blocked',
    'blocked',
    /^notes are history$/,
  ],
  noMatch: [
    { tool: 'edit_file', input: { path: 'notes/old.md', edits: [{ find: 'NO', replace: 'x' }] } },
    'error',
    'error',
    /does not occur/,
  ],
  base64: [write('bytes.txt', { content: 'aGVsbG8=', encoding: 'base64' }), 'ask', null],
  notBase64: [
    write('bytes2.txt', { content: '%', encoding: 'base64' }),
    'error',
    'error',
    /base64/,
  ],
  unknownField: [write('a', { mode: 1 }), 'error', 'error', /"mode"/],
  climbing: [read('../x'), 'error', 'error', /"\.\." is not allowed/],
  absolute: [read('/etc/passwd'), 'error', 'error', /absolute/],
  bidi: [write('a\u202eb.txt'), 'error', 'error', /U\+202E/],
  invented: [{ tool: 'invented', input: {} }, 'error', 'error', /There is no tool "invented"/],
  text: [{ tool: 'read_file', input: 'notes' }, 'error', 'error', /must be an object/],
  shell: [{ tool: 'shell', input: { command: 'ls' } }, 'error', 'error', /no tool "shell"/],
  mcp: [{ tool: 'mcp__files__read', input: {} }, 'error', 'error', /no tool "mcp__files__read"/],
}

const toolFile = (name: string, approval: string, body = `return 'ran'`) =>
  `import { z } from 'zod'
import { defineTool } from 'countersign'
export default defineTool({ name: '${name}', description: 'x', inputSchema: z.object({ x: z.string() }), ${approval}
  execute: async () => { ${body} } })
`
const sdkTool = (name: string, more: string, after = '') =>
  `import { tool } from 'ai'
import { z } from 'zod'
export const ${name} = tool({ description: 'x', inputSchema: z.object({ x: z.string() }), ${more} execute: async () => 'ran' })
${after}`

/**
 * Custom tools by what their files say, how the worker lists them, and the verdict that follows.
 */
const customTools: Record<string, [file: string, listed: string, verdict: string, text?: RegExp]> =
  {
    asks: [toolFile('asks', `approval: () => 'ask',`), '{}', 'ask'],
    constant: [toolFile('constant', `approval: 'preApproved',`), '{}', 'preApproved', /^ran$/],
    promises: [toolFile('promises', `approval: async () => 'preApproved',`), '{}', 'preApproved'],
    says_true: [toolFile('says_true', `approval: () => true,`), '{}', 'ask'],
    says_false: [toolFile('says_false', `approval: () => false,`), '{}', 'preApproved'],
    blocks: [toolFile('blocks', `approval: () => ({ blocked: 'no' }),`), '{}', 'blocked', /^no$/],
    throws: [toolFile('throws', `approval: () => { throw new Error('boom') },`), '{}', 'ask'],
    odd: [toolFile('odd', `approval: () => 'maybe' as never,`), '{}', 'ask'],
    silent: [toolFile('silent', ''), '{}', 'ask'],
    tightened: [toolFile('tightened', `approval: 'preApproved',`), '{ approval: ask }', 'ask'],
    refused: [
      toolFile('refused', `approval: 'preApproved',`),
      '{ approval: { blocked: "not here" } }',
      'blocked',
      /^not here$/,
    ],
    fails: [
      toolFile('fails', `approval: 'preApproved',`, `throw new Error('kaputt')`),
      '{}',
      'preApproved',
      /kaputt/,
    ],
    sdk_true: [sdkTool('sdk_true', 'needsApproval: true,'), '{}', 'ask'],
    sdk_false: [sdkTool('sdk_false', 'needsApproval: false,'), '{}', 'preApproved', /^ran$/],
    sdk_function: [
      sdkTool('sdk_function', 'needsApproval: () => false,'),
      '{}',
      'preApproved',
      /^ran$/,
    ],
    sdk_asking: [sdkTool('sdk_asking', 'needsApproval: async () => true,'), '{}', 'ask'],
    sdk_throwing: [
      sdkTool('sdk_throwing', "needsApproval: () => { throw new Error('no') },"),
      '{}',
      'ask',
    ],
    sdk_absent: [sdkTool('sdk_absent', ''), '{}', 'ask'],
    sdk_marked: [sdkTool('sdk_marked', ''), '{ approval: preApproved }', 'preApproved'],
    sdk_user: [
      sdkTool('sdk_user', '', `export const toolApproval = { sdk_user: 'user-approval' }`),
      '{}',
      'ask',
    ],
    sdk_approved: [
      sdkTool('sdk_approved', '', `export const toolApproval = { sdk_approved: 'approved' }`),
      '{}',
      'preApproved',
    ],
    sdk_denied: [
      sdkTool('sdk_denied', '', `export const toolApproval = { sdk_denied: 'denied' }`),
      '{}',
      'blocked',
    ],
    sdk_other: [
      sdkTool('sdk_other', '', `export const toolApproval = { sdk_other: 'not-applicable' }`),
      '{}',
      'ask',
    ],
  }

let desk: ContractDesk

beforeAll(async () => {
  const files = Object.entries(fileCalls).map(([id, [call]]) => ({ id, ...call }))
  const tools = Object.keys(customTools).map((tool) => ({ id: tool, tool, input: { x: '1' } }))
  const listed = Object.entries(customTools).map(([name, [, how]]) => `  ${name}: ${how}`)
  const twice = [
    { id: 'same', ...read('notes/old.md') },
    { id: 'same', ...read('data.bin') },
  ]
  desk = await ContractDesk.open({
    'countersign.yaml': contractConfig,
    // Neither `shell` nor `mcpServers`: such calls name tools that this worker does not have.
    ...scriptedWorker('files', [files, twice]),
    ...scriptedWorker('tools', [tools], `tools:\n${listed.join('\n')}`),
    ...Object.fromEntries(
      Object.entries(customTools).map(([name, [file]]) => [`tools/${name}.ts`, file]),
    ),
    'notes/old.md': 'hello\nold\n',
    'data.bin': '\u0000\u0001\u0002\u0003',
    'src/a.ts': 'x\n',
    'scratch/readme.txt': 'x\n',
    '.env.local': 'SECRET=1\n',
    '.github/readme.md': 'x\n',
  })
}, 240_000)
afterAll(() => desk?.[Symbol.asyncDispose]())

/** Approves whatever waits, and answers the calls once the run has ended. */
async function throughApprovals(worker: string): Promise<Map<string, TranscriptCall>> {
  const run = await desk.run(worker)
  const before = await desk.calls(run)
  for (const request of await desk.requests(run)) {
    const view = { seen: request.presentation.digest, reason: 'looked at' }
    const decided = await desk.decide(request, request.risk === 'high' ? view : {})
    expect(decided, `${request.title}: ${JSON.stringify(decided.body)}`).toMatchObject({
      status: 200,
    })
  }
  await desk.until(run, ['completed'])
  const after = await desk.calls(run)
  expect(after.every((call) => call.result !== undefined)).toBe(true)
  for (const call of before.filter(({ verdict }) => verdict === 'ask')) {
    expect(call).toMatchObject({ requestId: expect.any(String) })
    expect(after.find(({ callId }) => callId === call.callId)?.result?.type).toBe('output')
  }
  return new Map(after.map((call) => [call.toolCallId, call]))
}

// Rules: product.md 1, 2
test('every file call of a turn comes to the verdict, result and text that the rules say', async () => {
  const calls = await throughApprovals('files')
  for (const [id, [call, verdict, type, text]] of Object.entries(fileCalls)) {
    const found = calls.get(id)
    expect([id, found?.tool, found?.verdict]).toEqual([id, call.tool, verdict])
    if (type !== null) expect([id, found?.result?.type]).toEqual([id, type])
    if (text !== undefined)
      expect([id, found?.result?.text]).toEqual([id, expect.stringMatching(text)])
    if (verdict === 'error') expect([id, found?.rule]).toEqual([id, null])
    else expect([id, found?.rule?.text]).toEqual([id, expect.any(String)])
  }
  expect(calls.get('same')).toMatchObject({ verdict: 'error', result: { type: 'error' } })
  expect(calls.get('ci')?.rule?.id).toMatch(/^protected:/)
})

// Rules: product.md 2, 3
test('every custom tool comes to the verdict that its file and the worker declare, the stricter one', async () => {
  const calls = await throughApprovals('tools')
  for (const [name, [, , verdict, text]] of Object.entries(customTools)) {
    const found = calls.get(name)
    expect([name, found?.verdict, found?.result?.text]).toEqual([name, verdict, expect.any(String)])
    if (text !== undefined) expect(found?.result?.text).toMatch(text)
  }
  expect(calls.get('throws')?.rule?.text).toContain('boom')
  expect(calls.get('fails')?.result?.type).toBe('error')
})

test('explain says the same as a run, step by step, at the terminal too', async () => {
  const input = JSON.stringify({ path: 'frozen/a', content: 'x' })
  const output = await desk.cli(
    'explain',
    'files',
    'write_file',
    input,
    '--as',
    'alan@example.com',
    '--json',
  )
  expect(output.code).toBe(0)
  expect(JSON.parse(output.stdout)).toMatchObject({
    verdict: 'blocked',
    reason: 'code freeze until Monday',
    rule: { source: expect.stringMatching(/^countersign\.yaml:\d+$/) },
    steps: [
      { step: 'known' },
      { step: 'canonical' },
      { step: 'capability' },
      { step: 'consent', outcome: 'blocked' },
    ],
  })
})
