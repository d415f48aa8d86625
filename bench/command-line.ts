import { errorMessage } from '#domain/error-message.ts'
import { errorCode } from '#domain/error-code.ts'
import { parseArgs } from 'node:util'

/** What the command line sets of a benchmark. */
export interface BenchOptions {
  readonly runs?: number
}

/** One benchmark to run; or a text to print, with the status of the process. */
export type BenchCommand<Name extends string> =
  | { readonly name: Name; readonly json: string | null; readonly options: BenchOptions }
  | { readonly text: string; readonly status: 0 | 2 }

const options = {
  json: { type: 'string' },
  runs: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Reads the arguments of `npm run bench --`. What is wrong is said before the usage. */
export function readBenchCommand<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): BenchCommand<Name> {
  const usage = usageOf(names)
  const refuse = (wrong: string) => ({ text: `${wrong}\n${usage}`, status: 2 }) as const
  const parts = parse(args)
  if (typeof parts === 'string') return refuse(parts)
  const { values, positionals } = parts
  if (values.help === true) return { text: usage, status: 0 }
  const [first, second] = positionals
  if (first === undefined) return refuse('Name a benchmark.')
  const name = names.find((one) => one === first)
  if (name === undefined) return refuse(`There is no benchmark ${first}.`)
  if (second !== undefined) return refuse(`One benchmark runs at a time: ${second} is too much.`)
  if (values.json === '') return refuse('--json takes the name of a file.')
  const runs = values.runs === undefined ? null : Number(values.runs)
  if (runs !== null && !(Number.isSafeInteger(runs) && runs >= 1)) {
    return refuse(`--runs takes a whole number from 1, not ${values.runs}.`)
  }
  return { name, json: values.json ?? null, options: runs === null ? {} : { runs } }
}

function usageOf(names: readonly string[]): string {
  return `Usage: npm run bench -- NAME [--json FILE] [--runs N], where NAME is one of ${names.join(', ')}.
--json also writes the figures into a file. --runs sets how many runs wait in "waiting" (1000).`
}

/** The arguments, or a sentence that says which of them is wrong. */
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    if (errorCode(error)?.startsWith('ERR_PARSE_ARGS_') !== true) throw error
    return (errorMessage(error).split(/\.\s/, 1)[0] ?? '').replace(/\.?$/, '.')
  }
}
