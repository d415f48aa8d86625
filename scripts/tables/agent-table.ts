import { agentSettings } from '../../src/cli/hook/settings/agent-settings.ts'
import { agentNames, agents, usualWaitSeconds, type Agent } from '#domain/hooks/agents.ts'

/** The table of agents whose hooks are answered: its head, then a row for each. */
export function agentRows(): readonly (readonly string[])[] {
  const head = [
    'NAME, and the release whose contract this is',
    'works',
    'events',
    'can wait',
    'a denial',
    'an edit',
    'after its time',
    'a restart',
    'a hook that is late all the same',
    'a hook that dies',
    'settings',
  ]
  return [
    head,
    ...agentNames.map((name) => {
      const agent: Agent = agents[name]
      const { file, managed } = agentSettings[name]
      const counts = agent.unit === 'seconds' ? '' : `; counts ${agent.unit}`
      const files = [file, ...(managed === null ? [] : [managed.file])]
      return [
        `\`${name}\` ${agent.release}`,
        agent.works,
        agent.events.map((event) => `\`${event}\``).join(', '),
        `${usualWaitSeconds(agent)} s of its ${agent.limitSeconds} s, with \`--install\` 3,300 s${counts}`,
        'with its reason to the model',
        editOf(agent),
        'denied; the same call goes on',
        'the same call goes on',
        agent.whenLate,
        agent.whenDead,
        files.map((one) => `\`${one}\``).join(', '),
      ]
    }),
  ]
}

/** How the agent handles a call that a person changed. */
function editOf({ edits, events, works }: Agent): string {
  const isPartly = events.includes('PermissionRequest') && edits.PermissionRequest === undefined
  const where = isPartly ? ', but not at `PermissionRequest`' : ''
  const removed = edits.PreToolUse === 'merge' ? '; denied where a field was removed' : ''
  const untried = works.includes('not run with it') ? ' (not tried)' : ''
  return `made as it was approved${where}${removed}${untried}`
}
