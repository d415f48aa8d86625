import { builtInTool } from '#domain/tools/built-in-tools.ts'
import { commandRuleText } from '#domain/text/policy-words.ts'
import { startRunName } from '#domain/runs/start-of-run.ts'
import type { Consent, Overlay, When } from '../../routing.ts'
import type { Policy } from '../../policy.ts'
import type { ShellRule, WorkerDefinition } from '../../worker-definition.ts'
import { isStricter } from '../consent/opinion.ts'
import { startOpinion } from '../consent/start-consent.ts'
import { mayMatch, toolsOf } from '../routing/possible-routes.ts'
import { globMatches } from '../routing/when-matches.ts'
import { type PreviewLine, lineWithoutTool } from './preview-line.ts'
import { toolLines } from './tool-lines.ts'
import { zoneLines } from './zone-lines.ts'
import { domainsText, type NetworkAccess } from '#domain/network/network-access.ts'

/**
 * What a worker would do without approval, ask for and never do under a policy: a sentence for each
 * zone, rule and tool. It is not a promise: every call is judged when it is made, and verdicts that
 * depend on its arguments are listed as possible.
 */
export function workerPreview(policy: Policy, worker: WorkerDefinition): readonly PreviewLine[] {
  return [
    ...startLine(policy, worker),
    ...linesOf(policy, worker, commandRuleText),
    ...policy.config.overlays
      .filter(({ when }) => concerns(when, worker) && !isOfTools(when))
      .flatMap((overlay) => overlayLine(overlay, worker)),
  ]
}

/**
 * The preview of a run that has begun, without overlays on single paths and commands. Its sentences
 * are part of the preamble, of which every turn of a run sends the same bytes: they leave out with
 * which arguments and outside of which zones a shell rule does not apply.
 */
export function certainLines(policy: Policy, worker: WorkerDefinition): readonly PreviewLine[] {
  return linesOf(policy, worker, ({ pattern, description }) =>
    commandRuleText({ pattern, description, unlessArgs: [], zones: null }),
  )
}

function linesOf(
  policy: Policy,
  worker: WorkerDefinition,
  ruleText: (rule: ShellRule) => string,
): readonly PreviewLine[] {
  const always = policy.config.overlays.filter(
    ({ when }) => concerns(when, worker) && isOfTools(when),
  )
  return [...zoneLines(worker), ...commandLines(worker, ruleText), ...toolLines(worker)].flatMap(
    (line) => tightenLines(line, worker, always),
  )
}

/** Present only where the start of a run asks, or is blocked. */
function startLine({ config }: Policy, worker: WorkerDefinition): readonly PreviewLine[] {
  const { approval, reason, rule } = startOpinion(config, worker)
  if (approval === 'preApproved') return []
  return [{ approval, text: 'Begin a run', tools: [startRunName], reason, source: rule.source }]
}

/** Applies `tools` and overlays to a line: it is split when its tools differ. */
function tightenLines(
  line: PreviewLine,
  worker: WorkerDefinition,
  overlays: readonly Overlay[],
): readonly PreviewLine[] {
  if (line.tools.length === 0) return [line]
  const verdicts = line.tools.map((tool) => ({
    tool,
    stricter: stricterOf(line, [
      ...(builtInTool(tool) === undefined ? [] : settingOf(worker, tool)),
      ...overlays
        .filter(({ when }) => when.tool?.some((pattern) => globMatches(pattern, tool)) ?? true)
        .map(({ consent }) => consent),
    ]),
  }))
  return [...Map.groupBy(verdicts, ({ stricter }) => stricter)].map(([stricter, group]) => {
    const tools = group.map(({ tool }) => tool)
    const text =
      tools.length === line.tools.length ? line.text : `${line.text} (${tools.join(', ')})`
    if (stricter === null) return { ...line, tools, text }
    const { approval, reason, source } = stricter
    return { approval, text, tools, reason, source }
  })
}

/** The strictest consent that is stricter than the line, the first of equals. */
function stricterOf(line: PreviewLine, consents: readonly Consent[]): Consent | null {
  let strictest: Consent | null = null
  for (const consent of consents) {
    if (isStricter(consent.approval, (strictest ?? line).approval)) strictest = consent
  }
  return strictest
}

function settingOf(worker: WorkerDefinition, tool: string): readonly Consent[] {
  const consent = worker.tools.get(tool)?.consent ?? null
  return consent === null ? [] : [consent]
}

function concerns(when: When, worker: WorkerDefinition): boolean {
  return when.worker === null || when.worker.includes(worker.name)
}

/** Whether an overlay applies to every call of its tools, whatever the arguments. */
function isOfTools({ path, command, queue, risk }: When): boolean {
  return path === null && command === null && queue === null && risk === null
}

/** An overlay that depends on the call: the possible verdict, with its conditions in words. */
function overlayLine({ when, consent }: Overlay, worker: WorkerDefinition): readonly PreviewLine[] {
  const call = { worker, queue: null }
  const tools = toolsOf(worker).filter((tool) => mayMatch(when, { ...call, tool }))
  if (tools.length === 0) return []
  const conditions = [
    when.path === null ? null : `on ${when.path.join(', ')}`,
    when.command === null ? null : `that runs ${when.command.join(', ')}`,
    when.risk === null ? null : `at ${when.risk.join(' or ')} risk`,
    when.queue === null ? null : `in the queue ${when.queue.join(', ')}`,
  ].filter((condition) => condition !== null)
  const what = when.tool === null ? 'Anything' : `Any use of ${when.tool.join(', ')}`
  const { approval, reason, source } = consent
  return [{ approval, text: `${what} ${conditions.join(' ')}`, tools, reason, source }]
}

const tools = ['exec', 'shell'] as const

/** The commands that a worker may run: its rules in order, then all others. */
function commandLines(
  { shell, sandbox }: WorkerDefinition,
  ruleText: (rule: ShellRule) => string,
): readonly PreviewLine[] {
  if (shell === null) return [lineWithoutTool('Run commands')]
  const rules = shell.rules.map((rule) => ({
    approval: rule.consent.approval,
    text: ruleText(rule),
    tools,
    reason: rule.consent.reason,
    source: rule.consent.source,
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
  if (network === 'none') return [lineWithoutTool('Reach the network from a command')]
  return [lineWithoutTool(`Reach anything but ${domainsText(network)} from a command`)]
}
