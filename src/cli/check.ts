import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { processEnvironment } from '../runtime/environment.ts'
import { findFolders } from '../runtime/folders.ts'
import { readProjectEnvironment } from '../runtime/project/project-environment.ts'
import { warnOfMissingSettings } from '../models/model-settings.ts'
import type { ProjectProblem } from '../policy/policy.ts'
import { unknownPrograms } from '../policy/project/unknown-programs.ts'
import { unknownTools } from '../policy/project/unknown-tools.ts'
import { loadProject } from '../services/policy/load-project.ts'
import { loadToolDescriptions } from '../tools/custom/load-tool-descriptions.ts'
import { warnOfMissingVariables } from '../tools/mcp/missing-variables.ts'
import type { FolderOptions } from './commands/folder-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { red, yellow } from './text/colour.ts'
import { printable, printableLine } from './text/terminal-text.ts'

/** Validates a project folder, prints every problem at once, and answers 1 when one is an error. */
export async function runCheck(options: FolderOptions & { json?: boolean }): Promise<ExitCode> {
  const found = findFolders(options)
  // Where the example has never run, the folder that has no project is the one that was meant.
  const projectDir = existsSync(found.projectDir)
    ? found.projectDir
    : resolve(options.project ?? '.')
  const problems = await problemsOf(projectDir)
  const errors = problems.filter((problem) => problem.severity === 'error').length
  if (options.json === true) console.log(JSON.stringify({ valid: errors === 0, problems }))
  else console.log([...problems.map(line), summary(projectDir, problems.length, errors)].join('\n'))
  return errors === 0 ? exitCodes.done : exitCodes.failed
}

async function problemsOf(projectDir: string): Promise<readonly ProjectProblem[]> {
  const parsed = await loadProject(projectDir)
  if ('problems' in parsed) return parsed.problems
  const { toolFiles } = parsed.policy
  const environment = readProjectEnvironment(projectDir, processEnvironment())
  const warnings = [
    ...parsed.warnings,
    ...warnOfMissingSettings(parsed.policy, environment),
    ...warnOfMissingVariables(parsed.policy, environment),
    ...(await unknownPrograms(parsed.policy, isProgram)),
  ]
  if (toolFiles.length === 0) return [...warnings, ...unknownTools(parsed.policy, new Set())]
  const loaded = await loadToolDescriptions({
    projectDir,
    toolFiles,
    environment: processEnvironment(),
  })
  const defined = new Set(loaded.tools.map((tool) => tool.name))
  return [
    ...warnings,
    // A file that does not load may define what is missing: one mistake, one message.
    ...(loaded.problems.length > 0 ? [] : unknownTools(parsed.policy, defined)),
    ...loaded.problems.map(({ file, line, problem }) => ({
      file,
      line,
      problem,
      remedy: "a tool file loads, and exports tools made by defineTool or by the AI SDK's tool",
      severity: 'error' as const,
    })),
  ]
}

/** The fixed path on which commands find their programs (security.md 3). */
const programFolders = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]

async function isProgram(name: string): Promise<boolean> {
  for (const folder of programFolders) {
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}

function line(problem: ProjectProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`
  const word = problem.severity === 'error' ? red('error') : yellow('warning')
  return `${printableLine(place)}  ${word}  ${printable(`${problem.problem}; ${problem.remedy}`)}`
}

function summary(projectDir: string, all: number, errors: number): string {
  if (all === 0) return `${projectDir} is valid.`
  return errors === 0
    ? `${projectDir} is valid, with ${all} warning${all === 1 ? '' : 's'}.`
    : `${errors} error${errors === 1 ? '' : 's'} in ${projectDir}.`
}
