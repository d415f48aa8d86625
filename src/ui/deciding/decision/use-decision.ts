import { useCallback, useEffect, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { callApi } from '../../api/call-api.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { holdDecision, useHeldOf } from '../../sending/held-decisions.ts'
import { announce } from '../../states/announce.tsx'
import type { SteadyComments } from '../comments/use-steady-comments.ts'
import { useDraft } from '../../states/draft.ts'
import { maskedString } from '../../text/masked-string.ts'
import { verbs } from '../../words/verbs.ts'
import { decisionBody, type PanelFields, whyNotSubmit } from './choosing/decision-body.ts'
import type { UnsentChoice } from './choosing/use-unsent-choice.ts'
import { useSignature } from './use-signature.ts'
import { type SubmitOptions, useSubmit } from './use-submit.ts'
import { refusalOf } from './wording/refused-decision.tsx'
import { useOwnVote } from './wording/own-vote.ts'
import { sentenceNow } from './wording/sentence-now.ts'

/** What a decision is about, what the person has chosen and seen of it, and what follows it. */
export interface DecisionInput {
  /** the newest state of the request */
  readonly request: RequestDetail
  /** the revision that the person opened */
  readonly displayedRequest: RequestDetail
  readonly unsentChoice: UnsentChoice
  readonly fullyViewed: boolean
  /** a value that looks like a secret is still masked */
  readonly hasMaskedSecrets: boolean
  readonly comments: SteadyComments
  /** shows the comments that are kept back, and leads to them */
  readonly onShowComments: () => void
  /** called once the service has recorded the decision */
  readonly onRecorded: () => void
  /** null: nothing comes next */
  readonly onNext: (() => void) | null
}

export type Decision = ReturnType<typeof useDecision>

/**
 * A decision in progress: its fields, why it cannot be submitted, how it is submitted, and its
 * result. Nothing counts before the service has confirmed it.
 */
export function useDecision(input: DecisionInput) {
  const { request, displayedRequest, onNext } = input
  const { choice } = input.unsentChoice
  const { fields, setReason, obstacle, obstacleVisible, remind } = useFields(input)
  const [submitted, setSubmitted] = useState<DecisionOutcome>('approve')
  const changed =
    request.revision !== displayedRequest.revision || request.digest !== displayedRequest.digest
  const decidable = request.state === 'pending' && request.eligibility.canDecide && !changed
  const { submission, submit, signature, loadStage, forget } = useSignedSubmit(
    request.id,
    decidable,
  )
  const unsent = useHeldOf(request.id)

  const signs = choice === 'approve' && displayedRequest.signatureRequired
  const recorded = submission.state === 'recorded' ? submission.answer : null
  const hasVoted = useOwnVote(request) !== null
  // No answer came, and by now the request has the vote.
  const refusal =
    submission.state === 'refused' && !(submission.refusal.code === 'network' && hasVoted)
      ? submission.refusal
      : null
  const submitting = submission.state === 'submitting'
  const busy = submitting || signature.signing
  // The stream may report the person's own decision before its answer arrives. It is not somebody
  // else's.
  const votable = recorded === null && unsent === null && (submitting || decidable)

  const send = async (thenNext: boolean): Promise<void> => {
    if (busy || !votable) return
    if (obstacle !== null) return remind()
    const body = decisionBody(displayedRequest, fields)
    const outcome = choice === 'stop' ? 'stop' : body.decision
    setSubmitted(outcome)
    const signedBody = signs ? await signature.sign(body) : body
    if (signedBody === null) return
    const answer = await submit(signedBody)
    if (answer === null) return
    input.onRecorded()
    setReason('')
    if (!thenNext) return
    onNext?.()
    announce(await sentenceNow(answer, outcome))
  }
  return {
    reason: fields.reason,
    setReason,
    obstacle,
    obstacleVisible,
    remind,
    isDenial: choice === 'deny' || choice === 'stop',
    /** the passkey of the person signs the approval */
    signs,
    signature,
    /** a second press of A or D does not submit */
    onlyByChord: request.risk === 'high' || signs,
    busy,
    submitting,
    /** the request has another revision than the one the person opened */
    changed,
    /** the form is on the page */
    votable,
    /** the request ended without this decision */
    closed: recorded === null && refusal === null && !submitting && request.state !== 'pending',
    recorded,
    refusal,
    /** the decision as submitted last */
    submitted,
    /** a decision that is held and not sent yet */
    unsent,
    send,
    /** Holds the decision for a moment, in which it can be undone, and shows the next request. */
    hold(): void {
      holdForUndo(input, decisionBody(displayedRequest, fields))
      // If it is taken back or refused, the next press of the key is a first one.
      input.unsentChoice.setChoice(choice)
      onNext?.()
    },
    loadStage,
    forget,
  }
}

/** The fields of a decision, and the obstacle: why they cannot be submitted yet. */
function useFields(input: DecisionInput) {
  const { choice, scopeChoice, again } = input.unsentChoice
  const offline = useConnection() === 'offline'
  const [openedAtMs] = useState(() => Date.now())
  const [reason, setReason] = useDraft(input.request.id, 'reason')
  const [wasReminded, setWasReminded] = useState(false)
  const fields: PanelFields = {
    choice,
    ...scopeChoice,
    reason,
    fullyViewed: input.fullyViewed,
    hasMaskedSecrets: input.hasMaskedSecrets,
    offline,
    again,
    nowMs: openedAtMs,
  }
  const obstacle = whyNotSubmit(input.displayedRequest, fields)
  return {
    fields,
    setReason,
    obstacle,
    obstacleVisible:
      obstacle !== null && (wasReminded || (choice !== null && offline) || choice === 'approve'),
    /** Shows the obstacle, because the person tried to submit. */
    remind: (): void => setWasReminded(true),
  }
}

/** The submission of a decision, and its signature, which a refusal discards. */
function useSignedSubmit(requestId: string, isDecidable: boolean) {
  const submit = useSubmit(
    useCallback(
      (body: DecisionBody, sending: SubmitOptions) =>
        callApi('decideRequest', { params: { id: requestId }, body, ...sending }),
      [requestId],
    ),
  )
  const signature = useSignature(requestId, isDecidable)
  const { submission } = submit
  const { forget: signAnew } = signature
  const isRefused = submission.state === 'refused' && submission.refusal.code !== 'network'
  useEffect(() => {
    if (isRefused) signAnew()
  }, [isRefused, signAnew])
  return { ...submit, signature }
}

function holdForUndo({ request, displayedRequest }: DecisionInput, body: DecisionBody): void {
  const isApproval = body.decision === 'approve'
  const act = isApproval ? 'Approve' : verbs.deny
  holdDecision({
    requestId: request.id,
    number: request.number,
    act,
    effect: maskedString(displayedRequest.effect),
    body,
    recordedWords: (answer) => sentenceNow(answer, body.decision),
    refusedWords: refusalOf(isApproval ? 'approval' : 'denial'),
    say: (words) => announce(`${act} #${request.number}: ${words}`),
  })
  announce(`${act} #${request.number}: sent in 5 seconds. Press Z to take it back.`)
}
