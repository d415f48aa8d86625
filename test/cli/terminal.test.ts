import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { Installation } from '../harness/installation/installation.ts'
import { cliProject } from './cli-project.ts'
import { CommandLine } from './command-line.ts'

let installation: Installation
let cli: CommandLine
const ada = ['--as', 'ada@example.com']
const grace = ['--as', 'grace@example.com']

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  installation = await Installation.start(cliProject)
  cli = new CommandLine(installation.folder)
}, 240_000)
afterAll(() => installation[Symbol.asyncDispose](), 240_000)

async function waiting(worker: string): Promise<{ run: string; request: string }> {
  const { out } = await cli.run('run', worker, 'please', '--watch', ...ada)
  const [, run = ''] = /^run (\S+) of/.exec(out) ?? []
  const [, request = ''] = /^#(\d+) /m.exec(out) ?? []
  return { run, request }
}

async function stateOf(request: string): Promise<unknown> {
  return (await cli.json('requests', 'show', request, ...grace))['state']
}

test('approve prints everything, asks with no preselected, and carries out what was shown', async () => {
  const { request } = await waiting('scribe')
  const unsure = cli.atTerminal('approve', request, ...grace)
  await unsure.sees('│ ok⟦U+001B ESC⟧[2J')
  await unsure.sees(`Approve as shown, scope once: #${request}?`)
  unsure.type('\r')
  await unsure.sees('Nothing was decided.')
  expect(await unsure.ends()).toBe(1)
  expect(await stateOf(request)).toBe('pending')
  const sure = cli.atTerminal('approve', request, ...grace)
  await sure.sees(`scope once: #${request}?`)
  sure.type('y')
  await sure.sees('Recorded.')
  expect(await sure.ends()).toBe(0)
  expect(await stateOf(request)).toBe('approved')
})

test('high risk is approved by a key only once all was printed, and wants a reason', async () => {
  const { request } = await waiting('risky')
  const review = cli.with({ PAGER: 'cat' }).atTerminal('review', ...grace)
  await review.sees('Request 1 of 1')
  await review.sees('task')
  await review.sees('HIGH RISK')
  await review.sees('140 more lines')
  await review.sees('a approve once')
  review.type('a')
  await review.sees('High risk: view all of it first, with v.')
  await review.sees('v view')
  review.type('v')
  await review.sees('│ step 200')
  await review.sees('a approve once')
  review.type('a')
  await review.sees('Reason (High risk needs a reason)')
  review.type('\r')
  await review.sees('A reason is required')
  review.type('read it all\r')
  await review.sees('Recorded.')
  await review.sees('No more requests wait for you. 1 decided, 0 left')
  expect(await review.ends()).toBe(0)
  expect(await stateOf(request)).toBe('approved')
})

test('review leaves what it is told to leave, and goes on to the next', async () => {
  const [first, second] = [await waiting('scribe'), await waiting('again')]
  const review = cli.atTerminal('review', ...grace)
  await review.sees('Request 1 of 2')
  await review.sees('x deny and stop')
  review.type('l')
  await review.sees(`#${first.request} is not decided.`)
  await review.sees('Request 2 of 2')
  await review.sees('x deny and stop')
  // A key without a meaning, and Enter, decide nothing.
  review.type('z\r')
  await review.sees('x deny and stop')
  review.type('x')
  await review.sees('Reason')
  review.type('wrong branch\r')
  await review.sees('1 decided, 1 left undecided')
  expect(await review.ends()).toBe(0)
  expect(await stateOf(first.request)).toBe('pending')
  const run = await cli.json('runs', 'show', second.run, ...ada)
  expect(run['state']).toBe('waiting_for_input')
  await cli.ok('runs', 'cancel', first.run, ...ada)
})

/** Presses the key of a scope in the review of one request, and says yes to what it covers. */
async function approveWith(key: string, offer: string, covers: string): Promise<void> {
  const review = cli.atTerminal('review', ...grace)
  await review.sees(offer)
  review.type(key)
  await review.sees('Reason')
  review.type('\r')
  await review.sees(covers)
  await review.sees('At most how many uses?')
  review.type('2\r')
  await review.sees('Continue?')
  review.type('y')
  await review.sees('1 decided, 0 left undecided')
  expect(await review.ends()).toBe(0)
}

