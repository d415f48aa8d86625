import type { Policy, ProjectProblem } from '#policy/policy.ts'
import {
  unknownPrograms,
  idleToolPatterns,
  unknownTools,
} from '#policy/project/warnings/unknown-names.ts'
import type { ParsedProject } from '#policy/project/parse-project.ts'
import { compareProblems } from '#policy/reading/report.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { warnOfMissingVariables } from '#runtime/project/missing-variables.ts'
import { readProjectEnvironment } from '#runtime/config/project-environment.ts'
import { findProgram } from '#sandbox/bwrap/find-program.ts'
import { inspectProject } from '#services/policy/read-project.ts'
import { loadToolDescriptions } from '#tools/custom/load-tool-descriptions.ts'
import { warnOfServerPrograms } from './warn-of-server-programs.ts'
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
  const project = await inspectProject(projectDir)
  const { parsed: parsedProject, toolFiles } = project
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
  const { workers = new Map() } = 'policy' in parsedProject ? parsedProject.policy : parsedProject
  // A file that does not load may define the missing tool. Only the first problem is reported.
  const ofTools =
    broken.length > 0
      ? broken
      : [
          ...unknownTools({ workers }, defined),
          ...('policy' in parsedProject ? idleToolPatterns(parsedProject.policy, defined) : []),
        ]
  return [...(await problemsOf(projectDir, parsedProject)), ...ofTools].toSorted(compareProblems)
}

/** Like `findProblems`, but loads no tool file. `isValid`: the files make a version. */
export async function findFolderProblems(
  projectDir: string,
): Promise<{ readonly isValid: boolean; readonly problems: readonly ProjectProblem[] }> {
  const { parsed: parsedProject } = await inspectProject(projectDir)
  const problems = await problemsOf(projectDir, parsedProject)
  return { isValid: 'policy' in parsedProject, problems: problems.toSorted(compareProblems) }
}

/** The problems that can be found without loading the tools. */
async function problemsOf(
  projectDir: string,
  parsedProject: ParsedProject,
): Promise<readonly ProjectProblem[]> {
  const unread = await warnOfUnread(projectDir)
  if ('policy' in parsedProject) {
    const { policy, warnings } = parsedProject
    return [...warnings, ...unread, ...(await warnOfHost(projectDir, policy))]
  }
  const problems = parsedProject.problems.map((one) => nameInstead(projectDir, one))
  return [...(await Promise.all(problems)), ...unread]
}

/** Problems of this host: variables, programs and folders that the project needs. */
async function warnOfHost(projectDir: string, policy: Policy): Promise<readonly ProjectProblem[]> {
  const environment = readProjectEnvironment(projectDir, processEnvironment())
  return [
    ...warnOfMissingVariables(policy, environment),
    ...(await unknownPrograms(policy, async (name) => (await findProgram(name)) !== null)),
    ...(await warnOfServerPrograms(projectDir, policy, environment)),
    ...(await refuseWorkspaceRoots(projectDir, policy)),
    ...(await refuseWorktrees(projectDir, policy)),
    ...(await warnOfZoneFolders(projectDir, policy)),
  ]
}
