import type { PrintedCommand } from '#domain/tools/command.ts'
import type { ApprovalWord, Rule } from '#domain/policy/verdict.ts'
import type { ShellPolicy, Zone } from '../../worker-definition.ts'
import { isReadBlocked } from '../../worker/read-blocked.ts'
import type { CommandAnalysis } from '../../shell/analyse-command.ts'
import {
  innerRestrictions,
  matchingBudget,
  scannedRestrictions,
} from '../../shell/rules/first-match.ts'
import {
  blockedZoneRead,
  hiddenZones,
  reachedHidden,
  type ReachedZone,
} from '../../shell/rules/command-zones.ts'
import { readPaths } from '../../shell/read-paths.ts'
import { runsAfterPlacing } from '../../shell/rules/changed-folder.ts'
import { pipedIntoRunner } from '../../shell/rules/runs-input.ts'
import type { CommandContext } from '../../shell/rules/pre-approve.ts'
import type { PossibleCommand } from '../../shell/search/possible-commands.ts'
import type { Budget } from '../../shell/spelling/budget.ts'
import type { KnownCommand, KnownWord } from '../../shell/strict/expand-word.ts'
import {
  defaultRule,
  type CommandOpinion,
  judgeSimpleCommand,
  ruleOpinion,
  displayWords,
} from './judge-simple-command.ts'
import { zoneOpinion } from './zone-consent.ts'

/** The verdict of a worker's shell rules on a command. */
export interface CommandVerdict {
  readonly approval: ApprovalWord
  readonly rule: Rule
  /** the text of a block */
  readonly reason: string | null
  /** how it runs when these rules alone allow it */
  readonly printed: PrintedCommand | null
  /** the analysis, one line for each finding */
  readonly lines: readonly CommandLine[]
  /** what holds only where these rules alone allow it: how it runs, and what is hidden from it */
  readonly printedLines: readonly CommandLine[]
}

interface CommandLine {
  readonly outcome: string
  readonly detail: string
}

/**
 * Judges every simple command of a text by the worker's rules (workers-and-policy.md, shell rules).
 * A blocked one blocks the whole; the whole is pre-approved only when each is, everything is
 * understood, and the host has a sandbox.
 */
export async function judgeCommand(
  policy: ShellPolicy,
  analysis: CommandAnalysis,
  context: Omit<CommandContext, 'rules'>,
): Promise<CommandVerdict> {
  const budget = matchingBudget()
  const opinions = await opinionsOf(policy, analysis, context, budget)
  const lines = linesOf(opinions, analysis)
  const verdictOf = ({ approval, rule, reason, line }: Ruling): CommandVerdict => {
    if (line !== undefined) lines.push({ outcome: approval, detail: line })
    return { approval, rule, reason, printed: null, lines, printedLines: [] }
  }
  const block = blockOf(policy, analysis, opinions, budget)
  if (block !== null) return verdictOf(block)
  const inWorkspace = { ...context, root: context.workspace.root }
  const paths = context.zones.some(isReadBlocked) ? readPaths(analysis) : new Set<string>()
  if (paths === null) return verdictOf({ approval: 'blocked', rule: tooMuchRule(), reason: null })
  const blockedZone = await blockedZoneRead(inWorkspace, paths)
  if (blockedZone !== null) return verdictOf(hiddenRuling(policy, blockedZone))
  const ask = askOf(policy, analysis, opinions, context)
  const [first] = opinions
  if (ask !== null || first === undefined) return verdictOf(ask ?? unclearAsk(policy))

  const parts = opinions.map((opinion) => ({
    ...opinion,
    vector: opinion.printed?.map(({ text }) => text) ?? null,
  }))
  const hidden = hiddenZones(context.zones, parts)
  const reached = await reachedHidden(inWorkspace, hidden, parts)
  if (reached !== null) return verdictOf(hiddenRuling(policy, reached))
  const printed = printCommand(
    analysis,
    opinions,
    hidden.map((zone) => zone.name),
  )
  const printedLines = [
    { outcome: 'runs as', detail: printedText(printed) },
    ...hidden.map((zone) => ({
      outcome: 'hides',
      detail: `zone ${zone.name}: ${whyHidden(zone)}`,
    })),
  ]
  return { ...verdictOf(first), printed, printedLines }
}

