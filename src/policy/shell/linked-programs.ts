import type { CommandHost } from '#domain/tools/command.ts'
import { containsPath } from '../globs/zones-of-path.ts'
import { readWithLinks, type CommandAnalysis, type ProgramLink } from './analyse-command.ts'
import { actsByName, maybeSameProgram } from './programs/program-names.ts'
import { Budget, maxSteps } from './spelling/budget.ts'
import { programName } from './spelling/spelling.ts'
import type { LinkedNames, Search } from './search/possible-commands.ts'

/** Following the links of one path takes about as long as comparing so many words. */
const stepsOfPath = 16

/** How often a text is read again with the links that the reading before found in it. */
const maxRounds = 6

/** The host and the absolute folder of a workspace. */
export interface LinkContext {
  readonly host: Pick<CommandHost, 'executable' | 'realPath'>
  readonly root: string
}

/**
 * The analysis, with each command whose name leads to another program also as a command of that
 * program, for asks and blocks (security.md 41): `./tool push` is also `git push` where `tool` is a
 * link to `git`. Links and alternatives are followed; behind a wrapper only names with a folder
 * are. A linked program may run further links, so the text is read until there is no new one.
 */
export async function withLinkedPrograms(
  analysis: CommandAnalysis,
  context: LinkContext,
): Promise<CommandAnalysis> {
  const budget = new Budget(maxSteps.matching)
  const seen = new Set<string>()
  const links = new Map<string, ProgramLink>()
  let { search } = analysis
  let isTooDeep = false
  for (let round = 0; ; round += 1) {
    const earlier = links.size
    for (const name of namesIn(search)) {
      if (seen.has(name)) continue
      seen.add(name)
      if (!budget.spend(stepsOfPath)) break
      const link = await linkOf(name, analysis.input.cwd, context)
      if (link !== null) links.set(name, link)
    }
    if (links.size === earlier) break
    isTooDeep = round === maxRounds
    if (isTooDeep) break
    search = readWithLinks(analysis.input, linkedNames([...links.values()]))
  }
  if (links.size === 0 && !budget.isSpent) return analysis
  const all = unionOf(analysis.search, search)
  return {
    ...analysis,
    links: [...links.values()],
    search: {
      ...all,
      isTooDeep: all.isTooDeep || isTooDeep,
      isTooMuch: all.isTooMuch || budget.isSpent,
    },
  }
}

/** The program of each name that is a link. */
export function linkedNames(links: readonly ProgramLink[]): LinkedNames {
  return new Map(links.map(({ name, program }) => [name, program]))
}

/** A `/` that does not belong to the `://` of an address. */
const slashOfPath = /(?<!:\/?)\//

/** The names of programs in a search: first words, and names with a folder behind wrappers. */
function namesIn({ commands, scanned }: Search): readonly string[] {
  const names: string[] = scanned.flat().filter((token) => slashOfPath.test(token))
  for (const { words, inner } of commands) {
    for (const start of [{ words, from: 0 }, ...inner]) {
      for (const [name] of start.words[start.from]?.alternatives ?? []) {
        if (name !== undefined && (start.from === 0 || name.includes('/'))) names.push(name)
      }
    }
  }
  return names
}

/** A search, and what a reading with links finds besides. */
function unionOf(own: Search, linked: Search): Search {
  const keyOf = ({ words, inner }: Search['commands'][number]): string =>
    JSON.stringify([words, inner.length])
  const keys = new Set(own.commands.map(keyOf))
  const more = linked.commands.filter((command) => keys.size !== keys.add(keyOf(command)).size)
  const texts = new Set(own.scanned.map((tokens) => tokens.join('\0')))
  return {
    commands: [
      ...own.commands,
      ...more.map((command) => ({ ...command, node: null, isLinked: true as const })),
    ],
    scanned: [...own.scanned, ...linked.scanned.filter((tokens) => !texts.has(tokens.join('\0')))],
    isTooDeep: own.isTooDeep || linked.isTooDeep,
    isTooMuch: own.isTooMuch || linked.isTooMuch,
    isPartial: own.isPartial || linked.isPartial,
    computed: [...new Set([...own.computed, ...linked.computed])],
  }
}

/**
 * The link that a name is. `null`: it leads to no program of another name, or to a file that acts
 * by the name.
 */
async function linkOf(
  name: string,
  cwd: string,
  context: LinkContext,
): Promise<ProgramLink | null> {
  const { host, root } = context
  const realPathOf = async (at: string | undefined): Promise<string | null> =>
    at === undefined ? null : host.realPath(at)
  const own = programName(name)
  const onHost = async (): Promise<string | null> =>
    realPathOf((await host.executable(own, cwd))?.path)
  const path = name.includes('/')
    ? await realPathOf([...(name.startsWith('/') ? [] : [root, cwd]), name].join('/'))
    : await onHost()
  // These links lead to what belongs to the process that reads them.
  if (path === null || [name, path].some((at) => /^\/(?:proc\/|dev\/(?:fd|std))/.test(at)))
    return null
  const program = programName(path)
  if (maybeSameProgram(program, own)) return null
  // A name that the host itself gives such a file is one of its programs; with any other name, the
  // file acts by its own, and its words select the program.
  if (actsByName(program) && (await onHost()) === path) return null
  const isInWorkspace = name.startsWith('/') ? containsPath(root, name) : name.includes('/')
  return { name, program, path, leadsOut: isInWorkspace && !containsPath(root, path) }
}
