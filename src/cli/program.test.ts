import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { withHelpOption } from './commands/usage-errors.ts'
import { createProgram } from './program.ts'

function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((below) => [below, ...commandsBelow(below)])
}

const lists = commandsBelow(createProgram()).filter((command) => command.name() === 'ls')

test('every list is reached as ls, as list and by the name of its group alone', async () => {
  const groups = lists.map((list) => list.parent?.name() ?? '')
  expect(groups).toContain('runs')
  for (const list of lists) {
    const path = pathOf(list.parent)
    const values = list.registeredArguments.filter(({ required }) => required).map(() => 'value')
    for (const word of [['ls'], ['list'], []]) {
      const line = [...path, ...word, ...values]
      expect(await commandOf(line), line.join(' ')).toBe('ls')
    }
  }
})

test('the help of a group names both words', () => {
  for (const list of lists) expect(list.parent?.helpInformation()).toContain('ls|list')
})

test('each help says what it shows, of a command and of a group', () => {
  const program = createProgram()
  for (const command of [program, ...commandsBelow(program)]) {
    const help = command.helpInformation()
    expect(help, command.name()).toMatch(/-h, --help +show this help/)
    expect(help, command.name()).not.toContain('display help')
  }
  expect(program.commands.find((one) => one.name() === 'runs')?.helpInformation()).toMatch(
    / {2}help \[command\] +show the help of a command/,
  )
})

test('an unknown command of a group is refused with the commands that the group has', async () => {
  const groups = createProgram().commands.filter(({ commands }) => commands.length > 0)
  for (const group of groups) {
    // The commands of these groups take a run.
    if (group.name() === 'grants') continue
    for (const rest of [[], ['--unknown', 'x']]) {
      const message = await errorOf([group.name(), 'lsit', ...rest])
      expect(message, group.name()).toMatch(/^error: unknown command 'lsit'\n/)
      for (const name of group.commands.map((each) => each.name()))
        expect(message, group.name()).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
    }
  }
})

test('in a group below a group, too', async () => {
  expect(await errorOf(['people', 'credentials', 'add'])).toMatch(/^error: unknown command 'add'\n/)
  expect(await commandOf(['runs', '--json'])).toBe('ls')
})

test('help of a name that no command has is refused like the name alone, with the nearest command', async () => {
  for (const [line, refusal] of [
    ['reqests --help', "unknown command 'reqests'\n(Did you mean requests?)"],
    ['help reqests', "unknown command 'reqests'\n(Did you mean requests?)"],
    ['runs shwo -h', "unknown command 'shwo'\n(Did you mean show?)"],
    ['help runs shwo', "unknown command 'shwo'\n(Did you mean show?)"],
    ['runs shwo', "unknown command 'shwo'\n(Did you mean show?)"],
    ['hook claude-code resum --help', "unknown command 'resum'\n(Did you mean resume?)"],
    ['people credentials help zzz', "unknown command 'zzz'\n"],
  ] as const)
    expect(await errorOf(line.split(' ')), line).toContain(`error: ${refusal}`)
})

test('help before, among or after the names of commands is the help of the last of them', async () => {
  for (const [line, usage] of [
    ['help', 'countersign'],
    ['help help', 'countersign'],
    ['help runs', 'countersign runs'],
    ['runs help', 'countersign runs'],
    ['help runs show', 'countersign runs show'],
    ['runs help show', 'countersign runs show'],
    ['runs show --help', 'countersign runs show'],
    ['grants 12 --help', 'countersign grants'],
  ] as const)
    expect(await helpOf(line.split(' ')), line).toMatch(new RegExp(`^Usage: ${usage} \\[`))
})

test('a reader of the messages who stops reading changes no exit code', async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'no-such-command'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.destroy()
  expect(await once(child, 'exit')).toEqual([2, null])
})

