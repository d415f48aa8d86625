import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { Installation } from '../harness/installation/installation.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { cliProject } from './cli-project.ts'
import { CommandLine } from './command-line.ts'

let installation: Installation
let cli: CommandLine
let session: TestSession
const ada = ['--as', 'ada@example.com']
const grace = ['--as', 'grace@example.com']

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  installation = await Installation.start(cliProject)
  cli = new CommandLine(installation.folder)
  session = await installation.signIn('grace@example.com')
}, 240_000)
afterAll(() => installation[Symbol.asyncDispose](), 240_000)

/** Asks the service itself: a command for each look would be a process for each. */
async function stateOf(request: string): Promise<unknown> {
  return (await session.get(`/v1/requests/${request}`)).body['state']
}

test('approve prints everything, asks with no preselected, and carries out what was shown', async () => {
  const { request } = await cli.waiting('scribe')
  const unsure = cli.atTerminal('approve', request, ...grace)
  await unsure.converse(
    '│ ok⟦U+001B ESC⟧[2J',
    [`Approve as shown, scope once: #${request}?`, '\r'],
    'Nothing was decided.',
  )
  expect(await unsure.ends()).toBe(1)
  expect(await stateOf(request)).toBe('pending')
  const sure = cli.atTerminal('approve', request, ...grace)
  await sure.converse([`scope once: #${request}?`, 'y'], 'Recorded.')
  expect(await sure.ends()).toBe(0)
  expect(await stateOf(request)).toBe('approved')
})

test('high risk is approved by a key only once all was printed, and wants a reason', async () => {
  const { request } = await cli.waiting('risky')
  const review = cli.with({ PAGER: 'cat' }).atTerminal('review', ...grace)
  await review.converse(
    'Request 1 of 1',
    'task',
    'HIGH RISK',
    'more lines; v shows all',
    ['a approve once', 'a'],
    'High risk: view all of it first, with v.',
    ['v view', 'v'],
    '│ step 200',
    ['a approve once', 'a'],
    ['Reason (High risk needs a reason)', '\r'],
    ['A reason is required', 'read it all\r'],
    'Recorded.',
    'No more requests wait for you. 1 decided, 0 left',
  )
  expect(await review.ends()).toBe(0)
  expect(await stateOf(request)).toBe('approved')
})

test('review leaves what it is told to leave, and goes on to the next', async () => {
  const [first, second] = [await cli.waiting('scribe'), await cli.waiting('again')]
  const review = cli.atTerminal('review', ...grace)
  await review.converse(
    'Request 1 of 2',
    ['x deny and stop', 'l'],
    `#${first.request} is not decided.`,
    'Request 2 of 2',
    'x deny and stop',
  )
  // A key without a meaning, and Enter, decide nothing.
  review.type('z\r')
  await review.converse(
    ['not one of its keys; ? lists them', '?'],
    ['x deny and stop', 'x'],
    ['Reason', 'wrong branch\r'],
    '1 decided, 1 left undecided',
  )
  expect(await review.ends()).toBe(0)
  expect(await stateOf(first.request)).toBe('pending')
  const run = await cli.json('runs', 'show', second.run, ...ada)
  expect(run['state']).toBe('waiting_for_input')
  await cli.ok('runs', 'cancel', first.run, ...ada)
})

/** Presses the key of a scope in the review of one request, and says yes to what it covers. */
async function approveWith(key: string, offer: string, covers: string): Promise<void> {
  const review = cli.atTerminal('review', ...grace)
  await review.converse(
    [offer, key],
    ['Reason', '\r'],
    covers,
    ['At most how many uses?', '2\r'],
    ['Continue?', 'y'],
    '1 decided, 0 left undecided',
  )
  expect(await review.ends()).toBe(0)
}

test('f approves for the file, with what that covers, and d denies what --watch has waited for', async () => {
  const { run, request } = await cli.waiting('scribe')
  await approveWith('f', 'f approve for this file', 'notes/a.md')
  expect(await stateOf(request)).toBe('approved')
  const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
  expect(grants.items).toMatchObject([{ scope: 'path', usesAllowed: 2 }])
  const review = cli.atTerminal('review', '--watch', ...grace)
  await review.sees('No request waits for you.')
  const second = await cli.waiting('scribe')
  await review.sees('d deny')
  // The call is about a file, so the key of the scope `command` has no meaning.
  review.type('c')
  await review.converse(
    ['not one of its keys; ? lists them', 'd'],
    ['Reason', 'not this one\r'],
    ['No request waits for you.', 'q'],
    '1 decided, 0 left undecided',
  )
  expect(await review.ends()).toBe(0)
  expect(await stateOf(second.request)).toBe('denied')
  await cli.run('runs', 'watch', second.run, ...ada)
  expect((await cli.json('runs', 'show', second.run, ...ada))['state']).toBe('completed')
})