test('f approves for the file, with what that covers, and d denies what --watch has waited for', async () => {
  const { run, request } = await waiting('scribe')
  await approveWith('f', 'f approve for this file', 'notes/a.md')
  expect(await stateOf(request)).toBe('approved')
  const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
  expect(grants.items).toMatchObject([{ scope: 'path', usesAllowed: 2 }])
  const review = cli.atTerminal('review', '--watch', ...grace)
  await review.sees('No request waits for you.')
  const second = await waiting('scribe')
  await review.sees('d deny')
  // The file is there, for which no command is.
  review.type('c')
  await review.sees('d deny')
  review.type('d')
  await review.sees('Reason')
  review.type('not this one\r')
  await review.sees('No request waits for you.')
  review.type('q')
  await review.sees('1 decided, 0 left undecided')
  expect(await review.ends()).toBe(0)
  expect(await stateOf(second.request)).toBe('denied')
  await cli.run('runs', 'watch', second.run, ...ada)
  expect((await cli.json('runs', 'show', second.run, ...ada))['state']).toBe('completed')
})

test.skipIf(!testSandbox.works)(
  'c approves for the command, where routing offers it, with what that covers',
  async () => {
    const { run, request } = await waiting('runner')
    await approveWith('c', 'c approve for this command', 'with exactly this command')
    expect(await stateOf(request)).toBe('approved')
    const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
    expect(grants.items).toMatchObject([{ scope: 'command', usesAllowed: 2 }])
  },
)

