import type { PrintedCommand } from '../../domain/command.ts'
import type { Rule } from '../../domain/verdict.ts'
import type { ApprovalWord, ShellPolicy, ShellRule } from '../policy.ts'
import { opinionOf } from '../judge/consent/opinion.ts'
import type { CommandAnalysis } from './analyse-command.ts'
import { firstOver, innerMatches, matchingEffort, scanMatches } from './rules/first-match.ts'
import { preApprove, type CommandPlace } from './rules/pre-approve.ts'
import type { PossibleCommand } from './search/possible-commands.ts'
import type { Effort } from './spelling/effort.ts'
import type { Spelling } from './spelling/spelling.ts'
import type { KnownCommand } from './strict/known-piece.ts'
import type { KnownWord } from './strict/known-word.ts'

/** What a worker's shell rules say of a command. */
export interface CommandVerdict {
  readonly word: ApprovalWord
  readonly rule: Rule
  /** a block's own text */
  readonly reason: string | null
  /** how it runs when these rules alone allow it */
  readonly printed: PrintedCommand | null
  /** the analysis, one line a finding */
  readonly lines: readonly { readonly outcome: string; readonly detail: string }[]
}

/** Id of the word for what no rule speaks of. */
const defaultRule = 'shell:default'

/** What one simple command comes to. */
interface Found {
  readonly shown: string
  readonly word: ApprovalWord
  readonly rule: Rule
  readonly reason: string | null
  /** of a command of the text itself */
  readonly node?: PossibleCommand['node']
  /** as it runs when it is pre-approved */
  readonly printed: readonly KnownWord[] | null
}

/**
 * Judges every simple command of a text by the worker's rules (workers-and-policy.md, shell rules). One that is blocked
 * blocks the whole; the whole is pre-approved only when each is, everything is understood, and the host has a sandbox.
 */
export async function judgeCommand(
  policy: ShellPolicy,
  analysis: CommandAnalysis,
  place: Omit<CommandPlace, 'rules'>,
): Promise<CommandVerdict> {
  const { rules } = policy
  const { search, doubts } = analysis
  const known = knownByNode(analysis)
  const effort = matchingEffort()
  const found: Found[] = []
  const judged = new Map<string, Found>()
  for (const command of search.commands) {
    // What was found inside of a text that a command runs counts for asks and blocks alone.
    const isVector = analysis.input.kind === 'exec' && command === search.commands[0]
    const own = command.node !== null || isVector
    const words = own ? (known.get(command.node) ?? null) : null
    const source = sourceOf(analysis, command)
    const before = source === null ? undefined : judged.get(source)
    const one = before ?? (await judgeOne(policy, command, words, { ...place, rules }, effort))
    if (source !== null) judged.set(source, one)
    if (own || one.rule.id !== defaultRule) found.push({ ...one, node: command.node })
    found.push(
      ...innerMatches(rules, command, effort).map((rule) =>
        byRule(rule, `inside of ${shownWords(command.words)}`),
      ),
    )
  }
  found.push(
    ...scanMatches(rules, search, effort).map((rule) =>
      byRule(rule, 'in a text that is not understood'),
    ),
  )
  const distinct = new Map(found.map((one) => [`${one.rule.id} ${one.shown}`, one]))
  const lines = [
    ...[...distinct.values()].map(({ shown, word, rule }) => ({
      outcome: word,
      detail: `${shown}: ${rule.text}`,
    })),
    ...doubts.map((doubt) => ({ outcome: 'ask', detail: doubt })),
  ]
  const end = (one: Pick<Found, 'word' | 'rule' | 'reason'>): CommandVerdict => ({
    word: one.word,
    rule: one.rule,
    reason: one.reason,
    printed: null,
    lines,
  })
  const blocked = found.find(({ word }) => word === 'blocked')
  if (blocked !== undefined) return end(blocked)
  const [doubt] = doubts
  const unread = unreadOf(search, effort)
  if (unread !== null) return end({ word: 'blocked', rule: unread, reason: null })
  if (!analysis.whole && policy.default === 'blocked') {
    const text = `no shell rule allows what cannot be read: ${doubt ?? ''}`
    return end({
      word: 'blocked',
      rule: { id: defaultRule, text, source: policy.source },
      reason: null,
    })
  }
  const asks = found.find(({ word }) => word === 'ask')
  if (asks !== undefined) return end(asks)
  const noSandbox = place.host.sandboxProblem
  const [first] = found
  if (doubt !== undefined || first === undefined) {
    const text = `the command asks: ${doubt ?? 'it holds nothing to judge'}`
    return end({
      word: 'ask',
      rule: { id: 'shell:unclear', text, source: policy.source },
      reason: null,
    })
  }
  if (noSandbox !== null) {
    const text = `no command is pre-approved on this host: ${noSandbox}`
    lines.push({ outcome: 'ask', detail: text })
    return end({ word: 'ask', rule: { id: 'shell:no-sandbox', text, source: null }, reason: null })
  }
  const printed = printedOf(analysis, found)
  lines.push({ outcome: 'runs as', detail: shownPrinted(printed) })
  return { ...end(first), printed }
}

