import type { CommandHost } from '#domain/tools/command.ts'
import type { ShellRule } from '../../worker-definition.ts'
import { isMultiCall, programNames } from '../programs/program-names.ts'
import type { PossibleCommand } from '../search/possible-commands.ts'
import type { Budget } from '../spelling/budget.ts'
import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { firstRestriction, innerRestrictions } from './first-match.ts'

/** Following the links of one path takes about as long as comparing so many words. */
const stepsOfPath = 16

/** The context of a command: `root` is absolute, `cwd` is relative to it. */
interface LinkContext {
  readonly host: CommandHost
  readonly root: string
  readonly cwd: string
}

/** A rule that matches a command by the program to which a link leads. */
interface LinkedRestriction {
  readonly rule: ShellRule
  readonly program: string
}

/**
 * The rules that ask or block and match a command by the program that its name leads to, through
 * links and alternatives (security.md 41): of `./tool push`, that of `git push` where `tool` is a
 * link to `git`. Behind a wrapper only names with a folder are followed.
 */
export async function linkedRestrictions(
  rules: readonly ShellRule[],
  { words, inner }: PossibleCommand,
  context: LinkContext,
  budget: Budget,
): Promise<readonly LinkedRestriction[]> {
  if (rules.every(({ consent }) => consent.approval === 'preApproved')) return []
  const replaced = [...words]
  const programs: string[] = []
  for (const from of new Set([0, ...inner.map((start) => start.from)])) {
    const name = nameIn(words[from])
    if (name === null || (from > 0 && !name.includes('/')) || !budget.spend(stepsOfPath)) continue
    const program = await linkedProgram(name, context)
    if (program === null) continue
    replaced[from] = exactly(program)
    programs.push(program)
  }
  if (programs.length === 0) return []
  const starts = inner.map(({ from }) => ({ words: replaced, from }))
  const matching = [
    firstRestriction(rules, replaced, 0, budget),
    ...innerRestrictions(rules, { words: replaced, inner: starts, node: null }, budget),
  ]
  const program = programs.join(', ')
  return matching.flatMap((rule) => (rule === null ? [] : [{ rule, program }]))
}

/** The only text that a word can be. */
function nameIn(word: Spelling | undefined): string | null {
  if (word === undefined || word.isOpen || word.alternatives.length !== 1) return null
  const [fields = []] = word.alternatives
  return fields.length === 1 ? (fields[0] ?? null) : null
}

/** `null`: it leads to no program of another name, or to a file with many programs. */
async function linkedProgram(name: string, context: LinkContext): Promise<string | null> {
  const { cwd, host, root } = context
  const at = name.includes('/')
    ? [...(name.startsWith('/') ? [] : [root, cwd]), name].join('/')
    : (await host.executable(name, cwd))?.path
  const realPath = at === undefined ? null : await host.realPath(at)
  if (realPath === null) return null
  const program = programName(realPath)
  const isSame = programNames(programName(name)).some((own) => programNames(program).includes(own))
  return isSame || isMultiCall(program) ? null : program
}
