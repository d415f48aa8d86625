import { resolve } from 'node:path'
import { processEnvironment, readText, type Environment } from '#runtime/environment.ts'
import { collectAtRest, lookEveryMs } from '#runtime/processes/collect-at-rest.ts'
import { browserCommand, openBrowser } from '#runtime/supervisor/open-browser.ts'
import { createProgress } from '#runtime/supervisor/progress.ts'
import { startInstallation, type StartOptions } from '#runtime/supervisor/start.ts'
import { stopSignal } from '#runtime/supervisor/stop-signals.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { configFile } from '#policy/names/own-files.ts'
import { readProjectEnvironment } from '#runtime/config/project-environment.ts'
import { findFolders } from '#runtime/folders.ts'
import { isFolder } from '#sandbox/real-path.ts'
import { printable } from '../text/terminal-text.ts'
import { welcome } from './welcome.ts'
import type { FolderOptions } from '../service/service-options.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { whenOutputFails } from '../terminal/standard-output.ts'

/**
 * Runs everything until a signal ends it. Progress and addresses go to standard output; the line
 * `ready http://127.0.0.1:N` stands alone, for programs.
 */
export async function runStart(options: StartOptions): Promise<void> {
  whenOutputFails(() => undefined)
  const environment = processEnvironment()
  await checkFolder(options, environment, (line) => console.log(line))
  // A line about a saved file may quote the file.
  const progress = createProgress((line) => console.log(printable(line)))
  const signal = stopSignal({
    onReload: () => void starting.then(({ reload }) => reload()).catch(() => undefined),
  })
  const starting = startInstallation(options, environment, progress)
  const installation = await Promise.race([starting, signal.then(() => null)])
  if (installation === null) {
    // The processes that were started already end with this one, by their lifelines.
    console.log('stopping before everything had started')
    process.exit(130)
  }
  try {
    const page = await welcome(installation, progress.say)
    const command = options.open
      ? browserCommand(environment, process.platform, process.stdout.isTTY)
      : null
    if (command !== null && page !== null) openBrowser(command, page)
    console.log(`ready ${installation.localUrl}`)
    collectAtRest(lookEveryMs)
    await Promise.race([signal, installation.refusal])
    console.log('stopping')
  } finally {
    await installation.stop()
  }
  console.log('stopped')
  process.exit(0)
}

/**
 * Says what is wrong with the project folder of a start before anything is started. Rejects if the
 * folder is missing or no version can be made of it. In production the version in force counts, not
 * the folder; at the very first start the API reads the folder and refuses one with an error.
 */
export async function checkFolder(
  options: FolderOptions,
  outer: Environment,
  say: (line: string) => void,
): Promise<void> {
  const folder = resolve(options.project ?? '.')
  if (!(await isFolder(folder)))
    throw new CommandFailure(
      `There is no folder ${folder}: make it, or name another with --project.`,
    )
  const { isQuickstart, projectDir } = findFolders(options)
  if (isQuickstart) {
    const { similarConfig } = await import('../check/folder-warnings.ts')
    const similar = await similarConfig(folder)
    if (similar === null) return
    throw new CommandFailure(`${folder} has no ${configFile}: rename ${similar} to ${configFile}.`)
  }
  const environment = readProjectEnvironment(projectDir, outer)
  const production = readText(environment, 'COUNTERSIGN_PRODUCTION')
  if (production === '1' || production === 'true') return
  // Where no folder is read, this process, which rests most of its life, keeps nothing for it.
  const { findFolderProblems } = await import('../check/find-problems.ts')
  const { problemLine } = await import('../check/check.ts')
  const { isValid, problems } = await findFolderProblems(projectDir)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  if (!isValid) {
    for (const problem of problems) say(problemLine(problem))
    throw new CommandFailure(
      `${countWords(errors, 'error')} in ${projectDir}: nothing was started.`,
    )
  }
  // The errors of a valid project are about its workspaces on this host. Without one of them, the
  // service serves all else (workspaces.md).
  for (const problem of problems) say(problemLine({ ...problem, severity: 'warning' }))
  if (errors > 0)
    say('The service starts. No run starts in a workspace whose folder cannot be used.')
}