/** The block of a text that could not be looked through as a whole. */
function unreadOf(search: CommandAnalysis['search'], effort: Effort): Rule | null {
  if (search.isTooDeep) {
    const text = 'its substitutions are nested too deeply to look for what is blocked in them'
    return { id: 'shell:too-deep', text, source: null }
  }
  if (!search.isTooMuch && !effort.isSpent) return null
  const text = 'it could mean too many things to look for what is blocked in all of them'
  return { id: 'shell:too-much', text, source: null }
}

/** The text of a command of the script itself: the same text means the same, so it is judged once. */
function sourceOf({ input }: CommandAnalysis, { node }: PossibleCommand): string | null {
  return node === null || input.kind === 'exec' ? null : input.script.slice(node.pos, node.end)
}

/** The known commands by their nodes; an argument vector has the node `null`. */
function knownByNode(analysis: CommandAnalysis): ReadonlyMap<unknown, readonly KnownWord[]> {
  const known = new Map<unknown, readonly KnownWord[]>()
  for (const piece of analysis.pieces) {
    if (piece.kind === 'command' && isWhole(piece)) known.set(piece.node, piece.words)
  }
  return known
}

/** A command some words of which are not known has no vector. */
function isWhole({ node, words }: KnownCommand): boolean {
  if (node === null) return true
  return node.name !== undefined && words.length === node.args.length + 1
}

/** First match wins: rules that pre-approve look at the vector as it is, others at what it could mean. */
async function judgeOne(
  policy: ShellPolicy,
  command: PossibleCommand,
  words: readonly KnownWord[] | null,
  place: CommandPlace,
  effort: Effort,
): Promise<Found> {
  const shown =
    words === null ? shownWords(command.words) : words.map((word) => word.printed).join(' ')
  const skipped: string[] = []
  let asks: Found | null = null
  const over = firstOver(policy.rules, command.words, 0, effort)
  for (const rule of policy.rules) {
    if (rule === over) return byRule(rule, shown)
    if (rule.consent.approval !== 'preApproved' || words?.[0]?.text !== rule.pattern[0]) continue
    const answer = words === null ? null : await preApprove(rule, words, place)
    if (answer === null || (answer.kind === 'skips' && answer.why === null)) continue
    if (answer.kind === 'approves') return { ...byRule(rule, shown), printed: answer.words }
    if (answer.kind === 'skips') skipped.push(answer.why ?? '')
    else asks ??= asking(rule, shown, answer.why)
  }
  if (asks !== null) return asks
  if (words === null) skipped.push('its words are not all known')
  const why = skipped.length === 0 ? '' : ` (${skipped.join('; ')})`
  const { default: word, source } = policy
  const text = `no shell rule allows ${shown}${why}: it ${word === 'ask' ? 'asks' : 'is blocked'}`
  return { shown, word, rule: { id: defaultRule, text, source }, reason: null, printed: null }
}

function byRule(rule: ShellRule, shown: string): Found {
  const pattern = rule.pattern.join(' ')
  const opinion = opinionOf(rule.consent, `shell:${pattern}`, `shell rule "${pattern}"`)
  return { shown, word: opinion.word, rule: opinion.rule, reason: opinion.reason, printed: null }
}

function asking(rule: ShellRule, shown: string, why: string): Found {
  const { rule: said } = byRule(rule, shown)
  const text = `shell rule "${rule.pattern.join(' ')}" would pre-approve it, but ${why}: it asks`
  return { shown, word: 'ask', rule: { ...said, text }, reason: null, printed: null }
}

function printedOf(analysis: CommandAnalysis, found: readonly Found[]): PrintedCommand {
  if (analysis.input.kind === 'exec') {
    return { kind: 'exec', argv: (found[0]?.printed ?? []).map((word) => word.text) }
  }
  const script = analysis.pieces.map((piece) => {
    if (piece.kind === 'text') return piece.text
    const words = found.find((one) => one.node === piece.node)?.printed
    // A command that is not pre-approved never gets here; nothing at all runs rather than a part.
    if (words === undefined || words === null) throw new TypeError('a command has no printed form')
    return [...words.map((word) => word.printed), ...piece.redirects].join(' ')
  })
  return { kind: 'shell', script: script.join('') }
}

function shownPrinted(printed: PrintedCommand): string {
  return printed.kind === 'shell' ? printed.script : printed.argv.join(' ')
}

function shownWords(words: readonly Spelling[]): string {
  const texts = words.map(({ ways, open }) => (open ? '…' : (ways[0]?.join(' ') ?? '')))
  const text = texts.join(' ').replace(/\p{C}/gu, '�')
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`
}