/** A command that needs a hidden zone asks; it is blocked where nobody may read that zone. */
function hiddenRuling(policy: ShellPolicy, { zone, how }: ReachedZone): Ruling {
  if (isReadBlocked(zone)) {
    const { rule, reason } = zoneOpinion(zone, 'read')
    return {
      approval: 'blocked',
      rule,
      reason,
      line: `the command is blocked: ${how}, whose reads are blocked`,
    }
  }
  const text = `the command asks: ${how}, whose reads ask, and not every rule that allows it names that zone`
  const rule = { id: 'shell:hidden-zone', text, source: policy.source }
  return { approval: 'ask', rule, reason: null, line: text }
}

function whyHidden(zone: Zone): string {
  return isReadBlocked(zone)
    ? 'its reads are blocked'
    : 'its reads ask, and not every rule names it'
}

/** What decides about a whole command; `line`: its line of the analysis, where it adds one. */
type Ruling = Pick<CommandVerdict, 'approval' | 'rule' | 'reason'> & { readonly line?: string }

/** The opinions, each once, and what was not understood. */
function linesOf(opinions: readonly CommandOpinion[], { doubts }: CommandAnalysis) {
  const distinct = new Map(
    opinions.map((opinion) => [`${opinion.rule.id} ${opinion.displayText}`, opinion]),
  )
  const lines: CommandLine[] = []
  for (const { displayText, approval, rule } of distinct.values()) {
    lines.push({ outcome: approval, detail: `${displayText}: ${rule.text}` })
  }
  for (const doubt of doubts) lines.push({ outcome: 'ask', detail: doubt })
  return lines
}

/** Why a command is blocked: by a rule, or because what a rule blocks could be in it. */
function blockOf(
  policy: ShellPolicy,
  { doubts, isComplete, search }: CommandAnalysis,
  opinions: readonly CommandOpinion[],
  budget: Budget,
): Ruling | null {
  const block = opinions.find(({ approval }) => approval === 'blocked')
  if (block !== undefined) return block
  const unreadRule = unreadableRule(search, budget)
  if (unreadRule !== null) return { approval: 'blocked', rule: unreadRule, reason: null }
  if (isComplete || policy.default !== 'blocked') return null
  const text = `no shell rule allows what cannot be read: ${doubts[0] ?? ''}`
  const rule = { id: defaultRule, text, source: policy.source }
  return { approval: 'blocked', rule, reason: null }
}

/** Why a command asks: by a rule, by its form, or because no sandbox can contain it. */
function askOf(
  policy: ShellPolicy,
  { doubts, parts }: CommandAnalysis,
  opinions: readonly CommandOpinion[],
  { host }: Pick<CommandContext, 'host'>,
): Ruling | null {
  const ask = opinions.find(({ approval }) => approval === 'ask')
  if (ask !== undefined) return ask
  const runner = pipedIntoRunner(parts)
  if (runner !== null) {
    const text = `${runner} may run what is piped into it, which no rule spells out`
    const rule = { id: 'shell:piped-input', text, source: policy.source }
    return { approval: 'ask', rule, reason: null, line: text }
  }
  if (doubts.length > 0 || opinions.length === 0) return unclearAsk(policy, doubts[0])
  const later = runsAfterPlacing(parts)
  if (later !== null) {
    const text = `another command of the script may put settings into the folder before ${later} runs there`
    const rule = { id: 'shell:changed-folder', text, source: policy.source }
    return { approval: 'ask', rule, reason: null, line: text }
  }
  if (host.sandboxProblem === null) return null
  const text = `no command is pre-approved on this host: ${host.sandboxProblem}`
  const rule = { id: 'shell:no-sandbox', text, source: null }
  return { approval: 'ask', rule, reason: null, line: text }
}

function unclearAsk({ source }: ShellPolicy, doubt = 'it holds nothing to judge'): Ruling {
  const text = `the command asks: ${doubt}`
  return { approval: 'ask', rule: { id: 'shell:unclear', text, source }, reason: null }
}

