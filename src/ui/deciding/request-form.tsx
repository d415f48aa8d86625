import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { showUnseen } from '../effect/seeing/show-unseen.ts'
import { later } from '../states/later.tsx'
import { DecisionPanel } from './decision/decision-panel.tsx'
import type { OpenedRequest } from './use-opened-request.ts'

/** Loaded for the requests that are settled or answered, which few are. */
const SettleForm = later(() =>
  import('./decision/answering/settle-form.tsx').then((module) => module.SettleForm),
)
const AnswerForm = later(() =>
  import('./decision/answering/answer-form.tsx').then((module) => module.AnswerForm),
)

/** Where a request is decided, answered or settled, on its own page and within its run. */
export function RequestForm(props: {
  request: RequestDetail
  view: OpenedRequest
  onReview: () => void
  onRevised: (fresh: RequestDetail) => void
  onRecorded: () => void
  /** shows the comments that are kept back, and leads to them */
  onShowComments: () => void
  /** called when the page was scrolled to what has not been on the screen */
  onShowUnseen?: () => void
  /** the page says how the request ended */
  isOutcomeAbove: boolean
  /** null: nothing comes next */
  onNext: (() => void) | null
}) {
  const { request, view, onNext } = props
  if (request.kind === 'outcome_check') {
    return <SettleForm request={request} onNext={onNext} isOutcomeAbove={props.isOutcomeAbove} />
  }
  if (request.kind === 'question') {
    return <AnswerForm request={request} onNext={onNext} isOutcomeAbove={props.isOutcomeAbove} />
  }
  return (
    <DecisionPanel
      input={{
        request,
        displayedRequest: view.request,
        unsentChoice: view.unsentChoice,
        fullyViewed: view.fullyViewed,
        hasMaskedSecrets: !view.secrets.allRevealed,
        comments: view.comments,
        onShowComments: props.onShowComments,
        onRecorded: props.onRecorded,
        onNext,
      }}
      onShowUnseen={() => {
        const isThere = showUnseen(view.region, view.tracker)
        if (isThere) props.onShowUnseen?.()
        return isThere
      }}
      onReview={props.onReview}
      onRevised={props.onRevised}
      isOutcomeAbove={props.isOutcomeAbove}
    />
  )
}
