import type {
  AndOr,
  Command,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirection,
  Statement,
} from 'unbash'
import { coversScript } from './covers-script.ts'
import { type KnownPart, expandWord, type KnownWord } from './expand-word.ts'

export interface KnownScript {
  readonly parts: readonly KnownPart[]
  /** why parts of it are unknown, one sentence each; empty when all is known */
  readonly doubts: readonly string[]
}

/**
 * Reads a tree by a list of node types that are understood; every other type is a doubt
 * (workers-and-policy.md, shell rules).
 */
export function readStrictScript(root: ParsedScript, script: string): KnownScript {
  const reader = new ScriptReader()
  if (root.errors !== undefined && root.errors.length > 0) {
    reader.doubt(`it cannot be parsed: ${root.errors[0]?.message ?? ''}`)
  }
  if (root.shebang !== undefined) reader.doubt('it begins with "#!"')
  if (root.commands.length === 0) reader.doubt('it holds no command')
  for (const [index, statement] of root.commands.entries()) {
    if (index > 0) reader.text('; ')
    reader.statement(statement)
  }
  if (reader.doubts.length === 0 && !coversScript(script, reader.parts)) {
    reader.doubt('a part of it was passed over when it was read')
  }
  return { parts: reader.parts, doubts: [...new Set(reader.doubts)] }
}

class ScriptReader implements KnownScript {
  readonly parts: KnownPart[] = []
  readonly doubts: string[] = []

  doubt(sentence: string): void {
    this.doubts.push(sentence)
  }

  text(text: string): void {
    this.parts.push({ kind: 'text', text })
  }

  statement(statement: Statement): void {
    if (statement.background === true) this.doubt('it starts a command in the background')
    const { command } = statement
    if (command.type === 'AndOr') this.#andOr(command)
    else this.#pipelineNode(command)
  }

  #andOr(node: AndOr): void {
    for (const [index, command] of node.commands.entries()) {
      if (index > 0) this.text(` ${node.operators[index - 1] ?? '&&'} `)
      this.#pipelineNode(command)
    }
  }

  #pipelineNode(node: PipelineNode): void {
    if (node.type === 'Pipeline') this.#pipeline(node)
    else if (node.type === 'Command') this.#command(node)
    else this.doubt(`it holds ${nodeNames[node.type]}`)
  }

  #pipeline(node: Pipeline): void {
    for (const prefix of node.prefixes) {
      if (prefix.type === 'Time') this.doubt('it holds the word "time"')
      else this.text('! ')
    }
    if (node.prefixes.length > 1) this.doubt('it holds more than one "!" before a command')
    for (const [index, command] of node.commands.entries()) {
      if (index > 0) {
        if (node.operators[index - 1] !== '|') this.doubt('it holds "|&"')
        this.text(' | ')
      }
      if (command.type === 'Command') this.#command(command)
      else this.doubt(`it holds ${nodeNames[command.type]}`)
    }
  }

  #command(node: Command): void {
    const words: KnownWord[] = []
    const redirects: string[] = []
    for (const part of [
      ...node.prefix,
      ...(node.name === undefined ? [] : [node.name]),
      ...node.suffix,
    ]) {
      if (part.type === 'Assignment') {
        this.doubt('it holds an assignment')
      } else if (part.type === 'Word') {
        const word = expandWord(part)
        if (typeof word === 'string') this.doubt(`it holds ${word}`)
        else words.push(word)
      } else {
        const printed = knownRedirect(part)
        if (printed === null) this.doubt(redirectProblem(part))
        else redirects.push(printed)
      }
    }
    if (node.name === undefined)
      this.doubt('it holds a redirect or an assignment without a command')
    if (words[0]?.hasVariable === true) this.doubt('the name of a command is a variable')
    this.parts.push({ kind: 'command', node, words, redirects })
  }
}

/** A redirect to `/dev/null`, or between two of the first ten descriptors. */
function knownRedirect(redirect: Redirection): string | null {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return null
  const { descriptor, operator, target } = redirect
  if (descriptor !== undefined && descriptor.type !== 'FileDescriptor') return null
  if (descriptor !== undefined && descriptor.value > 9) return null
  const from = descriptor === undefined ? '' : String(descriptor.value)
  const word = expandWord(target)
  if (typeof word === 'string' || word.hasVariable) return null
  if (operator === '>&' || operator === '<&') {
    return /^[0-9]$/.test(word.text) ? `${from}${operator}${word.text}` : null
  }
  if (word.text !== '/dev/null' || operator === '<>') return null
  if (operator === '&>' || operator === '&>>') return from === '' ? `${operator}/dev/null` : null
  return `${from}${operator}/dev/null`
}

function redirectProblem(redirect: Redirection): string {
  if (redirect.type === 'HereDoc') return 'it holds a here-document'
  if (redirect.type === 'HereString') return 'it holds a here-string'
  return 'it redirects to something other than /dev/null or a descriptor'
}

const nodeNames = {
  AndOr: 'a list',
  ArithmeticCommand: 'an arithmetic command',
  ArithmeticFor: 'a loop',
  BraceGroup: 'a group',
  Case: 'a case',
  Coproc: 'a coprocess',
  For: 'a loop',
  Function: 'a function',
  If: 'a condition',
  Redirected: 'a redirect of a group',
  Select: 'a loop',
  Subshell: 'a subshell',
  TestCommand: 'a test in [[ ]]',
  While: 'a loop',
} as const
