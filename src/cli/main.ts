import { Command, CommanderError } from 'commander'
import { takeLifeline } from '../runtime/processes/lifeline.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addProcessCommands } from './commands/processes.ts'
import { addStartCommand } from './commands/start.ts'
import { VERSION } from './version.ts'

/** Exit codes: 0 done, 1 failed, 2 usage, 3 pending, 4 denied (api.md). */
const FAILED = 1
const USAGE = 2

/** Commands load what they need when they run, so that each starts quickly. */
function createProgram(): Command {
  const program = new Command('countersign')
    .description(
      'Agents whose risky tool calls wait until a different person has approved exactly what will run',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError()
  addStartCommand(program)
  addProcessCommands(program)
  addDoctorCommand(program)
  return program
}

/** Whoever started us through a lifeline takes us along when it ends, however it ends. */
function endWithLauncher(): void {
  void takeLifeline()?.closed.then(() => process.kill(process.pid, 'SIGTERM'))
}

async function main(): Promise<void> {
  endWithLauncher()
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : USAGE
      return
    }
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = FAILED
  }
}

await main()
