import { globMatches } from '../../judge/routing/when-matches.ts'
import type { Policy, ProjectProblem, WorkerDefinition } from '../../policy.ts'
import { closestWord } from '../../reading/did-you-mean.ts'
import { placeOfSource } from '../../reading/report.ts'
import { builtInToolNames } from '../../worker/built-in-tool-names.ts'

/**
 * An error for each tool that a worker file lists and that is neither built in nor defined in `tools/`.
 * `defined` are the names that the project's tool files export: only whoever may load code knows them.
 */
export function unknownTools(
  policy: Policy,
  defined: ReadonlySet<string>,
): readonly ProjectProblem[] {
  const known = [...builtInToolNames, ...defined]
  return [...policy.workers.values()].flatMap((worker) =>
    [...worker.tools]
      .filter(([name]) => !known.includes(name) && !isOfServer(worker, name))
      .map(([name, setting]): ProjectProblem => {
        const near = closestWord(name, known)
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
 * A warning for each tool pattern of routing and overlays that matches no tool that any worker could have. What an MCP
 * server offers is not known here.
 */
export function idleToolPatterns(
  policy: Policy,
  defined: ReadonlySet<string>,
): readonly ProjectProblem[] {
  const { routing, overlays } = policy.config
  const known = [...builtInToolNames, ...defined]
  const rules = [
    ...routing.map(({ when, source }) => ({ when, source })),
    ...overlays.map(({ when, consent }) => ({ when, source: consent.source })),
  ]
  return rules.flatMap(({ when, source }) =>
    (when.tool ?? [])
      .filter((pattern) => !/^(?:mcp_|\*)/.test(pattern))
      // A near miss of a built-in name has been pointed out already.
      .filter((pattern) => closestWord(pattern, builtInToolNames) === null)
      .filter((pattern) => !known.some((name) => globMatches(pattern, name)))
      .map((pattern) => ({
        ...placeOfSource(source),
        problem: `no tool is called "${pattern}"`,
        remedy: 'correct the name, or define the tool in a file of tools/',
        severity: 'warning' as const,
      })),
  )
}

/** Only the server knows which tools it has. */
function isOfServer(worker: WorkerDefinition, name: string): boolean {
  return [...worker.mcpServers.keys()].some((server) => name.startsWith(`mcp__${server}__`))
}
