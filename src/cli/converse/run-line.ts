import { randomUUID } from 'node:crypto'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { type Service, pageUrl } from '../service/service.ts'
import type { Line } from '../terminal/read-line.ts'
import { quoteLines } from '../text/quote-lines.ts'
import { printableLine } from '../text/terminal-text.ts'
import { terminalColumns } from '../text/wrap.ts'
import { filesToSend } from './files-to-send.ts'

/** The command of a line that begins with `/`. */
type SlashCommand =
  | { readonly name: 'help' | 'close' | 'mode' | 'input' | 'detach' }
  | { readonly name: 'file'; readonly path: string }
  | { readonly name: 'cancel'; readonly reason: string }
  | { readonly name: 'fork'; readonly afterTurn: number | null; readonly text: string }

/** Each command with its description, in the order of `/help`. */
const slashCommands: Readonly<Record<SlashCommand['name'], readonly [string, string]>> = {
  help: ['/help', 'this list'],
  file: ['/file PATH', 'send a picture or text of this computer with your next message or fork'],
  fork: ['/fork [TURN] TEXT', 'continue from a turn in a new run; /fork 0 starts again'],
  close: ['/close', 'complete a run that waits for a message'],
  cancel: ['/cancel [REASON]', 'cancel the run and all its child runs'],
  mode: ['/mode', 'show how the run treats calls that ask'],
  input: ['/input', 'show the whole input of the calls of the last turn'],
  detach: ['/detach', 'leave; the run continues (Ctrl-C does the same)'],
}

/**
 * The command of a line; `null` for an unknown one. A message that begins with a slash is typed
 * with two slashes.
 */
export function slashCommandOf(line: string): SlashCommand | null {
  const [, word = '', rest = ''] = /^\/(\w+)\s*([^]*)$/.exec(line.trim()) ?? []
  if (!Object.hasOwn(slashCommands, word)) return null
  const name = word as SlashCommand['name']
  if (name === 'file') return { name, path: rest.trim().replace(/^(['"])(.*)\1$/, '$2') }
  if (name === 'cancel') return { name, reason: rest }
  if (name !== 'fork') return { name }
  const [, turn, text = ''] = /^(?:(\d{1,9})(?:\s+|$))?([^]*)$/.exec(rest) ?? []
  return { name, afterTurn: turn === undefined ? null : Number(turn), text }
}

/** The result of a line: `sent` for a message, or the run with which to continue. */
export type LineOutcome = 'sent' | 'done' | 'detach' | { readonly runId: string }

/** A run in a conversation, and the files for the next message. */
export interface LineContext {
  readonly run: RunDetail
  /** paths of this computer; sending empties them */
  readonly files: string[]
}

/** Carries out a typed line. Rejects with the service's sentence. */
export async function runLine(service: Service, of: LineContext, line: Line): Promise<LineOutcome> {
  const { run, files } = of
  const command = isCommand(line) ? slashCommandOf(line.text) : 'message'
  if (command === null) {
    console.log('There is no such command. /help lists them; a message with a slash begins with //')
    return 'done'
  }
  if (command !== 'message') return act(service, of, command)
  const text = messageOf(line)
  const params = { id: run.id }
  const body = { text, ...(await filesToSend(files)) }
  await service.call('postMessage', { params, body, idempotencyKey: randomUUID() })
  files.length = 0
  if (run.state !== 'waiting_for_input') console.log('Sent. The next turn reads it.')
  return 'sent'
}

/** Pasted text is no command: nobody has typed it, and perhaps nobody has read all of it. */
function isCommand({ text, isPasted }: Line): boolean {
  return !isPasted && text.startsWith('/') && !text.startsWith('//')
}

/** The text of a line that is a message. */
export function messageOf({ text, isPasted }: Line): string {
  return isPasted ? text : text.replace(/^\/\//, '/')
}

async function act(
  service: Service,
  { run, files }: LineContext,
  command: SlashCommand,
): Promise<LineOutcome> {
  const params = { id: run.id }
  switch (command.name) {
    case 'help':
      for (const [usage, does] of Object.values(slashCommands)) {
        console.log(`  ${usage.padEnd(20)}${does}`)
      }
      return 'done'
    case 'detach':
      return 'detach'
    case 'mode':
      console.log(`Mode ${run.mode}. The mode of a run is fixed; start a new run for another one.`)
      return 'done'
    case 'input':
      await printInputs(service, run)
      return 'done'
    case 'file':
      await filesToSend([command.path])
      files.push(command.path)
      console.log(`Goes with your next message: ${files.map(printableLine).join(', ')}`)
      return 'done'
    case 'close':
      await service.call('closeRun', { params, idempotencyKey: randomUUID() })
      return 'done'
    case 'cancel': {
      const { reason } = command
      await service.call('cancelRun', { params, body: reason === '' ? {} : { reason } })
      return 'done'
    }
    case 'fork': {
      const { afterTurn, text } = command
      const body = {
        ...(afterTurn === null ? {} : { afterTurn }),
        ...(text === '' ? {} : { text }),
        ...(await filesToSend(files)),
      }
      const fork = await service.call('forkRun', { params, body, idempotencyKey: randomUUID() })
      console.log(`run #${fork.number}\n${pageUrl(service, `/runs/${fork.id}`)}`)
      return { runId: fork.id }
    }
  }
}

/** The raw input of the calls in the last turn that has calls. */
async function printInputs(service: Service, { id }: RunDetail): Promise<void> {
  const { items } = await service.call('getTranscript', { params: { id } })
  const calls = items.findLast((item) => (item.calls ?? []).length > 0)?.calls ?? []
  if (calls.length === 0) console.log('No call was made.')
  for (const { tool, input } of calls) {
    console.log(printableLine(tool))
    const columns = terminalColumns()
    for (const row of quoteLines(JSON.stringify(input, null, 2), { columns, diff: false })) {
      console.log(row)
    }
  }
}
