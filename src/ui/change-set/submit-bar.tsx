import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { refusalWords } from '../deciding/decision/wording/refusal-words.ts'
import { useAriaKeys } from '../keyboard/keyboard-provider.tsx'
import { lastListAddress } from '../request/last-list.ts'
import { Notice } from '../states/notice.tsx'
import { clockTime } from '../text/time.tsx'
import type { CardState } from './call-card.tsx'
import type { CallChoice } from './plan-decisions.ts'
import type { ChangeSetDecisions } from './use-change-set-decisions.ts'
import { verbs } from '../words/verbs.ts'

/**
 * The bar with the choices so far, what keeps some of them from being sent, and the button. Once
 * nothing is left to decide, the button leads back to the list.
 */
export function SubmitBar(props: {
  decisions: ChangeSetDecisions
  states: readonly CardState[]
  hasOpen: boolean
  /** shows what keeps a choice from being sent */
  onShow: (key: string) => void
}) {
  const { count, obstacles, send, busy, offline, refusal, summary } = props.decisions
  const navigate = useNavigate()
  const submitKeys = useAriaKeys('submit')
  const backKeys = useAriaKeys('back')
  return (
    <div className="decide-bar change-set-bar" role="region" aria-label="Decisions">
      <div className="grow">
        <p ref={summary} tabIndex={-1} className="small" role="status">
          {summaryOf(props.states, props.hasOpen)}
        </p>
        {obstacles.map(({ request, why }) => (
          <p key={request.id} className="small soon">
            #{request.number} does not count yet: {why}{' '}
            <button type="button" className="link-button" onClick={() => props.onShow(request.id)}>
              Show it
            </button>
          </p>
        ))}
        {offline && (
          <p role="alert" className="small">
            Offline: nothing can be decided until the service is back.
          </p>
        )}
        {refusal !== null && (
          <Notice tone="bad" title={refusalWords(refusal, 'answer', clockTime).title}>
            {refusal.message} Each decision counts once, even if it is sent twice.
          </Notice>
        )}
      </div>
      {props.hasOpen || busy ? (
        <Button
          disabled={busy || offline || count === 0}
          onClick={() => void send()}
          {...submitKeys}
        >
          {busy ? verbs.submitting : submitWords(count)}
        </Button>
      ) : (
        <Button variant="default" onClick={() => void navigate(lastListAddress())} {...backKeys}>
          {verbs.backToList}
        </Button>
      )}
    </div>
  )
}

function submitWords(count: number): string {
  if (count === 0) return 'Submit decisions'
  return `Submit ${countWords(count, 'decision')}`
}

function summaryOf(states: readonly CardState[], hasOpen: boolean): string {
  const count = (choice: CallChoice): number =>
    states.filter((state) => state.choice === choice).length
  const words = [
    count('approve') > 0 ? `${count('approve')} to approve` : '',
    count('deny') > 0 ? `${count('deny')} to deny` : '',
  ].filter(Boolean)
  const failures = states.filter(({ result }) => result !== null && result.item.status !== 200)
  const recorded = states.filter(({ result }) => result?.item.status === 200)
  const results = [
    recorded.length > 0 ? `${recorded.length} recorded` : '',
    failures.length > 0 ? `${failures.length} not recorded` : '',
  ].filter(Boolean)
  const none = hasOpen ? 'Nothing chosen' : 'Nothing left to decide here'
  const choices = words.length === 0 ? none : words.join(', ')
  return results.length === 0 ? `${choices}.` : `${results.join(', ')}. ${choices}.`
}
