import { confirm, isCancel, select, text } from '@clack/prompts'
import type { RequestDetail } from '../../api/schemas/requests.ts'
import type { Service } from '../service/service.ts'
import { requestText } from '../text/request-text.ts'
import { printableLine } from '../text/terminal-text.ts'
import { askAnswer, sendAnswer, type Answer } from './answer.ts'
import { outcomeSentence, sendDecision, type Choice } from './decide.ts'
import { showWhole } from './show-whole.ts'

type Picked = 'approve' | 'approve_run' | 'full' | 'deny' | 'stop' | 'skip'

/** The person's choice or answer; `skip` to leave the request as it is, `quit` to end the walk. */
export type Asked = Choice | Answer | 'skip' | 'quit'

/**
 * Prints a request and asks the person at the terminal. Nothing is preselected but looking closer; a high
 * risk is only approved when all of it was printed, and with a reason.
 */
export async function askDecision(service: Service, request: RequestDetail): Promise<Asked> {
  const page = requestText(request, { full: false })
  console.log(`\n${page.text}`)
  if (request.kind === 'outcome_check') return leaveToSettle(request)
  if (request.kind === 'question') return askAnswer(request)
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
    if (answer === 'approve_run' && !(await understandsRun(request))) continue
    return choiceOf(answer, reason, seenAll)
  }
}

/** What may have happened is not approved or denied: somebody finds out and says it. */
function leaveToSettle({ number }: RequestDetail): 'skip' {
  console.log(
    `Find out whether it ran, then say so: countersign requests settle ${number} --ran yes|no|unknown --then continue|again|stop -m REASON`,
  )
  return 'skip'
}

function optionsOf(
  request: RequestDetail,
  seenAll: boolean,
): { value: Picked; label: string; hint?: string }[] {
  const mayApprove = request.risk !== 'high' || seenAll
  return [
    { value: 'full', label: 'View in full', hint: 'with the raw input' },
    { value: 'deny', label: 'Deny', hint: 'the run goes on; the reason is shown to the model' },
    { value: 'stop', label: 'Deny and stop', hint: 'the run waits for a message' },
    ...(mayApprove ? [{ value: 'approve' as const, label: 'Approve once, as shown' }] : []),
    ...(mayApprove && request.allowedScopes.includes('run')
      ? [
          {
            value: 'approve_run' as const,
            label: 'Approve for the run',
            hint: 'this very call, again and again',
          },
        ]
      : []),
    { value: 'skip', label: 'Leave it' },
  ]
}

async function askReason(request: RequestDetail, answer: Picked): Promise<string | null> {
  const needed = request.risk === 'high'
  if (answer === 'approve' && !needed) return ''
  const reason = await text({
    message: needed ? 'Reason (required at high risk)' : 'Reason (Enter for none)',
    validate: (value) =>
      needed && !value?.trim() ? 'A reason is required at high risk' : undefined,
  })
  return isCancel(reason) ? null : (reason ?? '')
}

/** "Approve for the run" shows exactly what it will cover (security.md 16). */
async function understandsRun(request: RequestDetail): Promise<boolean> {
  const sure = await confirm({
    message: `This pre-approves ${printableLine(request.tool)} with exactly this input (digest ${request.digest.slice(0, 19)}…) for the rest of the root run. Go on?`,
    initialValue: false,
  })
  return sure === true
}

function choiceOf(
  answer: Exclude<Picked, 'full' | 'skip'>,
  reason: string,
  seenAll: boolean,
): Choice {
  const common = { seenAll, ...(reason.trim() === '' ? {} : { reason }) }
  switch (answer) {
    case 'approve':
      return { ...common, decision: 'approve', scope: 'once' }
    case 'approve_run':
      return { ...common, decision: 'approve', scope: 'run' }
    case 'deny':
      return { ...common, decision: 'deny', then: 'continue' }
    case 'stop':
      return { ...common, decision: 'deny', then: 'stop' }
  }
}

/** Sends what the person chose or answered; what became of it, in one sentence. */
export async function sendAsked(
  service: Service,
  request: RequestDetail,
  asked: Choice | Answer,
): Promise<string> {
  if (asked.decision === 'answer') {
    await sendAnswer(service, request, asked)
    return 'Recorded. The agent reads it.'
  }
  return outcomeSentence(await sendDecision(service, request, asked), asked.then)
}
