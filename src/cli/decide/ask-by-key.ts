import type { Readable } from 'node:stream'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import type { Service } from '../service/service.ts'
import { bold } from '../text/colour.ts'
import { menuRows, ownRows, terminalColumns, terminalRows } from '../text/wrap.ts'
import { requestText } from '../text/request-text.ts'
import { askAnswer, type Answer } from './answer.ts'
import { askAgain, askBounds } from './ask-bounds.ts'
import type { Choice } from './decide.ts'
import { whereToSign } from './needs-passkey.ts'
import { promptReason } from './prompt-reason.ts'
import { commandOf } from './verb-of-kind.ts'
import { showWhole } from './show-whole.ts'
import { viewInPager } from './view-in-pager.ts'

/** The source of keys: `null` once the request was decided elsewhere. */
export interface KeySource {
  /** The name of the next key that is pressed. */
  key(): Promise<string | null>
  /**
   * Ignores the keys that were typed before, until none comes for a moment, or for `restMs`. True:
   * the person wants to leave.
   */
  settle(restMs?: number): Promise<boolean>
  /** Gives the terminal to a pager. */
  aside<T>(act: () => Promise<T>): Promise<T>
  /** Gives the keys to a prompt. */
  prompt<T>(act: (input: Readable) => Promise<T>): Promise<T>
  /**
   * Reads and carries out the command that begins with the last key, `/`. `null`: the request is
   * asked again. Absent: there are no commands here.
   */
  readonly command?: () => Promise<'left' | 'detach' | null>
}

/**
 * The pause after a key without a meaning: the person may be typing a word, whose letters must
 * decide nothing.
 */
const afterWordMs = 1_500

export type KeyChoice = Choice | Answer | 'left' | 'gone' | 'detach'

/**
 * Prints a request and reads the decision as one key. Enter does nothing, so that no line approves
 * by accident. High risk is approved only after all of it was shown, and with a reason.
 */
export async function askByKey(
  service: Service,
  request: RequestDetail,
  keys: KeySource,
): Promise<KeyChoice> {
  if (request.kind === 'outcome_check' || request.kind === 'question') {
    console.log(`\n${requestText(request, { full: false }).text}`)
    if (request.kind === 'outcome_check') {
      console.log(commandOf(request))
      return 'left'
    }
    if (await keys.settle()) return 'detach'
    return choiceOf(await keys.prompt((input) => askAnswer(request, input)))
  }
  const elsewhere = whereToSign(service, request)
  const below = [...(elsewhere === null ? [] : [elsewhere]), menuOf(request, keys)].join('\n')
  const page = requestText(request, { full: false, menu: { maxRows: rowsAbove(below) } })
  console.log(`\n${page.text}`)
  if (elsewhere !== null) console.log(elsewhere)
  let seenAll = page.whole
  let isNoKey = false
  for (;;) {
    // The menu appears when no key is being pressed, so that no earlier key decides.
    if (await keys.settle(isNoKey ? afterWordMs : undefined)) return 'detach'
    console.log(isNoKey ? noKey(request) : menuOf(request, keys))
    isNoKey = false
    const key = await keys.key()
    if (key === null) return 'gone'
    if (key === 'q' || key === 'ctrl-c' || key === 'ctrl-d') return 'detach'
    if (key === 'l') return 'left'
    if (key === 'v') {
      seenAll = await view(service, request, keys)
      continue
    }
    // A command is read as a line, so that its letters are not keys of the menu.
    if (key === '/' && keys.command !== undefined) {
      const end = await keys.command()
      if (end !== null) return end
      continue
    }
    const act = actOf(request, key)
    if (act === null) {
      isNoKey = key !== '?'
      continue
    }
    const choice = await keys.prompt((input) =>
      'then' in act
        ? deny({ request, input }, act.then, seenAll)
        : approve({ request, input }, act.scope, seenAll),
    )
    if (choice !== null) return choice
  }
}

/**
 * The rows that are not part of a request: the line of `review`, two empty ones above, and the one
 * of the cursor below.
 */
