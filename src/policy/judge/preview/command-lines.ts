import { domainsText, type NetworkAccess } from '#domain/network/network-access.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { cannot, type PreviewLine } from './preview-line.ts'

const tools = ['exec', 'shell'] as const

/** The commands that a worker may run: its rules in order, then all others. */
export function commandLines({ shell, sandbox }: WorkerDefinition): readonly PreviewLine[] {
  if (shell === null) return [cannot('Run commands')]
  const rules = shell.rules.map(({ pattern, consent, description }) => ({
    approval: consent.approval,
    text: `Run ${pattern.join(' ')}${description === null ? '' : ` (${description})`}`,
    tools,
    reason: consent.reason,
    source: consent.source,
  }))
  const others = {
    approval: shell.default,
    text: rules.length === 0 ? 'Run commands' : 'Run any other command',
    tools,
    reason: null,
    source: shell.source,
  }
  return [...rules, others, ...networkLines(sandbox.network)]
}

function networkLines(network: NetworkAccess): readonly PreviewLine[] {
  if (network === 'allow') return []
  if (network === 'none') return [cannot('Reach the network from a command')]
  return [cannot(`Reach anything but ${domainsText(network)} from a command`)]
}