/**
 * The opinions of the rules on every simple command, in order, and on the texts that commands run
 * or that cannot be parsed. Equal texts of the script itself are judged once.
 */
async function opinionsOf(
  policy: ShellPolicy,
  analysis: CommandAnalysis,
  context: Omit<CommandContext, 'rules'>,
  budget: Budget,
): Promise<CommandOpinion[]> {
  const { rules } = policy
  const { search } = analysis
  const wordsByNode = knownByNode(analysis)
  const opinions: CommandOpinion[] = []
  const opinionBySource = new Map<string, CommandOpinion>()
  for (const command of search.commands) {
    // Commands in a text that a command runs count for asks and blocks only.
    const isVector = analysis.input.kind === 'exec' && command === search.commands[0]
    const isOwn = command.node !== null || isVector
    const words = isOwn ? (wordsByNode.get(command.node) ?? null) : null
    const source = sourceOf(analysis, command)
    const earlier = source === null ? undefined : opinionBySource.get(source)
    const opinion =
      earlier ?? (await judgeSimpleCommand(policy, command, words, { ...context, rules }, budget))
    if (source !== null) opinionBySource.set(source, opinion)
    if (isOwn || opinion.rule.id !== defaultRule) opinions.push({ ...opinion, node: command.node })
    opinions.push(
      ...innerRestrictions(rules, command, budget).map((rule) =>
        ruleOpinion(rule, `inside of ${displayWords(command.words)}`),
      ),
    )
  }
  opinions.push(
    ...scannedRestrictions(rules, search, budget).map((rule) =>
      ruleOpinion(rule, 'in a text that cannot be parsed'),
    ),
  )
  return opinions
}

/** The block of a text that could not be analysed completely. */
function unreadableRule(search: CommandAnalysis['search'], budget: Budget): Rule | null {
  if (search.isTooDeep) {
    const text = 'its substitutions are nested too deeply to look for what is blocked in them'
    return { id: 'shell:too-deep', text, source: null }
  }
  return search.isTooMuch || budget.isSpent ? tooMuchRule() : null
}

function tooMuchRule(): Rule {
  const text =
    'it could mean too many things, or names too many paths, to look for what is blocked in all of them: split it into several calls'
  return { id: 'shell:too-much', text, source: null }
}

/** A command's text in the script: equal texts have equal verdicts and are judged once. */
function sourceOf({ input }: CommandAnalysis, { node }: PossibleCommand): string | null {
  return node === null || input.kind === 'exec' ? null : input.script.slice(node.pos, node.end)
}

/** The known commands by their nodes; an argument vector has the node `null`. */
function knownByNode(analysis: CommandAnalysis): ReadonlyMap<unknown, readonly KnownWord[]> {
  const wordsByNode = new Map<unknown, readonly KnownWord[]>()
  for (const part of analysis.parts) {
    if (part.kind === 'command' && hasAllWords(part)) wordsByNode.set(part.node, part.words)
  }
  return wordsByNode
}

/** A command with unknown words has no vector. */
function hasAllWords({ node, words }: KnownCommand): boolean {
  if (node === null) return true
  return node.name !== undefined && words.length === node.args.length + 1
}

function printCommand(
  analysis: CommandAnalysis,
  opinions: readonly CommandOpinion[],
  hides: readonly string[],
): PrintedCommand {
  if (analysis.input.kind === 'exec') {
    return { kind: 'exec', hides, argv: (opinions[0]?.printed ?? []).map((word) => word.text) }
  }
  const script = analysis.parts.map((part) => {
    if (part.kind === 'text') return part.text
    const words = opinions.find((opinion) => opinion.node === part.node)?.printed
    // Only a pre-approved command gets here. It throws, so that no part runs without the rest.
    if (words === undefined || words === null) throw new TypeError('a command has no printed form')
    return [...words.map((word) => word.printed), ...part.redirects].join(' ')
  })
  return { kind: 'shell', hides, script: script.join('') }
}

function printedText(printed: PrintedCommand): string {
  return printed.kind === 'shell' ? printed.script : printed.argv.join(' ')
}