test.skipIf(!testSandbox.works)(
  'c approves for the command, where routing offers it, with what that covers',
  async () => {
    const { run, request } = await cli.waiting('runner')
    await approveWith('c', 'c approve for this command', 'with exactly this command')
    expect(await stateOf(request)).toBe('approved')
    const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
    expect(grants.items).toMatchObject([{ scope: 'command', usesAllowed: 2 }])
  },
)

test('Ctrl-C at the prompt decides nothing', async () => {
  const { run, request } = await cli.waiting('scribe')
  const review = cli.atTerminal('review', ...grace)
  await review.converse(['q quit', '\u0003'], '0 decided, 1 left undecided.')
  expect(await review.ends()).toBe(0)
  expect(await stateOf(request)).toBe('pending')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('a watching person who may decide is asked in place, for one call or for the rest of the run', async () => {
  const { run } = await cli.waiting('again')
  const watch = cli.atTerminal('runs', 'watch', run, ...grace)
  await watch.converse(
    's approve for the run',
    ['q quit', 's'],
    ['Reason', '\r'],
    'exactly these arguments',
    ['At most how many uses?', '3\r'],
    ['Continue?', 'y'],
    'Create notes/other.md',
    ['q quit', 'a'],
    'completed',
  )
  expect(await watch.ends()).toBe(0)
  expect(await readFile(join(installation.folder, 'notes/same.md'), 'utf8')).toBe('same\n')
  const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
  expect(grants.items).toMatchObject([{ scope: 'run', usesAllowed: 3, uses: 1 }])
})

test('watching ends with 4 after a denial, and with 3 when nothing was asked of the watcher', async () => {
  const { run } = await cli.waiting('again')
  const starter = cli.atTerminal('runs', 'watch', run, ...ada)
  await starter.sees('waits for 1 of platform')
  expect(await starter.ends()).toBe(3)
  expect(starter.screen).not.toContain('a approve once')
  const watch = cli.atTerminal('runs', 'watch', run, ...grace)
  await watch.converse(['q quit', 'x'], ['Reason', '\r'], 'countersign runs message')
  expect(await watch.ends()).toBe(4)
})

test('what an agent wrote moves no cursor and rings no bell, at a terminal too', async () => {
  const { run, request } = await cli.waiting('scribe')
  const deny = cli.atTerminal('deny', request, '-m', 'no', ...grace)
  await deny.sees(`Deny: #${request}?`)
  deny.type('n')
  await deny.ends()
  expect(deny.raw).not.toContain('\u001b[2J')
  expect(deny.raw).not.toContain('\u0007')
  expect(deny.raw).not.toContain('\u202e')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test.skipIf(!testSandbox.works)(
  'what a command prints is printed as it comes, and drives the terminal no more than a result does',
  async () => {
    const { run } = await cli.waiting('builder')
    const watch = cli.atTerminal('runs', 'watch', run, ...grace)
    await watch.converse(['q quit', 'a'], 'standard output:', '│ one ⟦U+001B ESC⟧[2J⟦U+0007 BEL⟧')
    expect(watch.screen).not.toContain('│ two €')
    await writeFile(join(installation.folder, 'notes/go'), '')
    await watch.sees('│ two €')
    await watch.sees('completed')
    expect(await watch.ends()).toBe(0)
    expect(watch.raw).not.toContain('\u001b[2J')
    expect(watch.raw).not.toContain('\u0007')
    const printed = watch.screen.split('Exit code')[0] ?? ''
    expect(printed.match(/│ two €/g)).toHaveLength(1)
  },
)

// Rules: product.md 28
test('a run is a conversation: its text, a key for a decision, commands, and its end', async () => {
  const starter = cli.atTerminal('run', 'scribe', 'please', ...ada)
  await starter.converse(
    '│ I write it. ok⟦U+001B ESC⟧[2J⟦U+0007 BEL⟧',
    '? write_file notes/a.md',
    'waits for Edsger, Grace, Linus',
  )
  const run = /^run (\S+) of/m.exec(starter.screen)?.[1] ?? ''
  const approver = cli.with({ PAGER: 'cat' }).atTerminal('runs', 'attach', run, ...grace)
  await approver.converse(
    'a approve once · s approve for the run · f approve for this file · d deny · x deny and stop',
  )
  expect(approver.screen).not.toContain('"path"')
  approver.type('\r')
  await approver.converse(
    ['not one of its keys; ? lists them', 'v'],
    '"path": "notes/a.md"',
    ['a approve once', 'a'],
    'Recorded.',
  )
  await starter.converse(
    'write_file done approved by Grace',
    '│ Done.',
    ['The run waits for your message.', '/mode\r'],
    ['Mode prompt.', '/input\r'],
    ['"path": "notes/a.md"', '/approve\r'],
    ['There is no such command.', '/close\r'],
    'completed',
  )
  expect(await starter.ends()).toBe(0)
  expect(await approver.ends()).toBe(0)
  for (const { raw } of [starter, approver]) {
    expect(raw).not.toContain('\u001b[2J')
    expect(raw).not.toContain('\u0007')
  }
})

// Rules: product.md 8, 29
test('a key denies with a reason and stops; a message goes on, a fork goes elsewhere', async () => {
  const { run, request } = await cli.waiting('again')
  const approver = cli.atTerminal('runs', 'attach', run, ...grace)
  await approver.converse(
    ['x deny and stop', 'x'],
    ['Reason', 'wrong file\r'],
    'Recorded.',
    'wrong file',
  )
  expect(await stateOf(request)).toBe('denied')
  expect(await approver.ends()).toBe(4)
  const starter = cli.atTerminal('runs', 'attach', run, ...ada)
  await starter.converse(
    'wrong file',
    ['> ', '/fork 0\r'],
    'run #',
    '│ Once.',
    ['waits for Edsger, Grace, Linus', '/cancel enough\r'],
    'cancelled',
  )
  expect(await starter.ends()).toBe(1)
  await cli.ok('runs', 'cancel', run, ...ada)
})

// Rules: product.md 30
test('a question is answered in place, and what a run below waits for is named; Ctrl-C leaves and the run goes on', async () => {
  const starter = cli.atTerminal('run', 'asker', 'go', '--no-conversation', ...ada)
  await starter.sees('Which one?')
  await starter.choose('Your answer', 1)
  await starter.converse(
    'Recorded. The agent reads it.',
    ['waits for Edsger, Grace, Linus', '\u0003'],
    'You left the run; it continues. Return with: countersign runs attach',
  )
  expect(await starter.ends()).toBe(3)
  const run = /^run (\S+) of/m.exec(starter.screen)?.[1] ?? ''
  expect((await cli.json('runs', 'show', run, ...ada))['state']).toBe('waiting_for_approval')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('without a terminal attaching asks nothing and ends', async () => {
  const { run } = await cli.waiting('scribe')
  const { code, out } = await cli.run('runs', 'attach', run, ...grace)
  expect(code).toBe(3)
  expect(out).toContain('waits for 1 of platform')
  expect(out).not.toContain('a approve once')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('login asks for the link where somebody can paste it', async () => {
  const { url } = await cli.json<{ url: string }>('people', 'link', 'grace@example.com')
  const login = cli.atTerminal('login', new URL(url).origin)
  await login.converse(['Paste a one-time link', `${url}\r`], 'Signed in at')
  expect(await login.ends()).toBe(0)
  const mode = (await stat(join(installation.folder, '.config/countersign/sessions.json'))).mode
  expect(mode & 0o777).toBe(0o600)
})

test('review goes on to what is after the first page of the list, and counts all that was left', async () => {
  const owner = await installation.signIn('ada@example.com')
  const scopes = ['requests:write', 'requests:read']
  const { body } = await owner.post('/v1/keys', { name: 'deployer', scopes })
  const key = { authorization: `Bearer ${String(body['key'])}`, 'content-type': 'application/json' }
  for (let number = 1; number <= 51; number += 1) {
    const request = { tool: 'deploy', input: { number }, externalId: `deploy-${number}` }
    const answer = await fetch(`${installation.url}/v1/requests`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify(request),
    })
    expect(answer.status).toBe(201)
  }
  const review = cli.atTerminal('review', ...grace)
  await review.sees('Request 1 of 50 or more')
  for (let number = 1; number <= 50; number += 1) await review.converse(['q quit', 'l'])
  await review.converse('Request 51 of 51', ['q quit', 'q'], '0 decided, 51 left undecided.')
  expect(await review.ends()).toBe(0)
})
