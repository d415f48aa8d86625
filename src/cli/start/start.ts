import { processEnvironment } from '#runtime/environment.ts'
import { collectAtRest, lookEveryMs } from '#runtime/processes/collect-at-rest.ts'
import { browserCommand, openBrowser } from '#runtime/supervisor/open-browser.ts'
import { createProgress } from '#runtime/supervisor/progress.ts'
import { startInstallation, type StartOptions } from '#runtime/supervisor/start.ts'
import { stopSignal } from '#runtime/supervisor/stop-signals.ts'
import { printable } from '../text/terminal-text.ts'
import { checkFolder } from './check-folder.ts'
import { welcome } from './welcome.ts'

/**
 * Runs everything until a signal ends it. Progress and addresses go to standard output; the line
 * `ready http://127.0.0.1:N` stands alone, for programs.
 */
export async function runStart(options: StartOptions): Promise<void> {
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
