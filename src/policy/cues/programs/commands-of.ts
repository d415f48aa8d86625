import type { CommandAnalysis } from '../../shell/analyse-command.ts'
import { isUnclear, programName, type Spelling } from '../../shell/spelling/spelling.ts'
import { lineAt } from '../text/text-cues.ts'

/** One command that a text may run, as its program would receive it. */
export interface CommandOfText {
  /** last part of the program's path, in lower case */
  readonly program: string
  readonly args: readonly string[]
  /** of `args`: an unknown part is `?`, a file pattern `*` */
  readonly isOpen: boolean
  /** paths that its redirects write to */
  readonly writes: readonly string[]
  /** from 1: the line of the script, or of the vector when each of its words begins a line */
  readonly line: number
  /** its own text with everything it encloses; empty when unknown */
  readonly source: string
  /** another command reads what it prints: whether that one succeeds is another question */
  readonly isPiped: boolean
}

/** More commands than this are not examined one by one. */
const maxCommands = 400

/**
 * The commands that an analysed text may run, wrappers followed, in the order of the text; and
 * whether they are all of them.
 */
export function commandsOf({ input, search }: CommandAnalysis): {
  readonly commands: readonly CommandOfText[]
  readonly areAll: boolean
} {
  const script = input.kind === 'shell' ? input.script : input.argv.join('\n')
  const commands: CommandOfText[] = []
  for (const { words, inner, node } of search.commands) {
    const line = input.kind === 'exec' || node === null ? null : lineAt(script, node.pos)
    const writes = (node?.redirects ?? []).flatMap((redirect) =>
      redirect.type === 'Redirect' && redirect.operator.includes('>')
        ? [redirect.target?.value ?? '']
        : [],
    )
    const source = node === null ? '' : script.slice(node.pos, node.end)
    const isPiped = node !== null && /^\s*\|(?!\|)/.test(script.slice(node.end))
    const starts = [{ words, from: 0 }, ...inner]
    for (const start of starts) {
      if (commands.length >= maxCommands) return { commands, areAll: false }
      const fields = start.words.slice(start.from).map(fieldOf)
      const [name, ...args] = fields
      if (name === undefined || name.startsWith('-')) continue
      commands.push({
        program: programName(name),
        args,
        isOpen: args.some((field) => field.includes('?') || field.includes('*')),
        writes: start.from === 0 ? writes.filter((path) => path !== '') : [],
        line: line ?? placeInVector(input, start.from, fields) ?? lineOfText(script, name, args),
        source,
        isPiped,
      })
    }
  }
  return { commands, areAll: true }
}

function fieldOf(word: Spelling): string {
  const text = word.alternatives[0]?.join(' ') ?? ''
  if (text === '' && word.isOpen) return '?'
  return isUnclear(text) ? text.replaceAll(/[\u{f0001}\u{f0002}]/gu, '*') : text
}

/** The line of a command that is the rest of the vector from a word on; `null`: it is not. */
function placeInVector(
  input: CommandAnalysis['input'],
  from: number,
  fields: readonly string[],
): number | null {
  if (input.kind === 'shell') return null
  const rest = input.argv.slice(from)
  if (rest.length !== fields.length || rest[0] !== fields[0]) return null
  return input.argv.slice(0, from).join('\n').split('\n').length + (from === 0 ? 0 : 1)
}

/** The place of a command in a text: by its first words. */
function lineOfText(script: string, name: string, [first = '']: readonly string[]): number {
  const whole = script.indexOf(`${name} ${first}`)
  const at = whole >= 0 ? whole : script.indexOf(name)
  return lineAt(script, Math.max(at, 0))
}