const otherRows = 4

/** How many rows are left above these lines; null: the rows of the terminal are unknown. */
function rowsAbove(below: string): number | null {
  const rows = terminalRows()
  if (rows === null) return null
  const columns = terminalColumns()
  const belowRows = below.split('\n').flatMap((line) => ownRows(line, columns))
  return rows - belowRows.length - otherRows
}

function menuOf(request: RequestDetail, { command }: KeySource): string {
  const entries = [
    ...approvals
      .filter(({ scope }) => isOffered(request, scope))
      .map(({ key, does }) => `${key} ${does}`),
    'd deny',
    ...(request.kind === 'start' ? [] : ['x deny and stop']),
    'v view',
    'l leave',
    'q quit',
    ...(command === undefined ? [] : ['/ command']),
  ]
  const name = `#${request.number}: `
  const columns = terminalColumns()
  const rows = menuRows(entries, columns === null ? null : columns - name.length)
  return bold(name + rows.join(`\n${' '.repeat(name.length)}`))
}

/** One line after a key without a meaning: the menu is still on the screen. */
function noKey({ number }: RequestDetail): string {
  return `#${number}: not one of its keys; ? lists them`
}

/** The key of each scope of an approval, and what it does. */
const approvals: readonly { key: string; scope: ScopeName; does: string }[] = [
  { key: 'a', scope: 'once', does: 'approve once' },
  { key: 's', scope: 'run', does: 'approve for the run' },
  { key: 'f', scope: 'path', does: 'approve for this file' },
  { key: 'c', scope: 'command', does: 'approve for this command' },
]

function isOffered({ signatureRequired, allowedScopes }: RequestDetail, scope: ScopeName): boolean {
  return !signatureRequired && (scope === 'once' || allowedScopes.includes(scope))
}

/** A request and the keys for prompts about it. */
interface PromptTarget {
  readonly request: RequestDetail
  readonly input: Readable
}

/** What a key of the menu does to the request; `null`: the key is not on the menu. */
function actOf(
  request: RequestDetail,
  key: string,
): { readonly then: 'continue' | 'stop' } | { readonly scope: ScopeName } | null {
  if (key === 'd') return { then: 'continue' }
  if (key === 'x' && request.kind !== 'start') return { then: 'stop' }
  return approvals.find((one) => one.key === key && isOffered(request, one.scope)) ?? null
}

/** `null`: the person went back. */
async function approve(
  { request, input }: PromptTarget,
  scope: ScopeName,
  seenAll: boolean,
): Promise<Choice | null> {
  if (request.risk === 'high' && !seenAll) {
    console.log('High risk: view all of it first, with v.')
    return null
  }
  const why = whyReason('approve', request)
  const reason = why === null && scope === 'once' ? '' : await promptReason(why, input)
  if (reason === null) return null
  const grant = scope === 'once' ? {} : await askBounds(request, scope, input)
  if (grant === null) return null
  const again = await askAgain(request, input)
  if (again === null) return null
  return { decision: 'approve', scope, ...grant, again, seenAll, ...words(reason) }
}

async function deny(
  { request, input }: PromptTarget,
  then: 'continue' | 'stop',
  seenAll: boolean,
): Promise<Choice | null> {
  const reason = await promptReason(whyReason('deny', request), input)
  return reason === null ? null : { decision: 'deny', then, seenAll, ...words(reason) }
}

function words(reason: string): Pick<Choice, 'reason'> {
  return reason.trim() === '' ? {} : { reason }
}

async function view(service: Service, request: RequestDetail, keys: KeySource): Promise<boolean> {
  const texts: string[] = []
  const isWhole = await showWhole(service, request, (text) => void texts.push(text))
  const text = `${texts.join('\n')}\n`
  const isShown = await keys.aside(() => viewInPager(text))
  if (!isShown) process.stdout.write(text)
  return isWhole
}

function choiceOf(answer: Answer | 'skip' | 'quit'): KeyChoice {
  if (answer === 'quit') return 'detach'
  return answer === 'skip' ? 'left' : answer
}
