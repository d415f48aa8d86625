import type { Policy, ProjectProblem } from '#policy/policy.ts'
import { placeOfSource } from '#policy/reading/report.ts'
import { variablesOf } from './connection.ts'

/**
 * A warning for each MCP server that names a variable which is not set here; `check` and `doctor`
 * show them.
 */
export function warnOfMissingVariables(
  policy: Policy,
  environment: Readonly<Record<string, string | undefined>>,
): readonly ProjectProblem[] {
  return [...policy.workers.values()].flatMap((worker) =>
    [...worker.mcpServers.values()].flatMap((server) =>
      variablesOf(server)
        .filter((name) => environment[name] === undefined)
        .map((name): ProjectProblem => ({
          ...placeOfSource(server.source),
          problem: `the MCP server "${server.name}" is given ${name}, which is not set`,
          remedy: `set ${name} in the service's environment, or in .env beside countersign.yaml`,
          severity: 'warning',
        })),
    ),
  )
}