test('Ctrl-C at the prompt decides nothing', async () => {
  const { run, request } = await waiting('scribe')
  const review = cli.atTerminal('review', ...grace)
  await review.sees('q quit')
  review.type('\u0003')
  await review.sees('0 decided, 1 left undecided.')
  expect(await review.ends()).toBe(0)
  expect(await stateOf(request)).toBe('pending')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('watching asks in place whoever may decide, for this run once or for the rest of it', async () => {
  const { run } = await waiting('again')
  const watch = cli.atTerminal('runs', 'watch', run, ...grace)
  await watch.sees('s approve for the run')
  await watch.sees('q quit')
  watch.type('s')
  await watch.sees('Reason')
  watch.type('\r')
  await watch.sees('exactly these arguments')
  await watch.sees('At most how many uses?')
  watch.type('3\r')
  await watch.sees('Continue?')
  watch.type('y')
  await watch.sees('Create notes/other.md')
  await watch.sees('q quit')
  watch.type('a')
  await watch.sees('completed')
  expect(await watch.ends()).toBe(0)
  expect(await readFile(join(installation.folder, 'notes/same.md'), 'utf8')).toBe('same\n')
  const grants = await cli.json<{ items: unknown[] }>('grants', run, ...grace)
  expect(grants.items).toMatchObject([{ scope: 'run', usesAllowed: 3, uses: 1 }])
})

test('watching ends with 4 after a denial, and with 3 when nothing was asked of the watcher', async () => {
  const { run } = await waiting('again')
  const starter = cli.atTerminal('runs', 'watch', run, ...ada)
  await starter.sees('waits for 1 of platform')
  expect(await starter.ends()).toBe(3)
  expect(starter.screen).not.toContain('a approve once')
  const watch = cli.atTerminal('runs', 'watch', run, ...grace)
  await watch.sees('q quit')
  watch.type('x')
  await watch.sees('Reason')
  watch.type('\r')
  await watch.sees('countersign runs message')
  expect(await watch.ends()).toBe(4)
})

test('what an agent wrote moves no cursor and rings no bell, at a terminal too', async () => {
  const { run, request } = await waiting('scribe')
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
    const { run } = await waiting('builder')
    const watch = cli.atTerminal('runs', 'watch', run, ...grace)
    await watch.sees('q quit')
    watch.type('a')
    await watch.sees('standard output:')
    await watch.sees('│ one ⟦U+001B ESC⟧[2J⟦U+0007 BEL⟧')
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
  await starter.sees('│ I write it. ok⟦U+001B ESC⟧[2J⟦U+0007 BEL⟧')
  await starter.sees('? write_file notes/a.md')
  await starter.sees('waits for Edsger, Grace, Linus')
  const run = /^run (\S+) of/m.exec(starter.screen)?.[1] ?? ''
  const approver = cli.with({ PAGER: 'cat' }).atTerminal('runs', 'attach', run, ...grace)
  await approver.sees(
    'a approve once · s approve for the run · f approve for this file · d deny · x deny and stop',
  )
  expect(approver.screen).not.toContain('"path"')
  approver.type('\r')
  await approver.sees('a approve once')
  approver.type('v')
  await approver.sees('"path": "notes/a.md"')
  await approver.sees('a approve once')
  approver.type('a')
  await approver.sees('Recorded.')
  await starter.sees('write_file done approved by Grace')
  await starter.sees('│ Done.')
  await starter.sees('The run waits for your message.')
  starter.type('/mode\r')
  await starter.sees('Mode prompt.')
  starter.type('/input\r')
  await starter.sees('"path": "notes/a.md"')
  starter.type('/approve\r')
  await starter.sees('There is no such command.')
  starter.type('/close\r')
  await starter.sees('completed')
  expect(await starter.ends()).toBe(0)
  expect(await approver.ends()).toBe(0)
  for (const { raw } of [starter, approver]) {
    expect(raw).not.toContain('\u001b[2J')
    expect(raw).not.toContain('\u0007')
  }
})

// Rules: product.md 8, 29
test('a key denies with a reason and stops; a message goes on, a fork goes elsewhere', async () => {
  const { run, request } = await waiting('again')
  const approver = cli.atTerminal('runs', 'attach', run, ...grace)
  await approver.sees('x deny and stop')
  approver.type('x')
  await approver.sees('Reason')
  approver.type('wrong file\r')
  await approver.sees('Recorded.')
  await approver.sees('wrong file')
  expect(await stateOf(request)).toBe('denied')
  expect(await approver.ends()).toBe(4)
  const starter = cli.atTerminal('runs', 'attach', run, ...ada)
  await starter.sees('wrong file')
  await starter.sees('> ')
  starter.type('/fork 0\r')
  await starter.sees('run #')
  await starter.sees('│ Once.')
  await starter.sees('waits for Edsger, Grace, Linus')
  starter.type('/cancel enough\r')
  await starter.sees('cancelled')
  expect(await starter.ends()).toBe(1)
  await cli.ok('runs', 'cancel', run, ...ada)
})

// Rules: product.md 30
test('a question is answered in place, and what a run below waits for is named; Ctrl-C leaves and the run goes on', async () => {
  const starter = cli.atTerminal('run', 'asker', 'go', '--no-conversation', ...ada)
  await starter.sees('Which one?')
  await starter.choose('Your answer', 1)
  await starter.sees('Recorded. The agent reads it.')
  await starter.sees('waits for Edsger, Grace, Linus')
  starter.type('\u0003')
  await starter.sees('You left the run; it continues. Return with: countersign runs attach')
  expect(await starter.ends()).toBe(3)
  const run = /^run (\S+) of/m.exec(starter.screen)?.[1] ?? ''
  expect((await cli.json('runs', 'show', run, ...ada))['state']).toBe('waiting_for_approval')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('without a terminal attaching asks nothing and ends', async () => {
  const { run } = await waiting('scribe')
  const { code, out } = await cli.run('runs', 'attach', run, ...grace)
  expect(code).toBe(3)
  expect(out).toContain('waits for 1 of platform')
  expect(out).not.toContain('a approve once')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('login asks for the link where somebody can paste it', async () => {
  const { url } = await cli.json<{ url: string }>('people', 'link', 'grace@example.com')
  const login = cli.atTerminal('login', new URL(url).origin)
  await login.sees('Paste a one-time link')
  login.type(`${url}\r`)
  await login.sees('Signed in at')
  expect(await login.ends()).toBe(0)
  const mode = (await stat(join(installation.folder, '.config/countersign/sessions.json'))).mode
  expect(mode & 0o777).toBe(0o600)
})
