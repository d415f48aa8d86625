import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import type { Service } from '../service/service.ts'
import { bold } from '../text/colour.ts'
import { requestText } from '../text/request-text.ts'
import { askAnswer, type Answer } from './answer.ts'
import { askAgain, askBounds, showSettleCommand } from './ask-decision.ts'
import type { Choice } from './decide.ts'
import { whereToSign } from './needs-passkey.ts'
import { promptReason } from './prompt-reason.ts'
import { showWhole } from './show-whole.ts'
import { viewInPager } from './view-in-pager.ts'

/** Where keys come from: `null` when the request was decided elsewhere meanwhile. */
export interface KeySource {
  /** One key that is pressed from now on, by its name. */
  key(): Promise<string | null>
  /** Hands the terminal to a prompt. */
  aside<T>(act: () => Promise<T>): Promise<T>
}

export type KeyChoice = Choice | Answer | 'left' | 'gone' | 'detach'

/**
 * Prints a request and decides it by one key. No key approves by accident of a line: Enter does
 * nothing, and a high risk is approved only after all of it was shown, and with a reason.
 */
export async function askByKey(
  service: Service,
  request: RequestDetail,
  keys: KeySource,
): Promise<KeyChoice> {
  const page = requestText(request, { full: false })
  console.log(`\n${page.text}`)
  if (request.kind === 'outcome_check') return left(showSettleCommand(request))
  if (request.kind === 'question') return left(await keys.aside(() => askAnswer(request)))
  const elsewhere = whereToSign(service, request)
  if (elsewhere !== null) console.log(elsewhere)
  let seenAll = page.whole
  for (;;) {
    console.log(menuOf(request))
    const key = await keys.key()
    if (key === null) return 'gone'
    if (key === 'ctrl-c' || key === 'ctrl-d') return 'detach'
    if (key === 'l') return 'left'
    if (key === 'v') {
      seenAll = await view(service, request, keys)
      continue
    }
    const choice = await keys.aside(() => choose(request, key, seenAll))
    if (choice !== null) return choice
  }
}

function menuOf(request: RequestDetail): string {
  const entries = [
    ...(request.signatureRequired ? [] : ['a approve once']),
    ...(mayRemember(request) ? ['s approve for the run'] : []),
    'd deny',
    ...(request.kind === 'start' ? [] : ['x deny and stop']),
    'v view',
    'l leave',
  ]
  return bold(`#${request.number}: ${entries.join(' · ')}`)
}

function mayRemember({ signatureRequired, allowedScopes }: RequestDetail): boolean {
  return !signatureRequired && allowedScopes.includes('run')
}

/** `null`: the key stands for nothing here, or the person went back. */
async function choose(
  request: RequestDetail,
  key: string,
  seenAll: boolean,
): Promise<Choice | null> {
  if (key === 'd') return deny(request, 'continue', seenAll)
  if (key === 'x' && request.kind !== 'start') return deny(request, 'stop', seenAll)
  const approves =
    (key === 'a' && !request.signatureRequired) || (key === 's' && mayRemember(request))
  if (!approves) return null
  if (request.risk === 'high' && !seenAll) {
    console.log('High risk: view all of it first, with v.')
    return null
  }
  const why = whyReason('approve', request)
  const reason = why === null && key === 'a' ? '' : await promptReason(why)
  if (reason === null) return null
  const grant = key === 's' ? await askBounds(request, 'run') : {}
  if (grant === null) return null
  const again = await askAgain(request)
  if (again === null) return null
  const scope = key === 's' ? 'run' : 'once'
  return { decision: 'approve', scope, ...grant, again, seenAll, ...words(reason) }
}

async function deny(
  request: RequestDetail,
  then: 'continue' | 'stop',
  seenAll: boolean,
): Promise<Choice | null> {
  const reason = await promptReason(whyReason('deny', request))
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

function left(answer: Answer | 'skip' | 'quit'): KeyChoice {
  return typeof answer === 'string' ? 'left' : answer
}
