import type { ApprovalWord, RunMode } from '#domain/policy/verdict.ts'
import { certainLines } from '../judge/preview/worker-preview.ts'
import type { Policy } from '../policy.ts'
import type { Zone } from '../worker-definition.ts'
import { oneLine } from '#domain/text/one-line.ts'
import { hiddenReason, labelOf } from '#domain/text/visible-text.ts'

/** The facts in a preamble besides the pinned policy version. None of them changes. */
interface WorldOfRun {
  /** name of its worker */
  readonly worker: string
  readonly mode: RunMode
  /** a person may continue it after its answer */
  readonly conversation: boolean
  readonly workspace: string
  /** `null`: it works in the folder of the workspace */
  readonly worktree: { readonly branch: string; readonly base: string } | null
  readonly startedAt: Date
}

/**
 * The text for the model of a run before its worker's own instructions (product.md 32). It names
 * the zones, what runs without approval, what asks, what is never done, the workers that the run
 * may call, and the day on which it began. It says that calls may wait or be denied. It is made
 * only of what the run pinned, so that every turn sends the same bytes, which providers cache. It
 * names no value of a variable, header or address, and no path that only an overlay names. Pure.
 */
export function runPreamble(policy: Policy, run: WorldOfRun): string {
  const worker = policy.workers.get(run.worker)
  if (worker === undefined) return ''
  const lines = certainLines(policy, worker)
  const of = (word: ApprovalWord): string[] =>
    lines
      .filter(({ approval }) => approval === word)
      .map(({ text, reason }) => (reason === null ? text : `${text} (${reason})`))
  return [
    `You are the worker ${plainLine(worker.name)} of Countersign, which wrote this part. This run began on ${dayOf(run.startedAt)} (UTC); days may have passed since.`,
    howCallsAreJudged,
    ...modeText[run.mode],
    run.conversation
      ? 'An answer without calls hands the conversation to the person, who may go on with it.'
      : 'An answer without calls ends this run.',
    whereText(run),
    ...section('Your zones', worker.zones.map(zoneText)),
    ...section('What runs at once', of('preApproved')),
    ...section('What a person is asked about first', of('ask')),
    ...section('What is never done', of('blocked')),
    ...section(
      'Workers that you may call',
      worker.workers.map((name) => calledText(policy, name)),
    ),
    'A call may be judged more strictly than this says: by its arguments, or because the rules have changed since.',
  ].join('\n\n')
}

const howCallsAreJudged =
  'Each of your calls is judged before anything happens: it runs at once, waits until a person has decided, or is refused. While a call waits you are not asked; you get its result or its denial afterwards. What was denied or blocked was not carried out: do not try to reach the same in another way. Read the reason, and go on without it or say what you would need. Do not ask for approval in your text: make the call, and the people are asked.'

const modeText: Readonly<Record<RunMode, readonly string[]>> = {
  prompt: [],
  strict: [
    'This run is in the mode strict: a call that a person would be asked about is denied, and nobody is asked.',
  ],
  approve_all: [
    'This run is in the mode approve_all: a call that a person would be asked about runs at once.',
  ],
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function whereText({ workspace, worktree }: WorldOfRun): string {
  const paths = `Paths are relative to the root of the workspace ${plainLine(workspace)}.`
  if (worktree === null) return paths
  const branch = plainLine(worktree.branch)
  return `${paths} It is a Git worktree of this run's own, on the branch ${branch}, which began at ${plainLine(worktree.base)}.`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [[`## ${title}`, ...plainList(lines)].join('\n')]
}

function zoneText({ name, root, mode, suffixes }: Zone): string {
  const place = root === '' ? 'the whole workspace' : `${root}/`
  const how = mode === 'ro' ? 'read only' : 'read and write'
  const names =
    suffixes === null ? '' : `, changes only to names that end in ${suffixes.join(', ')}`
  return `${name}: ${place}, ${how}${names}`
}

function calledText(policy: Policy, name: string): string {
  const description = policy.workers.get(name)?.description ?? ''
  return description === '' ? name : `${name}: ${description}`
}

/** Longest line of a preamble, in characters. */
const lineCharacters = 200

/**
 * A name or sentence of a configuration as one line that the model cannot mistake for another: no
 * line ends, no invisible characters, of bounded length. Pure.
 */
function plainLine(text: string): string {
  const line = oneLine(text, lineCharacters)
  return Array.from(line)
    .map((character) => (hiddenReason(character) === null ? character : `[${labelOf(character)}]`))
    .join('')
}

/** Most lines of one list of a preamble. */
const listLines = 60

/** The lines of a list; a long one ends with the number of the omitted lines. Pure. */
function plainList(lines: readonly string[]): readonly string[] {
  const items = lines.slice(0, listLines).map((line) => `- ${plainLine(line)}`)
  const more = lines.length - items.length
  return more > 0 ? [...items, `- and ${more} more`] : items
}
