import { Button, Checkbox } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { callApi } from '../../api/call-api.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { focusAfterKey } from '../../keyboard/focus-after-key.ts'
import { platform } from '../../keyboard/platform.ts'
import { keysOf } from '../../keyboard/shortcuts.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { announce } from '../../states/announce.tsx'
import { denialReaders } from '../comments/commented-request.ts'
import { ChoiceList } from './choosing/choice-list.tsx'
import { ChangedBanner } from './choosing/changed-banner.tsx'
import { decisionBody, needsAgain, whyNotSubmit, whyReasonOf } from './choosing/decision-body.ts'
import { useDraft } from '../../states/draft.ts'
import { reasonPresets, withPreset } from '../../states/reason-presets.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { later } from '../../states/later.tsx'
import { Loading } from '../../states/loading.tsx'
import { resultsInFile } from '../editing/results-in-file.ts'
import { RefusedDecision, refusalOf } from './wording/refused-decision.tsx'
import { RevisionNote } from './wording/revision-note.tsx'
import { DecisionResult } from './wording/decision-result.tsx'
import { ReasonField } from './choosing/reason-field.tsx'
import { ScopeFields } from './choosing/scope-fields.tsx'
import type { UnsentChoice } from './choosing/use-unsent-choice.ts'
import { stageSentence, type DecisionOutcome } from './wording/stage-sentence.ts'
import { SignatureNote, UnsentNote } from './decision-notes.tsx'
import { holdDecision, useHeldOf } from '../../sending/held-decisions.ts'
import { SubmitRow } from './submit-row.tsx'
import { useSignature } from './use-signature.ts'
import { type SubmitOptions, useSubmit } from './use-submit.ts'
import { verbs } from '../../words/verbs.ts'
import './decision-panel.css'

/** Loaded for the few decisions that change a call. */
const EditForm = later(
  () => import('../editing/edit-form.tsx').then((module) => module.EditForm),
  () => <Loading what="the form" lines={3} />,
)

/**
 * The panel that decides a request. `displayedRequest` is the revision that the person opened;
 * `request` is the newest state. There is no choice at first, deny comes first, and nothing counts
 * before the service has confirmed it.
 */
