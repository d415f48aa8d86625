import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { findFolders } from '#runtime/folders.ts'
import type { ProjectProblem } from '#policy/policy.ts'
import type { FolderOptions } from '../service/service-options.ts'
import { findProblems } from './find-problems.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { red, yellow } from '../text/colour.ts'
import { printable, printableLine } from '../text/terminal-text.ts'
import { jsonText } from '../terminal/json-text.ts'

/** Validates a project folder and prints every problem at once. Returns 1 if one is an error. */
export async function runCheck(options: FolderOptions & { json?: boolean }): Promise<ExitCode> {
  const folders = findFolders(options)
  // Without a project, `findFolders` names the folder of the quickstart. If the quickstart has
  // never run, this checks the folder of the command.
  const projectDir = existsSync(folders.projectDir)
    ? folders.projectDir
    : resolve(options.project ?? '.')
  const problems = await findProblems(projectDir)
  const errors = problems.filter((problem) => problem.severity === 'error').length
  if (options.json === true) console.log(jsonText({ valid: errors === 0, problems }))
  else
    console.log(
      [...problems.map(problemLine), summary(projectDir, problems.length, errors)].join('\n'),
    )
  return errors === 0 ? exitCodes.done : exitCodes.failed
}

/** A problem as a line for a terminal. */
export function problemLine(problem: ProjectProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`
  const word = problem.severity === 'error' ? red('error') : yellow('warning')
  return `${printableLine(place)}  ${word}  ${printable(`${problem.problem}; ${problem.remedy}`)}`
}

function summary(projectDir: string, all: number, errors: number): string {
  if (all === 0) return `${projectDir} is valid.`
  return errors === 0
    ? `${projectDir} is valid, with ${countWords(all, 'warning')}.`
    : `${countWords(errors, 'error')} in ${projectDir}.`
}
