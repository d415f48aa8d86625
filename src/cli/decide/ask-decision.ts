import { confirm, isCancel, select, text } from '@clack/prompts'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import type { Service } from '../service/service.ts'
import { coverageText } from '../text/coverage-text.ts'
import { requestText } from '../text/request-text.ts'
import { askAnswer, sendAnswer, type Answer } from './answer.ts'
import { outcomeSentence, sendDecision, type Choice } from './decide.ts'
import { whereToSign } from './needs-passkey.ts'
import { promptReason } from './prompt-reason.ts'
import { showWhole } from './show-whole.ts'

type Wider = Exclude<ScopeName, 'once'>
type Picked = 'approve' | `approve_${Wider}` | 'full' | 'deny' | 'stop' | 'skip'

const wider: Record<Wider, { readonly label: string; readonly hint: string }> = {
  run: { label: 'Approve for the run', hint: 'this very call, again and again' },
  path: { label: 'Approve for this file', hint: 'any content, for the rest of the run' },
  command: { label: 'Approve for this command', hint: 'whatever the files it names contain' },
}

/** The person's choice or answer; `skip` to leave the request as it is, `quit` to end the walk. */
export type DecisionChoice = Choice | Answer | 'skip' | 'quit'

/**
 * Prints a request and asks the person at the terminal. Nothing is preselected but looking closer;
 * a high risk is only approved when all of it was printed, and with a reason.
 */
export async function askDecision(
  service: Service,
  request: RequestDetail,
): Promise<DecisionChoice> {
  const page = requestText(request, { full: false })
  console.log(`\n${page.text}`)
  if (request.kind === 'outcome_check') return showSettleCommand(request)
  if (request.kind === 'question') return askAnswer(request)
  const elsewhere = whereToSign(service, request)
  if (elsewhere !== null) console.log(elsewhere)
  let seenAll = page.whole
  for (;;) {
    const answer = await select<Picked>({
      message: 'Your decision',
      options: optionsOf(request, seenAll),
      initialValue: 'full',
    })
    if (isCancel(answer)) return 'quit'
    if (answer === 'skip') return 'skip'
    if (answer === 'full') {
      seenAll = await showWhole(service, request, (text) => console.log(text))
      continue
    }
    const reason = await askReason(request, answer)
    if (reason === null) continue
    const scope = scopeOf(answer)
    if (scope === null) return denialOf(answer === 'stop' ? 'stop' : 'continue', reason, seenAll)
    const grant = scope === 'once' ? {} : await askBounds(request, scope)
    if (grant === null) continue
    const again = await askAgain(request)
    if (again === null) continue
    return { ...common(reason, seenAll), decision: 'approve', scope, ...grant, again }
  }
}

/** What may have happened is not approved or denied: somebody finds out and says it. */
export function showSettleCommand({ number }: RequestDetail): 'skip' {
  console.log(
    `Find out whether it ran, then record it: countersign requests settle ${number} --ran yes|no|unknown --then continue|again|stop -m REASON`,
  )
  return 'skip'
}

function optionsOf(
  request: RequestDetail,
  seenAll: boolean,
): { value: Picked; label: string; hint?: string }[] {
  const mayApprove = !request.signatureRequired && (request.risk !== 'high' || seenAll)
  return [
    { value: 'full', label: 'View in full', hint: 'with the raw input' },
    ...denialsOf(request),
    ...(mayApprove ? [{ value: 'approve' as const, label: 'Approve once, as shown' }] : []),
    ...(mayApprove ? request.allowedScopes : []).flatMap((scope) =>
      scope === 'once' ? [] : [{ value: `approve_${scope}` as const, ...wider[scope] }],
    ),
    { value: 'skip', label: 'Leave it' },
  ]
}

function denialsOf({ kind }: RequestDetail): { value: Picked; label: string; hint: string }[] {
  if (kind === 'start') {
    return [{ value: 'deny', label: 'Deny', hint: 'the run is cancelled before it begins' }]
  }
  return [
    { value: 'deny', label: 'Deny', hint: 'the run continues; the model reads the reason' },
    { value: 'stop', label: 'Deny and stop', hint: 'the run waits for a message' },
  ]
}

async function askReason(request: RequestDetail, answer: Picked): Promise<string | null> {
  const denies = answer === 'deny' || answer === 'stop'
  const why = whyReason(denies ? 'deny' : 'approve', request)
  if (answer === 'approve' && why === null) return ''
  return promptReason(why)
}

/** `null`: not an approval. */
function scopeOf(answer: Exclude<Picked, 'full' | 'skip'>): ScopeName | null {
  switch (answer) {
    case 'deny':
    case 'stop':
      return null
    case 'approve':
      return 'once'
    case 'approve_run':
      return 'run'
    case 'approve_path':
      return 'path'
    case 'approve_command':
      return 'command'
  }
}

/**
 * "Approve for the run" shows exactly what it will cover (security.md 16), and may be bounded;
 * `null` to go back.
 */
export async function askBounds(
  request: RequestDetail,
  scope: ScopeName,
): Promise<Pick<Choice, 'grant'> | null> {
  console.log(coverageText(request, scope))
  const uses = await text({
    message: 'At most how many uses? (Enter: no limit)',
    validate: (value) =>
      value === undefined || /^([1-9]\d{0,5})?$/.test(value) ? undefined : 'A number from 1 on',
  })
  if (isCancel(uses)) return null
  const sure = await confirm({
    message: 'This approves calls that nobody has seen yet. Continue?',
    initialValue: false,
  })
  if (sure !== true) return null
  return uses ? { grant: { uses: Number(uses) } } : {}
}

/**
 * Whether what was carried out before is to run once more, which an approval at high risk says
 * (dashboard.md, alike); `null`: it is not to, after all.
 */
export async function askAgain({ risk, alike }: RequestDetail): Promise<boolean | null> {
  const repeated = againSentence(alike.again)
  if (risk !== 'high' || repeated === null) return false
  const sure = await confirm({ message: `${repeated}. Yes, again?`, initialValue: false })
  return sure === true ? true : null
}

function common(reason: string, seenAll: boolean): Pick<Choice, 'reason' | 'seenAll'> {
  return { seenAll, ...(reason.trim() === '' ? {} : { reason }) }
}

function denialOf(then: 'continue' | 'stop', reason: string, seenAll: boolean): Choice {
  return { ...common(reason, seenAll), decision: 'deny', then }
}

/** Sends what the person chose or answered; what became of it, in one sentence. */
export async function sendChoice(
  service: Service,
  request: RequestDetail,
  choice: Choice | Answer,
): Promise<string> {
  if (choice.decision === 'answer') {
    await sendAnswer(service, request, choice)
    return 'Recorded. The agent reads it.'
  }
  return outcomeSentence(await sendDecision(service, request, choice), choice.then, request.kind)
}
