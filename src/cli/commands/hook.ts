import type { Command } from 'commander'
import { processEnvironment } from '#runtime/environment.ts'
import { withFolders, withUrl } from '../service/service-options.ts'
import { withExamples } from './examples.ts'
import { agentSettings } from '../hook/settings/agent-settings.ts'
import { agentNames, agents, usualWaitSeconds } from '#domain/hooks/agents.ts'
import type { HookCommandOptions } from '../hook/hook-command.ts'
import type { ResumeOptions } from '../hook/resume-command.ts'

/** `countersign hook AGENT`: an agent's own tools, judged by a worker's policy and the queue. */
export function addHookCommand(program: Command): void {
  const hooks = program.command('hook').description('answer the hooks of other agents')
  for (const name of agentNames) {
    const command = withUrl(withFolders(hooks.command(name)))
      .description(
        `answer a hook of ${agents[name].title} on standard input; needs COUNTERSIGN_API_KEY, a key with the scopes requests:write and requests:read`,
      )
      .option('--worker <name>', 'the worker whose policy judges first (default: every call asks)')
      .option(
        '--root <dir>',
        'the workspace root, relative to the project folder (default: the project folder)',
      )
      .option(
        '--wait <seconds>',
        `how long to wait for a decision; then the call is denied, and a repeated call continues to wait (default: ${usualWaitSeconds(agents[name])}; written by --install: 3300)`,
      )
    const { file, managed } = agentSettings[name]
    command.option(
      '--install',
      `write the hook into ${file} of the project folder, for every machine of a team`,
    )
    if (managed !== null) {
      command.option(
        '--managed',
        `write ${managed.file}, which an administrator installs and users cannot remove`,
      )
    }
    if (agents[name].events.some((event) => event === 'PermissionRequest')) {
      command.option(
        '--event <name>',
        "the event that opens requests: PreToolUse for every call, or PermissionRequest for calls that the agent's own settings ask about (default: PreToolUse)",
      )
    }
    if (name === 'claude-code') {
      command.option(
        '--http',
        'with --install or --managed and --url: Claude Code asks the service itself, without a program on the machine',
      )
      command.option(
        '--plugin',
        'write the folder countersign-plugin, with the hook and an MCP server',
      )
      command.option(
        '--defer <seconds>',
        'in print mode: end the session after this time; "resume" continues it',
      )
      command.option('--callback-url <url>', 'the service calls it once a request is decided')
      addResumeCommand(command.enablePositionalOptions())
    }
    command.action((options: HookCommandOptions) => answer(name, options))
    withExamples(command, [
      `hook ${name} --worker release-notes`,
      `hook ${name} --worker release-notes --install`,
    ])
  }
  withExamples(hooks, [
    'hook claude-code --worker release-notes --install',
    'hook claude-code --worker release-notes --wait 600',
    'hook claude-code --event PermissionRequest --install',
    'hook claude-code --install --defer 5',
    'hook claude-code --worker release-notes --plugin',
    'hook claude-code resume',
    'hook claude-code --worker release-notes --url https://approvals.example.com --http --managed',
  ])
}

function addResumeCommand(hook: Command): void {
  const resume = withUrl(withFolders(hook.command('resume')))
    .description(
      'continue the sessions of Claude Code that ended because of --defer, once their calls are decided',
    )
    .argument('[words...]', 'more arguments for Claude Code, after --')
    .option(
      '--wait <seconds>',
      'how long to wait for decisions (default: only continue sessions that are decided already)',
    )
    .option('--program <path>', 'the program of Claude Code (default: claude on the PATH)')
    .option(
      '--json',
      'print the result of each session; the output of Claude Code goes to standard error',
    )
    .action(async (words: string[], options: ResumeOptions) => {
      const { runResumeCommand } = await import('../hook/resume-command.ts')
      await runResumeCommand(words, options, processEnvironment())
    })
  withExamples(resume, [
    'hook claude-code resume',
    'hook claude-code resume --wait 86400 -- --output-format json',
  ])
}

/** Answers an event, or installs the hook; `countersign-hook` does the same. */
async function answer(name: string, options: HookCommandOptions): Promise<void> {
  const { runHookCommand } = await import('../hook/hook-command.ts')
  await runHookCommand(name, options, processEnvironment())
}
