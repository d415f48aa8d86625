import { Command, Help } from 'commander'
import { addAcpCommand } from './commands/acp.ts'
import { addAnswerCommand } from './commands/requests/answer.ts'
import { addAuditCommand } from './commands/audit/audit.ts'
import { addBackupCommands } from './commands/host/backup.ts'
import { addCheckCommand } from './commands/check.ts'
import { addDecideCommands } from './commands/requests/decide.ts'
import { addDoctorCommand } from './commands/host/doctor.ts'
import { addEraseCommand } from './commands/requests/erase.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addGrantsCommand } from './commands/grants.ts'
import { addSchedulesCommand } from './commands/schedules.ts'
import { addTriggersCommand } from './commands/triggers.ts'
import { addHookCommand } from './commands/hook.ts'
import { addInitCommand } from './commands/init.ts'
import { addKeysCommand } from './commands/access/keys.ts'
import { addLoginCommand } from './commands/access/login.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addPeopleCommand } from './commands/access/people.ts'
import { addPolicyCommand } from './commands/policy.ts'
import { addProcessCommands } from './commands/host/processes.ts'
import { addRequestsCommand } from './commands/requests/requests.ts'
import { addReviewCommand } from './commands/requests/review.ts'
import { addRotateKeyCommand } from './commands/host/rotate-key.ts'
import { addArchiveCommand, addRetentionCommand } from './commands/host/retention.ts'
import { addRunCommand } from './commands/runs/run.ts'
import { addRunsCommand } from './commands/runs/runs.ts'
import { addSessionsCommand } from './commands/access/sessions.ts'
import { addSlackCommand } from './commands/slack.ts'
import { addStartCommand } from './commands/host/start.ts'
import { addWebhooksCommand } from './commands/webhooks.ts'
import { explainUsage } from './commands/usage-errors.ts'
import { withExamples } from './commands/examples.ts'
import { version } from '#runtime/version.ts'

/**
 * The whole command line. Commands load what they need when they run, so that each starts quickly.
 */
export function createProgram(): Command {
  const program = new Command('countersign')
    .description(
      'Agents whose risky tool calls wait until a different person has approved exactly what will run',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError()
    .configureHelp({ subcommandTerm: termOf })
  program.commandsGroup('Decide:')
  addReviewCommand(program)
  addRequestsCommand(program)
  addDecideCommands(program)
  addAnswerCommand(program)
  addGrantsCommand(program)
  program.commandsGroup('Run:')
  addRunCommand(program)
  addRunsCommand(program)
  addSchedulesCommand(program)
  addTriggersCommand(program)
  addHookCommand(program)
  addMcpCommand(program)
  addAcpCommand(program)
  program.commandsGroup('Set up:')
  addStartCommand(program)
  addInitCommand(program)
  addCheckCommand(program)
  addExplainCommand(program)
  addPolicyCommand(program)
  addPeopleCommand(program)
  addLoginCommand(program)
  addKeysCommand(program)
  addSlackCommand(program)
  program.commandsGroup('Operate:')
  addProcessCommands(program)
  addDoctorCommand(program)
  addAuditCommand(program)
  addWebhooksCommand(program)
  addSessionsCommand(program)
  addRotateKeyCommand(program)
  addEraseCommand(program)
  addBackupCommands(program)
  addRetentionCommand(program)
  addArchiveCommand(program)
  describeHelp(program)
  explainUsage(program)
  withExamples(program, ['start', 'init ../shop', 'start --project ../shop', 'review --watch'])
  // The help of the program would move the error off the screen. Commands print theirs.
  return program.showHelpAfterError('(countersign --help lists the commands)')
}

/** Says of each help what it shows. Commander says "display help for command" of all. */
function describeHelp(command: Command): void {
  command.helpOption('-h, --help', 'show this help')
  const hasHelp = new Help().visibleCommands(command).some((one) => one.name() === 'help')
  if (hasHelp) command.helpCommand('help [command]', 'show the help of a command')
  for (const below of command.commands) describeHelp(below)
}

/**
 * A command in a list of commands: its name and arguments. Every command has options; to name them
 * in each line leaves too little of a narrow terminal for descriptions to be wrapped.
 */
function termOf(command: Command): string {
  return new Help().subcommandTerm(command).replace(' [options]', '')
}
