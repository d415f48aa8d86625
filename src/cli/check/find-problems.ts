import type { Policy, ProjectProblem } from '#policy/policy.ts'
import {
  unknownPrograms,
  idleToolPatterns,
  unknownTools,
} from '#policy/project/warnings/unknown-names.ts'
import { compareProblems } from '#policy/reading/report.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { warnOfMissingVariables } from '#runtime/project/missing-variables.ts'
import { readProjectEnvironment } from '#runtime/config/project-environment.ts'
import { findProgram } from '#sandbox/bwrap/find-program.ts'
import { inspectProject } from '#services/policy/read-project.ts'
import { loadToolDescriptions } from '#tools/custom/load-tool-descriptions.ts'
import {
  nameInstead,
  refuseWorkspaceRoots,
  refuseWorktrees,
  warnOfUnread,
  warnOfZoneFolders,
} from './folder-warnings.ts'

/**
 * Finds every problem of a project folder at once: in its files, in the tool files, which are
 * loaded for this, and on this host. Errors of one part do not hide those of another.
 */
export async function findProblems(projectDir: string): Promise<readonly ProjectProblem[]> {
  return (await problemsOf(projectDir)).toSorted(compareProblems)
}

async function problemsOf(projectDir: string): Promise<readonly ProjectProblem[]> {
  const { parsed: parsedProject, toolFiles } = await inspectProject(projectDir)
  const unread = await warnOfUnread(projectDir)
  const environment = processEnvironment()
  const loaded =
    toolFiles.length === 0
      ? { tools: [], problems: [] }
      : await loadToolDescriptions({ projectDir, toolFiles, environment })
  const broken = loaded.problems.map(({ file, line, problem }) => ({
    file,
    line,
    problem,
    remedy:
      "correct the file: it must load, and export tools made with defineTool or with the AI SDK's tool",
    severity: 'error' as const,
  }))
  const defined = new Set(loaded.tools.map((tool) => tool.name))
  // A file that does not load may define the missing tool. Only the first problem is reported.
  const undefinedTools = ({ workers }: Pick<Policy, 'workers'>) =>
    broken.length > 0 ? [] : unknownTools({ workers }, defined)
  if ('problems' in parsedProject) {
    const problems = await Promise.all(
      parsedProject.problems.map((one) => nameInstead(projectDir, one)),
    )
    const { workers = new Map() } = parsedProject
    return [...problems, ...unread, ...undefinedTools({ workers }), ...broken]
  }
  const { policy, warnings } = parsedProject
  return [
    ...warnings,
    ...unread,
    ...(await warnOfHost(projectDir, policy)),
    ...undefinedTools(policy),
    ...(broken.length > 0 ? [] : idleToolPatterns(policy, defined)),
    ...broken,
  ]
}

/** Problems of this host: variables, programs and folders that the project needs. */
async function warnOfHost(projectDir: string, policy: Policy): Promise<readonly ProjectProblem[]> {
  const environment = readProjectEnvironment(projectDir, processEnvironment())
  return [
    ...warnOfMissingVariables(policy, environment),
    ...(await unknownPrograms(policy, async (name) => (await findProgram(name)) !== null)),
    ...(await refuseWorkspaceRoots(projectDir, policy)),
    ...(await refuseWorktrees(projectDir, policy)),
    ...(await warnOfZoneFolders(projectDir, policy)),
  ]
}
