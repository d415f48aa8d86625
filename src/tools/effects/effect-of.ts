import { textIn, valueIn } from '#domain/json/value-in.ts'
import { oneLine } from '#domain/text/one-line.ts'
import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'
import { shells } from '#policy/shell/programs/shells.ts'
import { titleOfCall } from '../presentations/structured.ts'
import { effectOfInput, fieldsOfInput } from './effect-of-input.ts'
import { headlineOf } from './headline-of-script.ts'

/** The parts of a call for a sentence about its effect. */
export interface EffectCall {
  readonly tool: string
  readonly input: JsonObject
  /** the tool's command; `null`: it has none */
  readonly command: CommandInput | null
  /** of the tool; `null`: unknown */
  readonly schema: JsonObject | null
  /** the tool's own title for the call; `null`: it has none */
  readonly title: string | null
  /** the tool's own sentence; `null`: it has none */
  readonly sentence: string | null
  readonly presentation: Presentation | null
}

const maxCharacters = 200

/**
 * The effect of a call in one sentence that anybody understands (dashboard.md, the decision card):
 * one line without JSON, at most 200 characters, computed from the call alone. Words of the call in
 * it are text, never markup.
 */
export function effectOf(call: EffectCall): string {
  return oneLine(call.sentence ?? sentenceOf(call), maxCharacters)
}

function sentenceOf(call: EffectCall): string {
  const { tool, input, command, title } = call
  if (command !== null) return effectOfCommand(command)
  const sentence = fileSentence(call) ?? delegationSentence(tool, input)
  if (sentence !== null) return sentence
  const script = textIn(input, 'command')
  if (script !== null && script.length <= maxScript) {
    return effectOfCommand({ kind: 'shell', script, cwd: '' })
  }
  const argv = valueIn(input, 'argv')
  if (Array.isArray(argv) && argv.every((word) => typeof word === 'string')) {
    return effectOfCommand({ kind: 'exec', argv, cwd: '' })
  }
  const own = title === titleOfCall(tool, input) ? null : title
  return own ?? effectOfInput(tool, input, call.schema)
}

/** A longer script is quoted by its first line only. */
const maxScript = 8192

function fileSentence({ tool, input, presentation }: EffectCall): string | null {
  const path = textIn(input, 'path') ?? textIn(input, 'file_path')
  if (tool === 'move_file') {
    const [from, to] = [textIn(input, 'from'), textIn(input, 'to')]
    return from === null || to === null ? null : `Move ${from} to ${to}`
  }
  if (path === null) return null
  const lines = linesOf(presentation)
  switch (tool) {
    case 'read_file':
    case 'Read':
      return `Read ${path}`
    case 'list_files':
      return `List the files in ${path === '' ? 'the workspace' : path}`
    case 'search_files':
      return `Search in ${path === '' ? 'the workspace' : path} for “${oneLine(textIn(input, 'pattern') ?? '', 60)}”`
    case 'delete_file':
      return `Delete ${path}`
    case 'write_file':
    case 'edit_file':
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return presentation?.type === 'file_content' && lines !== null
        ? `Create ${path} with ${countWords(lines.added, 'line')}`
        : `Edit ${path}${lines === null ? '' : `: ${changeText(lines)}`}`
    default:
      return null
  }
}

interface Lines {
  readonly added: number
  readonly removed: number
}

function linesOf(presentation: Presentation | null): Lines | null {
  const added = presentation?.metadata['added']
  const removed = presentation?.metadata['removed']
  return typeof added === 'number' && typeof removed === 'number' ? { added, removed } : null
}

function changeText({ added, removed }: Lines): string {
  const parts = [
    ...(added > 0 ? [`${countWords(added, 'line')} added`] : []),
    ...(removed > 0 ? [`${countWords(removed, 'line')} removed`] : []),
  ]
  return parts.length === 0 ? 'no line changes' : parts.join(', ')
}

function delegationSentence(tool: string, input: JsonObject): string | null {
  if (tool === callWorkerName) {
    const worker = textIn(input, 'worker')
    const task =
      textIn(input, 'task') ?? textIn(input, 'input') ?? fieldsOf(valueIn(input, 'input'))
    if (worker === null) return null
    return `Hand work to ${worker}${task === '' ? '' : `: ${oneLine(task, 120)}`}`
  }
  return tool === 'ask_person' ? `Answer: ${oneLine(textIn(input, 'question') ?? '', 150)}` : null
}

/** The fields of an object in an input, as text; '' where there is none. */
function fieldsOf(value: Json | undefined): string {
  return isJsonObject(value) ? fieldsOfInput(value, null) : ''
}

/**
 * The effect of a command as a sentence: the vector, or the commands of a script that matter most
 * (headline-of-script.ts) and the number of others.
 */
function effectOfCommand(input: CommandInput): string {
  if (input.kind === 'shell') return effectOfScript(input)
  const script = scriptOf(input.argv)
  if (script !== null) return effectOfScript({ kind: 'shell', script, cwd: input.cwd })
  return `Run ${oneLine(input.argv.map(quotedWord).join(' '), 150)}`
}

function effectOfScript(input: CommandInput & { kind: 'shell' }): string {
  const { script } = input
  const headline = headlineOf(script, analyseCommand(input))
  if (headline === null) return `Run ${oneLine(script, 150)}`
  return headline.more === 0
    ? `Run ${headline.text}`
    : `Run ${headline.text} and ${headline.more} more`
}

/** The script of `sh -c SCRIPT`; `null` for every other vector. */
function scriptOf([program = '', ...args]: readonly string[]): string | null {
  if (!shells.has(program.split('/').at(-1) ?? '')) return null
  const index = args.findIndex((word) => !/^[-+]/.test(word) || /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word))
  const script = args[index + 1]
  return args[index]?.startsWith('-') ? (script ?? null) : null
}

/** The first meaningful line of a word with several, such as a Python program. */
function quotedWord(word: string): string {
  const lines = word.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) return `'${lines[0]?.trim()}' (${countWords(lines.length, 'line')})`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}
