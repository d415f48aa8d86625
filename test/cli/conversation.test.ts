import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HeldModel, type HeldAnswer, type ModelStepInput } from '../harness/held-model.ts'
import { Installation } from '../harness/installation/installation.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { cliProject } from './cli-project.ts'
import { CommandLine, type Terminal } from './command-line.ts'

let model: HeldModel
let installation: Installation
let cli: CommandLine
let sessions: Readonly<Record<'ada' | 'grace', TestSession>>
const ada = ['--as', 'ada@example.com']
const grace = ['--as', 'grace@example.com']
const [ctrlC, ctrlZ, enter] = ['\u0003', '\u001A', '\r']
const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`
const long = `${'These are words of the model. '.repeat(12)}\u001B]52;c;aGFja2Vk\u0007 ${'And more of them came. '.repeat(20)}`

const project = {
  ...cliProject,
  'countersign.yaml': `${cliProject['countersign.yaml']}models: { held: { context: 16000 } }\n`,
  'workers/talker.md': `---
name: talker
description: Talks
model: openai-compatible:held
---
Talk.
`,
}

/** The first answer of a run stops half-way if its task says so. */
function answerTo({ users, turn }: ModelStepInput): HeldAnswer {
  const [, place] = /hold-([a-z]+)/.exec(users) ?? []
  if (turn > 1 || place === undefined) return { text: `Answer ${turn} is here.` }
  return { text: long, hold: place }
}

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  model = await HeldModel.start(answerTo)
  const { baseUrl } = model
  const env = { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: 'held' }
  installation = await Installation.start(project, { env })
  cli = new CommandLine(installation.folder)
  sessions = {
    ada: await installation.signIn('ada@example.com'),
    grace: await installation.signIn('grace@example.com'),
  }
}, 240_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.[Symbol.asyncDispose]()
}, 240_000)

const runOf = (terminal: Terminal): string => /^run (\S+) of/m.exec(terminal.screen)?.[1] ?? ''
/** Asks the service itself: a command for each look would be a process for each. */
const stateOf = async (run: string): Promise<unknown> =>
  (await sessions.ada.get(`/v1/runs/${run}`)).body['state']
const requestOf = async (request: string) =>
  (await sessions.grace.get(`/v1/requests/${request}`)).body

/** What people have said in a run, from its task on. */
async function wordsIn(run: string): Promise<string[]> {
  const { transcript } = await cli.json<{ transcript: { role: string; text?: string }[] }>(
    `runs show ${run}`,
    ...ada,
  )
  return transcript.filter(({ role }) => role === 'user').map(({ text = '' }) => text)
}

/** The shell reads lines again, shows what is typed, and sees the cursor; pastes are not marked. */
async function expectUsable(terminal: Terminal, exitCode: number): Promise<void> {
  await terminal.sees(`exit code ${exitCode}`)
  await terminal.ends()
  const settings = terminal.screen.slice(terminal.screen.lastIndexOf('exit code'))
  expect(settings).toMatch(/\sisig icanon\s/)
  expect(settings).toMatch(/\secho\s/)
  const { raw } = terminal
  expect(raw.lastIndexOf('\u001B[?2004l')).toBeGreaterThan(raw.lastIndexOf('\u001B[?2004h'))
  expect(raw.lastIndexOf('\u001B[?25h')).toBeGreaterThanOrEqual(raw.lastIndexOf('\u001B[?25l'))
}

/** A run whose model has said half of its answer. */
async function streaming(place: string): Promise<Terminal> {
  const terminal = cli.inShell('run', 'talker', `hold-${place}`, ...ada)
  await terminal.sees('│ These are words')
  await waitUntil(() => model.holds(place) || 'the model does not hold')
  return terminal
}

async function untilAnswered(run: string): Promise<void> {
  model.release()
  await waitUntil(
    async () => (await stateOf(run)) === 'waiting_for_input' || 'the run does not rest',
  )
}

test('Ctrl-C while text streams leaves the run at work, says how to return, and gives the terminal back', async () => {
  const terminal = await streaming('ctrl')
  const run = runOf(terminal)
  terminal.type(ctrlC)
  await terminal.sees('You left the run; it continues. Return with: countersign runs attach')
  await expectUsable(terminal, 3)
  expect(await stateOf(run)).toBe('running')
  await untilAnswered(run)
  // A clipboard or a title is nothing that a model may set.
  expect(terminal.raw).not.toContain('\u001B]')
})

test('a service that does not answer does not hold a person: the second Ctrl-C leaves at once', async () => {
  const terminal = await streaming('twice')
  const run = runOf(terminal)
  const api = await installation.pidOf('api')
  process.kill(api, 'SIGSTOP')
  try {
    // The shell may read a key only after its look at the run has ended, which it never does here.
    await waitUntil(
      () => {
        terminal.type(ctrlC)
        return terminal.screen.includes('You left the run; it continues.') || 'it does not leave'
      },
      { withinMs: 20_000, everyMs: 500 },
    )
    await expectUsable(terminal, 3)
  } finally {
    process.kill(api, 'SIGCONT')
  }
  await untilAnswered(run)
})

test('a signal that ends the command leaves the terminal usable, and the run at work', async () => {
  const terminal = await streaming('signal')
  await terminal.signal('SIGTERM')
  await expectUsable(terminal, 143)
  await untilAnswered(runOf(terminal))
})

test('Ctrl-C at a question answers nothing, leaves the run, and gives the terminal back', async () => {
  const terminal = cli.inShell('run', 'asker', 'go', '--no-conversation', ...ada)
  await terminal.converse('Your answer', ['Enter:', ctrlC], 'You left the run; it continues.')
  await expectUsable(terminal, 3)
  const run = runOf(terminal)
  expect(await stateOf(run)).toBe('waiting_for_approval')
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('a killed API is a lost connection: the conversation goes on when it is back', async () => {
  const terminal = await streaming('killed')
  const gone = await installation.killNine('api')
  await terminal.sees('The connection was lost. Trying again …')
  await installation.untilBack('api', gone)
  model.release()
  await terminal.converse(
    'And more of them came.',
    ['The run waits for your message.', `go on${enter}`],
    ['│ Answer 2 is here.', `/close${enter}`],
    'completed',
  )
  await expectUsable(terminal, 0)
})

test('a line that is edited outlasts a narrower window and Ctrl-Z; a terminal that is gone ends the command', async () => {
  const terminal = cli.stoppedOnce('run', 'talker', 'hello', ...ada)
  await terminal.sees('│ Answer 1 is here.')
  await terminal.sees('> ')
  const run = runOf(terminal)
  terminal.type('one and ')
  await terminal.sees('one and ')
  await terminal.resize(40)
  terminal.type('two')
  await terminal.converse(
    ['two', ctrlZ],
    'exit code 148',
    ' icanon ',
    ['> one and two', ` three${enter}`],
    '│ Answer 2 is here.',
    '> ',
  )
  expect(await wordsIn(run)).toEqual(['hello', 'one and two three'])
  await terminal.signal('SIGHUP')
  await expectUsable(terminal, 129)
  expect(await stateOf(run)).toBe('waiting_for_input')
})

test('a window that becomes narrower gets rows of its width, each behind a bar', async () => {
  const terminal = await streaming('narrow')
  await terminal.resize(40)
  const before = terminal.screen.length
  model.release()
  await terminal.sees('The run waits for your message.')
  const [, ...rows] = terminal.screen.slice(before).split(/\r?\n/)
  const own = rows.slice(
    0,
    rows.findIndex((row) => row.startsWith('The run waits')),
  )
  expect(own.length).toBeGreaterThan(5)
  for (const row of own) expect(row).toMatch(/^│[ ↪].{0,38}$/u)
  terminal.type(`/close${enter}`)
  await terminal.ends()
})

// Rules: product.md 28
test('what is pasted is one message, whatever it contains: no key, no command, no escape sequence', async () => {
  const terminal = cli.atTerminal('run', 'talker', 'hello', ...ada)
  await terminal.sees('│ Answer 1 is here.')
  await terminal.sees('> ')
  const run = runOf(terminal)
  const hostile = `/cancel now\r\nred \u001B[31m\u001B]52;c;aGFja2Vk\u0007${ctrlC}\u0004\u001B[A\r\n/close\r\ny`
  terminal.type(paste(hostile))
  await terminal.sees('/close␤y')
  expect(await wordsIn(run)).toHaveLength(1)
  terminal.type(enter)
  await terminal.sees('│ Answer 2 is here.')
  expect(await wordsIn(run)).toEqual([
    'hello',
    '/cancel now\nred ␛[31m␛]52;c;aGFja2Vk␇␃␄␛[A\n/close\ny',
  ])
  for (const sequence of ['\u001B[31m', '\u001B]52', '\u0007'])
    expect(terminal.raw).not.toContain(sequence)
  // The same from a terminal that does not mark what is pasted.
  await terminal.converse(
    ['> ', '/cancel\rtwo\rthree'],
    ['two␤three', enter],
    '│ Answer 3 is here.',
  )
  expect((await wordsIn(run)).at(-1)).toBe('/cancel\ntwo\nthree')
  // A paste in the middle of a typed line belongs to that line.
  await terminal.converse(['> ', 'say '], ['say ', paste('one\ntwo')])
  terminal.type(` end${enter}`)
  await terminal.sees('│ Answer 4 is here.')
  expect((await wordsIn(run)).at(-1)).toBe('say one\ntwo end')
  await terminal.converse(['> ', `/forks${enter}`], 'There is no such command.')
  expect(await stateOf(run)).toBe('waiting_for_input')
  terminal.type(ctrlC)
  await terminal.sees('You left the run')
  expect(await terminal.ends()).toBe(0)
})

test('a long text is pasted whole, and what is said from elsewhere appears', async () => {
  const terminal = cli.atTerminal('run', 'talker', 'hello', ...ada)
  await terminal.sees('│ Answer 1 is here.')
  await terminal.sees('> ')
  const run = runOf(terminal)
  const lines = Array.from({ length: 1200 }, (_, line) => `${line}: a line of a log, with “€”`)
  terminal.type(paste(`${lines.join('\r\n')}\r\nend of it`))
  await terminal.converse(['end of it', enter], '│ Answer 2 is here.')
  expect((await wordsIn(run)).at(-1)).toBe([...lines, 'end of it'].join('\n'))
  // A message from elsewhere has its answer before the next look.
  await cli.ok('runs', 'message', run, 'from elsewhere', ...ada)
  await terminal.converse('│ from elsewhere', ['│ Answer 3 is here.', `/close${enter}`])
  await terminal.ends()
})

// Rules: product.md 29
test('/file before /fork goes with the first message of the fork, and not with a message before it', async () => {
  const terminal = cli.atTerminal('run', 'talker', 'hello', ...ada)
  await terminal.converse(
    '│ Answer 1 is here.',
    ['> ', `/file notes/gone.md${enter}`],
    'notes/gone.md: ',
    ['> ', `/file notes/keep.md${enter}`],
    'Goes with your next message: notes/keep.md',
    ['> ', `/fork look at it${enter}`],
    'run #',
    '[keep.md, text/plain, 5 bytes]',
    '│ Answer 2 is here.',
    ['> ', `/close${enter}`],
    'completed',
  )
  expect(await terminal.ends()).toBe(0)
  await cli.ok('runs', 'close', runOf(terminal), ...ada)
})

test('what is pasted at a request decides nothing, and submits no reason', async () => {
  const { run, request } = await cli.waiting('scribe')
  const terminal = cli.atTerminal('runs', 'attach', run, ...grace)
  await terminal.converse(
    ['a approve once', paste('a')],
    ['not one of its keys', paste(`a${enter}y`)],
    ['not one of its keys', 'd'],
    ['Reason', paste(`not\r\nthis`)],
    'not this',
  )
  expect(await requestOf(request)).toMatchObject({ state: 'pending' })
  terminal.type(enter)
  await terminal.sees('Recorded.')
  const { decisions } = await cli.json('requests', 'show', request, ...grace)
  expect(decisions).toMatchObject([{ decision: 'deny', reason: 'not this' }])
  await terminal.ends()
})

test('no key that was pressed before a request is on the screen decides it', async () => {
  const { run, request } = await cli.waiting('scribe')
  const isPending = async (): Promise<void> => {
    expect(await requestOf(request)).toMatchObject({ state: 'pending' })
  }
  for (const command of ['review', 'attach', 'watch']) {
    const line = command === 'review' ? ['review'] : ['runs', command, run]
    const terminal = cli.atTerminal(...line, ...grace)
    terminal.type('aaa')
    if (command === 'attach') {
      // In a conversation what is typed begins a message, and no request is shown meanwhile.
      await terminal.sees('> aaa')
      terminal.type(ctrlC)
    }
    await terminal.sees('a approve once')
    await isPending()
    terminal.type('q')
    await terminal.ends()
    await isPending()
  }
  const approve = cli.atTerminal('approve', request, ...grace)
  approve.type('y')
  await approve.converse(['scope once', enter], 'Nothing was decided.')
  expect(await approve.ends()).toBe(1)
  await isPending()
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('a command at a request is a line: none of its letters decides, however slowly it is typed', async () => {
  const { run, request } = await cli.waiting('scribe')
  const terminal = cli.atTerminal('runs', 'attach', run, ...grace)
  await terminal.converse(['/ command', '/'], '> /')
  for (const letter of 'mode') {
    terminal.type(letter)
    await terminal.sees(letter)
  }
  terminal.type(enter)
  await terminal.converse(
    'The mode of a run is fixed',
    ['/ command', '/detach\r'],
    'You left the run',
  )
  expect(await terminal.ends()).toBe(3)
  expect(await requestOf(request)).toMatchObject({ state: 'pending' })
  await cli.ok('runs', 'cancel', run, ...ada)
})

test('no key that was pressed before a question is on the screen answers it', async () => {
  const { id } = await cli.json<{ id: string }>('run', 'asker', 'go', '--no-watch', ...ada)
  const questions = async () =>
    (await sessions.ada.get(`/v1/runs/${id}`)).body['waitsFor'] as readonly { number: number }[]
  await waitUntil(async () => (await questions()).length === 1 || 'no question')
  const [question] = await questions()
  const terminal = cli.atTerminal('answer', String(question?.number), ...ada)
  terminal.type('\u001B[B\n')
  await terminal.converse('Your answer', ['Enter:', enter], 'Nothing was answered.')
  expect(await terminal.ends()).toBe(1)
  expect(await questions()).toHaveLength(1)
  await cli.ok('runs', 'cancel', id, ...ada)
})

test('Ctrl-C in a pager is the pager’s, which prints colours: the run is not left, and nothing is decided', async () => {
  const pager = join(installation.folder, 'pager.sh')
  // A signal that is trapped ends a `read` of dash, not the pager.
  await writeFile(
    pager,
    `trap 'echo interrupted' INT\necho "paging $LESS"\nread -r key || read -r key\necho closed\n`,
  )
  const { run } = await cli.waiting('scribe')
  const shell = cli.with({ PAGER: `sh '${pager}' < /dev/tty`, LESS: '' })
  const terminal = shell.inShell('runs', 'attach', run, ...grace)
  await terminal.converse(
    ['a approve once', 'v'],
    ['paging R', ctrlC],
    ['interrupted', '\n'],
    'closed',
    ['a approve once', 'q'],
  )
  await expectUsable(terminal, 3)
  await cli.ok('runs', 'cancel', run, ...ada)
})