export function DecisionPanel(props: {
  request: RequestDetail
  displayedRequest: RequestDetail
  unsentChoice: UnsentChoice
  fullyViewed: boolean
  /** scrolls to what has not been on the screen; false: there is nothing to show */
  onShowUnseen: () => boolean
  /** a value that looks like a secret is still masked */
  hasMaskedSecrets: boolean
  onReview: () => void
  /** called with the new revision after a change in this panel */
  onRevised: (fresh: RequestDetail) => void
  /** called once the service has recorded the decision */
  onRecorded: () => void
  /** null: nothing comes next */
  onNext: (() => void) | null
}) {
  const { request, displayedRequest } = props
  const offline = useConnection() === 'offline'
  const { choice, setChoice, reach, setReach, again: isAgain, setAgain } = props.unsentChoice
  const [openedAtMs] = useState(() => Date.now())
  const [reason, setReason] = useDraft(request.id, 'reason')
  const [wasReminded, setWasReminded] = useState(false)
  const { submission, submit, again, forget } = useSubmit(
    useCallback(
      (body: DecisionBody, sending: SubmitOptions) =>
        callApi('decideRequest', { params: { id: request.id }, body, ...sending }),
      [request.id],
    ),
  )
  const [submitted, setSubmitted] = useState<DecisionOutcome>('approve')

  const changed =
    request.revision !== displayedRequest.revision || request.digest !== displayedRequest.digest
  const { fullyViewed, hasMaskedSecrets } = props
  const fields = {
    choice,
    ...reach,
    reason,
    fullyViewed,
    hasMaskedSecrets,
    offline,
    again: isAgain,
    nowMs: openedAtMs,
  }
  const obstacle = whyNotSubmit(displayedRequest, fields)
  const obstacleVisible =
    obstacle !== null && (wasReminded || (choice !== null && offline) || choice === 'approve')
  const signature = useSignature(request.id)
  const busy = submission.state === 'submitting' || signature.signing
  const signs = choice === 'approve' && displayedRequest.signatureRequired
  const onlyByChord = request.risk === 'high' || signs
  const isDenial = choice === 'deny' || choice === 'stop'
  const recorded = submission.state === 'recorded' ? submission.answer : null
  // The stream may report the person's own decision before its answer arrives. It is not somebody
  // else's.
  const submitting = submission.state === 'submitting'
  const decidable = request.state === 'pending' && request.eligibility.canDecide && !changed
  const unsent = useHeldOf(request.id)
  const votable = recorded === null && unsent === null && (submitting || decidable)
  const panel = useFocusReturn<HTMLDivElement>(votable)
  const closed = recorded === null && !submitting && request.state !== 'pending'

  const send = async (thenNext: boolean): Promise<void> => {
    if (busy || !votable) return
    if (obstacle !== null) {
      setWasReminded(true)
      return
    }
    const body = decisionBody(displayedRequest, fields)
    const decided = choice === 'stop' ? 'stop' : body.decision
    setSubmitted(decided)
    const signedBody = signs ? await signature.sign(body) : body
    if (signedBody === null) return
    const answer = await submit(signedBody)
    if (answer === null) return
    props.onRecorded()
    setReason('')
    if (!thenNext) return
    announce(stageSentence(answer, decided, request, false))
    props.onNext?.()
  }
  /** What is to be done first comes on the screen: reading, then the reason, then the tick. */
  const goToObstacle = (): void => {
    if (choice === 'approve' && request.risk === 'high' && !fullyViewed && props.onShowUnseen()) {
      return
    }
    if (whyReasonOf(choice, displayedRequest) !== null && reason.trim() === '') goToReason()
    else panel.current?.querySelector<HTMLElement>('input[type="checkbox"]')?.focus()
  }
  const goToReason = (): void => {
    const field = panel.current?.querySelector('textarea')
    const [key = ''] = keysOf(choice === 'approve' ? 'approve' : 'deny', platform)
    if (field != null) focusAfterKey(field, key)
  }
  /** A digit puts a common reason into a denial; `false`: it has none. */
  const chooseReason = (digit: number): boolean => {
    const preset = isDenial ? reasonPresets[digit - 1] : undefined
    if (preset === undefined) return false
    setReason(withPreset(preset, reason))
    if (preset.endsWith('…')) panel.current?.querySelector('textarea')?.focus()
    else announce(`Reason: ${preset}`)
    return true
  }
  /**
   * By key at low and medium risk, the decision is held for a moment, in which it can be undone.
   */
  const sendByKey = (): void => {
    if (busy || !votable) return
    if (obstacle !== null) {
      setWasReminded(true)
      announce(obstacle)
      goToObstacle()
      return
    }
    if (onlyByChord) {
      announce(`Submit this with ${keysOf('submit', platform).join(' ').replace('⏎', 'Enter')}.`)
      // Where letters are text: on the choices, a letter of a typed reason could choose another.
      goToReason()
      return
    }
    const body = decisionBody(displayedRequest, fields)
    const act = body.decision === 'approve' ? 'Approve' : verbs.deny
    const words = refusalOf(act === 'Approve' ? 'approval' : 'denial')
    holdDecision({
      requestId: request.id,
      number: request.number,
      act,
      effect: displayedRequest.effect,
      body,
      recordedWords: (answer) => stageSentence(answer, body.decision, request, false),
      refusedWords: words,
    })
    announce(`${act} #${request.number}: sent in 5 seconds. Press Z to take it back.`)
    props.onNext?.()
  }
  // The refusal above has the same reason.
  const isToldWhy =
    submission.state === 'refused' && submission.refusal.code === 'not_eligible' && !changed
  const isRefused = submission.state === 'refused' && submission.refusal.code !== 'network'
  const { forget: signAnew } = signature
  useEffect(() => {
    if (isRefused) signAnew()
  }, [isRefused, signAnew])
  useShortcut('submit', votable ? () => void send(false) : null)
  useShortcut('submitNext', votable && props.onNext !== null ? () => void send(true) : null)

  return (
    <div ref={panel} tabIndex={-1} className="column decision-panel">
      {changed && recorded === null && !submitting && (
        <ChangedBanner
          displayedRequest={displayedRequest}
          current={request}
          onReview={() => (forget(), props.onReview())}
        />
      )}
      {submission.state === 'refused' && !changed && (
        <RefusedDecision refusal={submission.refusal} decision={submitted} />
      )}
      <DecisionResult
        request={request}
        recorded={recorded}
        decided={submitted}
        again={again}
        unsent={unsent}
        closed={closed && submission.state !== 'refused'}
        isToldWhy={isToldWhy}
      />
      {!votable && recorded === null && unsent === null && reason !== '' && (
        <UnsentNote text={reason} />
      )}
      {votable && (
        <form
          className="column"
          onSubmit={(event) => {
            event.preventDefault()
            void send(false)
          }}
        >
          <RevisionNote request={displayedRequest} />
          <ChoiceList
            request={displayedRequest}
            choice={choice}
            onChoose={setChoice}
            onAgain={sendByKey}
            onDigit={chooseReason}
            disabled={busy}
          />
          {choice === 'approve' &&
            displayedRequest.allowedScopes.length + displayedRequest.scopesNotOffered.length >
              1 && <ScopeFields request={displayedRequest} value={reach} onChange={setReach} />}
          {choice === 'edit' ? (
            resultsInFile(displayedRequest) ? (
              <p className="small">
                The file is open for changes on the page. Its preview is the new revision, which is
                then decided as shown.
              </p>
            ) : (
              <EditForm request={displayedRequest} onDone={props.onRevised} />
            )
          ) : (
            <>
              <ReasonField
                request={displayedRequest}
                choice={choice}
                denialReaders={denialReaders(request)}
                disabled={busy}
                value={reason}
                onChange={setReason}
              />
              {needsAgain(choice, displayedRequest) && (
                <Checkbox
                  label="Yes, again"
                  description={`${againSentence(displayedRequest.alike.again) ?? ''}.`}
                  checked={isAgain}
                  onChange={(event) => setAgain(event.currentTarget.checked)}
                />
              )}
              {signs && <SignatureNote problem={signature.problem} />}
              <div role="status">{obstacleVisible && <p className="obstacle">{obstacle}</p>}</div>
              <SubmitRow
                words={submitWords(busy, signature.signing, signs)}
                isDenial={isDenial}
                disabled={busy || obstacle !== null}
                onlyByChord={onlyByChord}
                onSubmitNext={props.onNext === null ? null : () => void send(true)}
              />
            </>
          )}
        </form>
      )}
      {recorded !== null && props.onNext !== null && (
        <Button variant="default" onClick={props.onNext}>
          {verbs.nextRequest}
        </Button>
      )}
    </div>
  )
}

function submitWords(busy: boolean, signing: boolean, signs: boolean): string {
  if (signing) return 'Waiting for your passkey…'
  if (busy) return verbs.submitting
  return signs ? 'Sign and submit' : verbs.submit
}
