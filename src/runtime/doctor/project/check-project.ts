import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import { activators } from '#policy/project/config/teams.ts'
import { loadProject } from '#services/policy/read-project.ts'
import { warnOfMissingVariables } from '../../project/missing-variables.ts'
import { type Environment, readText } from '../../environment.ts'
import type { Check, Finding } from '../target/check.ts'

/** The project folder is valid, and its models have their keys. */
export const checkProject: Check = async ({ folders, environment }) => {
  const { projectDir } = folders
  const loaded = await loadProject(projectDir)
  if ('problems' in loaded) {
    if (folders.isQuickstart) return []
    return loaded.problems.map((problem) => findingOf(problem))
  }
  const warnings = [...loaded.warnings, ...warnOfMissingVariables(loaded.policy, environment)]
  const workers = loaded.policy.workers.size
  return [
    {
      check: 'project',
      state: 'ok',
      found: `${projectDir} is valid: ${countWords(workers, 'worker')}`,
    },
    ...warnings.map((problem) => findingOf(problem)),
    ...(isProduction(environment) ? activation(loaded.policy) : []),
  ]
}

/** In production people activate versions, two of them when a version changes who decides. */
function activation({ config }: Policy): Finding[] {
  const count = activators(config).length
  if (count > 1) return []
  const finding =
    count === 0
      ? 'nobody holds the right activatePolicy: no later version could take force'
      : 'only one person holds the right activatePolicy: nothing that changes who decides could take force'
  const remedy = 'name two people or more under rights.activatePolicy'
  return [{ check: 'project', state: 'warning', found: finding, remedy }]
}

function isProduction(environment: Environment): boolean {
  const production = readText(environment, 'COUNTERSIGN_PRODUCTION')
  return production === '1' || production === 'true'
}

function findingOf({ file, line, problem, remedy, severity }: ProjectProblem): Finding {
  const place = line === null ? file : `${file}:${line}`
  const state = severity === 'error' ? 'problem' : 'warning'
  return { check: 'project', state, found: `${place}: ${problem}`, remedy }
}
