import type { CommandAnalysis } from '#policy/shell/analyse-command.ts'
import { programNamed } from '#policy/shell/programs/registry.ts'
import type { LinkedNames } from '#policy/shell/search/possible-commands.ts'

/** The simple commands of an input, as written, without the shell's expansions. */
export function commandVectors({
  input,
  search,
}: Pick<CommandAnalysis, 'input' | 'search'>): readonly (readonly string[])[] {
  if (input.kind === 'exec') return [input.argv]
  return search.commands.flatMap(({ node }) => {
    if (node === null) return []
    const words = [node.name, ...node.args].filter((word) => word !== undefined)
    const vector = words.map((word) => (word.type === 'Word' ? word.value : word.text))
    return vector.length === 0 ? [] : [vector]
  })
}

const buildTools = new Set(
  'ant bazel bundle cargo cmake composer dotnet go gradle gradlew just make mvn mvnw ninja npm npx pip pnpm poetry rake rake task tox uv yarn'.split(
    ' ',
  ),
)

/**
 * Whether a command runs the workspace's code: an interpreter, a build tool, a program; by the name
 * in it, or by that of the program to which the name leads.
 */
export function runsWorkspaceCode(vector: readonly string[], links: LinkedNames): boolean {
  return isRunner(vector) || isRunner(vector.map((word) => links.get(word) ?? word))
}

function isRunner(vector: readonly string[]): boolean {
  const [name = '', ...rest] = vector
  if (name.includes('/') && !/^\/(usr|bin|sbin)\//.test(name)) return true
  const bare = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  const program = programNamed(bare)
  if (program?.runs === 'command' && rest.length > 0) {
    return rest.some((_, index) => runsOwnCode(rest.slice(index)))
  }
  return runsOwnCode(vector)
}

function runsOwnCode([name = '']: readonly string[]): boolean {
  const bare = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  const runs = programNamed(bare)?.runs
  return runs === 'script' || runs === 'code' || buildTools.has(bare)
}
