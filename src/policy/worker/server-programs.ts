import { posix } from 'node:path'
import type { McpServer } from '../worker-definition.ts'

/** The files and packages that the command line of a server on standard input names. */
export interface ServerPrograms {
  /** absolute, or relative to the folder in which the server starts; they may not exist */
  readonly files: readonly string[]
  /** packages that a runner of packages starts */
  readonly packages: readonly string[]
}

/** Endings of files that an interpreter runs. */
const script = /\.(?:[cm]?[jt]sx?|py|rb|sh|pl|php|jar|wasm|lua)$/i
/** `./server`: with an ending it may be a file of data. */
const plainProgram = /^\.\/(?:.*\/)?[^./]+$/
/** Their first operand is a script, whatever its ending. */
const interpreter = /^(?:node|bun|deno|tsx|python[\d.]*|bash|sh|ruby|perl|php|lua)$/
const packageRunner = /^(?:npx|bunx|pnpx)$/

/**
 * The files and packages that `command` and `args` name as the server's program. A command without
 * a path, such as `python3`, belongs to the host and is not among them.
 */
export function serverPrograms({
  command,
  args,
}: Pick<Extract<McpServer['transport'], { type: 'stdio' }>, 'command' | 'args'>): ServerPrograms {
  const program = posix.basename(command)
  const operand = args.find((word) => !word.startsWith('-'))
  const values = args.map((word) => (word.startsWith('-') ? word.replace(/^[^=]*=/, '') : word))
  const files = [
    ...(command.includes('/') ? [command] : []),
    ...values.filter((word) => script.test(word) || plainProgram.test(word)),
    ...(interpreter.test(program) && operand !== undefined ? [operand] : []),
    ...moduleFiles(args),
  ].filter((word) => !word.includes('://') && !word.startsWith('-'))
  const packages =
    packageRunner.test(program) && operand !== undefined ? [withoutVersion(operand)] : []
  return { files: [...new Set(files)], packages }
}

/** Options of interpreters whose value is the next word. */
const optionWithValue =
  /^(?:-[CIWXcempr]|--(?:require|import|loader|experimental-loader|conditions|env-file|eval|print|input-type))$/

/** The script that a host's interpreter runs for a server; `null`: `args` name none. */
export function serverScript({
  command,
  args,
}: Pick<Extract<McpServer['transport'], { type: 'stdio' }>, 'command' | 'args'>): string | null {
  const operand = args.find(
    (word, at) => !word.startsWith('-') && !optionWithValue.test(args[at - 1] ?? ''),
  )
  if (operand === undefined || !interpreter.test(posix.basename(command))) return null
  return script.test(operand) && !/\s|:\/\//.test(operand) ? operand : null
}

/** Where Python searches the module of `-m` in the folder in which it starts. */
function moduleFiles(args: readonly string[]): readonly string[] {
  const name = args[args.indexOf('-m') + 1]
  if (!args.includes('-m') || name === undefined || !/^\w+(?:\.\w+)*$/.test(name)) return []
  const at = name.replaceAll('.', '/')
  return [`${at}.py`, `${at}/__main__.py`]
}

function withoutVersion(name: string): string {
  return name.replace(/(?<=.)@.*$/, '')
}
