import type { Command } from 'commander'
import { processEnvironment } from '#runtime/environment.ts'
import { withFolders } from '../service/service-options.ts'
import { withExamples } from './examples.ts'
import { agentSettings } from '../hook/settings/agent-settings.ts'
import { agentNames, agents } from '#domain/hooks/agents.ts'
import type { HookCommandOptions } from '../hook/hook-command.ts'

/** `countersign hook AGENT`: an agent's own tools, judged by a worker's policy and the queue. */
export function addHookCommand(program: Command): void {
  const hooks = program.command('hook').description('answer the hooks of other agents')
  for (const name of agentNames) {
    const command = withFolders(hooks.command(name))
      .description(
        `answer a hook of ${agents[name].title} on standard input; needs a key in COUNTERSIGN_API_KEY with the scopes requests:write and requests:read`,
      )
      .option('--url <url>', 'the service to ask (default: the one of the data folder)')
      .option('--worker <name>', 'whose policy judges first (default: everything asks)')
      .option('--root <dir>', 'the workspace root, relative to the project folder (default: that)')
      .option(
        '--wait <seconds>',
        'how long people have; then it is a denial, and asking again goes on',
      )
    const { file, managed } = agentSettings[name]
    command.option(
      '--install',
      `write the hook into ${file} of the project folder, for every machine of a team`,
    )
    if (managed !== null) {
      command.option(
        '--managed',
        `write ${managed.file}, which an administrator installs and nobody can remove`,
      )
    }
    if (agents[name].events.some((event) => event === 'PermissionRequest')) {
      command.option(
        '--event <name>',
        'what asks: PreToolUse of every call, or PermissionRequest of those that its own settings ask about (default: PreToolUse)',
      )
    }
    if (name === 'claude-code') {
      command.option(
        '--http',
        'with --install or --managed and --url: Claude Code asks the service itself, without a program on the machine',
      )
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
    'hook claude-code --worker release-notes --url https://approvals.example.com --http --managed',
  ])
}

/** What `countersign-hook` does too. */
async function answer(name: string, options: HookCommandOptions): Promise<void> {
  const { runHookCommand } = await import('../hook/hook-command.ts')
  await runHookCommand(name, options, processEnvironment())
}
