import { warnOfMissingSettings } from '../../models/model-settings.ts'
import type { ProjectProblem } from '../../policy/policy.ts'
import { loadProject } from '../../services/policy/load-project.ts'
import type { Check, Finding } from './check.ts'

/** The project folder is valid, and its models have what they need. */
export const checkProject: Check = async ({ folders, environment }) => {
  const { projectDir } = folders
  const loaded = await loadProject(projectDir)
  if ('problems' in loaded) {
    if (folders.isQuickstart) return []
    return loaded.problems.map((problem) => finding(problem))
  }
  const warnings = [...loaded.warnings, ...warnOfMissingSettings(loaded.policy, environment)]
  const workers = loaded.policy.workers.size
  return [
    {
      check: 'project',
      state: 'ok',
      found: `${projectDir} is valid: ${workers} worker${workers === 1 ? '' : 's'}`,
    },
    ...warnings.map((problem) => finding(problem)),
  ]
}

function finding({ file, line, problem, remedy, severity }: ProjectProblem): Finding {
  const place = line === null ? file : `${file}:${line}`
  const state = severity === 'error' ? 'problem' : 'warning'
  return { check: 'project', state, found: `${place}: ${problem}`, remedy }
}