test('a command starts without what only others need: schemas, the verification of evidence', async () => {
  const program = new URL('program.ts', import.meta.url).href
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) })
    await import(${JSON.stringify(program)})`
  const flags = [...process.execArgv, '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  expect(stdout).toContain('/cli/commands/audit/audit.ts')
  expect(stdout).not.toMatch(/node_modules\/zod\/|\/evidence\/verify\/|\/cli\/witness\//)
})

test('a text without quotes is refused, and the message shows how to write it', async () => {
  for (const line of ['run notes draft the notes', 'runs message 12 go on', 'answer 12 dark blue'])
    expect(await errorOf(line.split(' '))).toContain('several words is one argument in quotes')
  expect(await errorOf(['runs', 'ls', 'notes'])).not.toContain('in quotes')
})

/** What a line that is refused prints. */
async function errorOf(words: readonly string[]): Promise<string> {
  const { out, err } = await printed(words, /^error:/)
  expect(out).toBe('')
  return err
}

/** The help that a line prints. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { out, err } = await printed(words, /outputHelp/)
  expect(err).toBe('')
  return out
}

async function printed(
  words: readonly string[],
  end: RegExp,
): Promise<{ readonly out: string; readonly err: string }> {
  const output = { out: '', err: '' }
  const program = createProgram()
  for (const command of [program, ...commandsBelow(program)])
    command.exitOverride().configureOutput({
      writeOut: (text) => void (output.out += text),
      writeErr: (text) => void (output.err += text),
    })
  const parsing = program.parseAsync(withHelpOption(program, words), { from: 'user' })
  await expect(parsing, words.join(' ')).rejects.toThrow(end)
  return output
}

function pathOf(command: Command | null): string[] {
  return command?.parent ? [...pathOf(command.parent), command.name()] : []
}

/** The name of the command that a line leads to; nothing is carried out. */
async function commandOf(words: readonly string[]): Promise<string> {
  const program = createProgram()
  let reached = ''
  for (const command of [program, ...commandsBelow(program)]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined })
    if (command.commands.length === 0) command.action(() => void (reached = command.name()))
  }
  await program.parseAsync(words, { from: 'user' })
  return reached
}

test('the help groups every command by its purpose (decide, run, set up, operate), within 80 columns', () => {
  const program = createProgram().configureOutput({ getOutHelpWidth: () => 80 })
  const help = program.helpInformation()
  const groups = [...help.matchAll(/^(\S.*):$/gm)].map(([, title]) => title)
  expect(groups).toEqual(['Options', 'Decide', 'Run', 'Set up', 'Operate'])
  // No line is wrapped on a terminal of 80 columns.
  const widest = Math.max(...help.split('\n').map(({ length }) => length))
  expect(widest).toBeLessThanOrEqual(80)
  const decide = help.slice(help.indexOf('Decide:'), help.indexOf('Run:'))
  expect(decide).toMatch(/^ {2}review\b/m)
  expect(decide).toMatch(/^ {2}approve\b/m)
})

test('an unknown command is answered in two lines: the nearest command, and where to find all of them', async () => {
  const sentences: string[] = []
  const program = createProgram().configureOutput({ writeErr: (text) => void sentences.push(text) })
  await expect(program.parseAsync(['reqests'], { from: 'user' })).rejects.toThrow('reqests')
  expect(sentences.join('').trim().split('\n')).toEqual([
    "error: unknown command 'reqests'",
    '(Did you mean requests?)',
    '(countersign --help lists the commands)',
  ])
})

test('a request and a run are named by #142 too, as every listing writes them', async () => {
  const program = createProgram()
  const named: unknown[] = []
  for (const command of commandsBelow(program)) {
    if (command.registeredArguments[0] === undefined) continue
    if (!['request', 'run'].includes(command.registeredArguments[0].name())) continue
    if (!command.registeredArguments[0].required) continue
    command.exitOverride().action((first: unknown) => void named.push(first))
    const rest = command.registeredArguments.slice(1).map(() => '2026-12-01')
    const options = command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'no'])
    await program.parseAsync([...pathOf(command), '#142', ...rest, ...options], { from: 'user' })
  }
  expect(named.length).toBeGreaterThan(15)
  expect(new Set(named)).toEqual(new Set(['142']))
})
