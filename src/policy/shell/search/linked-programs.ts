import type { CommandHost } from '#domain/tools/command.ts'
import { actsByName, maybeSameProgram } from '../programs/program-names.ts'
import { Budget, maxSteps } from '../spelling/budget.ts'
import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { possibleCommandsIn, type Search } from './possible-commands.ts'

/** Following the links of one path takes about as long as comparing so many words. */
const stepsOfPath = 16

/** The context of a text: `root` is absolute, `cwd` is relative to it. */
interface LinkContext {
  readonly host: CommandHost
  readonly root: string
  readonly cwd: string
}

/**
 * The search of a text, with each command whose name leads to another program also as a command of
 * that program, for asks and blocks (security.md 41): `./tool push` is also `git push` where `tool`
 * is a link to `git`. Links and alternatives are followed; behind a wrapper only names with a
 * folder are.
 */
export async function withLinkedPrograms(search: Search, context: LinkContext): Promise<Search> {
  const budget = new Budget(maxSteps.matching)
  const programs = new Map<string, string | null>()
  const programOf = async (name: string): Promise<string | null> => {
    if (!programs.has(name)) {
      if (!budget.spend(stepsOfPath)) return null
      programs.set(name, await linkedProgram(name, context))
    }
    return programs.get(name) ?? null
  }
  const linked: (readonly Spelling[])[] = []
  for (const { words, inner } of search.commands) {
    const starts = [{ words, from: 0 }, ...inner]
    for (const [list, places] of Map.groupBy(starts, (start) => start.words)) {
      const replaced = [...list]
      for (const { from } of places) {
        const name = nameIn(list[from])
        if (name === null || (from > 0 && !name.includes('/'))) continue
        const program = await programOf(name)
        if (program !== null) replaced[from] = exactly(program)
      }
      if (replaced.some((word, index) => word !== list[index])) linked.push(replaced)
    }
  }
  const more = possibleCommandsIn(linked)
  return {
    commands: [
      ...search.commands,
      ...more.commands.map((command) => ({ ...command, isLinked: true as const })),
    ],
    scanned: [...search.scanned, ...more.scanned],
    isTooDeep: search.isTooDeep || more.isTooDeep,
    isTooMuch: search.isTooMuch || more.isTooMuch || budget.isSpent,
    isPartial: search.isPartial || more.isPartial,
    computed: [...new Set([...search.computed, ...more.computed])],
  }
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
  return maybeSameProgram(program, programName(name)) || actsByName(program) ? null : program
}
