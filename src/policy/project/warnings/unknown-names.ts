import { builtInToolNames } from '#domain/tools/built-in-tools.ts'
import { startRunName } from '#domain/runs/start-of-run.ts'
import { globMatches } from '../../judge/routing/when-matches.ts'
import type { Policy, ProjectProblem } from '../../policy.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { words } from '../../names/words.ts'
import { closestWord } from '../../reading/did-you-mean.ts'
import { placeOfSource } from '../../reading/report.ts'

/**
 * An error for each tool that a worker file lists and that is neither built in nor defined in
 * `tools/`. `defined` are the names that the project's tool files export: only callers that may
 * load code know them.
 */
export function unknownTools(
  policy: Pick<Policy, 'workers'>,
  defined: ReadonlySet<string>,
): readonly ProjectProblem[] {
  const names: readonly string[] = [...builtInToolNames, ...defined]
  return [...policy.workers.values()].flatMap((worker) =>
    [...worker.tools]
      .filter(([name]) => !names.includes(name) && !isOfServer(worker, name))
      .map(([name, setting]): ProjectProblem => {
        const near = closestWord(name, names)
        return {
          ...placeOfSource(setting.source),
          problem: `the worker lists the tool "${name}", which no file in tools/ defines`,
          remedy:
            near === null
              ? 'define it in a file of tools/, or remove it'
              : `did you mean "${near}"?`,
          severity: 'error',
        }
      }),
  )
}

/**
 * A warning for each tool pattern of routing and overlays that matches no tool of any worker. The
 * tools of an MCP server are unknown here.
 */
export function idleToolPatterns(
  policy: Policy,
  defined: ReadonlySet<string>,
): readonly ProjectProblem[] {
  const { routing, overlays } = policy.config
  const names = [...builtInToolNames, startRunName, ...defined]
  const rules = [
    ...routing.map(({ when, source }) => ({ when, source })),
    ...overlays.map(({ when, consent }) => ({ when, source: consent.source })),
  ]
  return rules.flatMap(({ when, source }) =>
    (when.tool ?? [])
      .filter((pattern) => !/^(?:mcp_|\*)/.test(pattern))
      // A near miss of a built-in name has its own warning already.
      .filter((pattern) => closestWord(pattern, builtInToolNames) === null)
      .filter((pattern) => !names.some((name) => globMatches(pattern, name)))
      .map((pattern) => ({
        ...placeOfSource(source),
        problem: `no tool is called "${pattern}"`,
        remedy: 'correct the name, or define the tool in a file of tools/',
        severity: 'warning' as const,
      })),
  )
}

/** Only the server knows its tools. */
function isOfServer(worker: WorkerDefinition, name: string): boolean {
  return [...worker.mcpServers.keys()].some((server) => name.startsWith(`mcp__${server}__`))
}

/** Commands of the shell itself, without a program of the name. */
const builtins = new Set(
  words(`
    : . [ alias cd command echo eval exec exit export false printf pwd read set shift source test
    time times trap true type ulimit umask unset wait`),
)

/**
 * A warning for each program that a shell rule names and this host lacks. `isHere` is called once
 * for each name. A rule for a program of the workspace names it by a path, and is left alone.
 */
export async function unknownPrograms(
  policy: Policy,
  isHere: (name: string) => Promise<boolean>,
): Promise<readonly ProjectProblem[]> {
  const rules = [...policy.workers.values()].flatMap((worker) => worker.shell?.rules ?? [])
  const names = [...new Set(rules.map((rule) => rule.pattern[0] ?? ''))]
  const missing = new Set<string>()
  for (const name of names) {
    if (name.includes('/') || builtins.has(name) || (await isHere(name))) continue
    missing.add(name)
  }
  return rules
    .filter((rule) => missing.has(rule.pattern[0] ?? ''))
    .map((rule) => ({
      ...placeOfSource(rule.consent.source),
      problem: `a shell rule names the program "${rule.pattern[0]}", which is not on this host`,
      remedy: 'correct the name, or install it where commands run',
      severity: 'warning',
    }))
}
