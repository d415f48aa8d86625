import { Button, Checkbox, Textarea } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { callApi } from '../../api/call-api.ts'
import { useAriaKeys, useKeyboard, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { focusAfterKey } from '../../keyboard/focus-after-key.ts'
import { Keys } from '../../keyboard/keys.tsx'
import { platform } from '../../keyboard/platform.ts'
import { keysOf } from '../../keyboard/shortcuts.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { announce } from '../../states/announce.tsx'
import { clockTime } from '../../text/time.tsx'
import { denialReaders } from '../comments/commented-request.ts'
import { ChoiceList } from './choosing/choice-list.tsx'
import { ChangedBanner } from './choosing/changed-banner.tsx'
import { decisionBody, needsAgain, whyNotSubmit, whyReasonOf } from './choosing/decision-body.ts'
import { useDraft } from '../../states/draft.ts'
import { DenialReason } from '../../states/denial-reason.tsx'
import { reasonPresets, withPreset } from '../../states/reason-presets.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { later } from '../../states/later.tsx'
import { Loading } from '../../states/loading.tsx'
import { Notice } from '../../states/notice.tsx'
import { resultsInFile } from '../editing/results-in-file.ts'
import { RefusedDecision, refusalOf } from './wording/refused-decision.tsx'
import { RevisionNote } from './wording/revision-note.tsx'
import { RecordedSentence } from './wording/recorded-sentence.tsx'
import { ScopeFields } from './choosing/scope-fields.tsx'
import type { UnsentChoice } from './choosing/use-unsent-choice.ts'
import { stageSentence, type DecisionOutcome } from './wording/stage-sentence.ts'
import { outcomeOf, toneOfEffect, whyNotYours } from '../facts/state-words.ts'
import { SignatureNote, UnsentNote } from './decision-notes.tsx'
import { holdDecision, useHeldOf } from '../../sending/held-decisions.ts'
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
  const { singleKeys } = useKeyboard()
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
  const submitKeys = useAriaKeys('submit')
  const nextKeys = useAriaKeys('submitNext')

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
    const preset = choice === 'deny' || choice === 'stop' ? reasonPresets[digit - 1] : undefined
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
    if (request.risk === 'high' || signs) {
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
      {/* Always there, so that what appears in it is read out. */}
      <div role="status" className="column">
        {recorded !== null && (
          <Notice
            tone={submitted === 'approve' ? toneOfEffect(request.execution) : 'plain'}
            title={submitted === 'approve' ? 'Approved by you' : 'Denied by you'}
          >
            <RecordedSentence
              answer={recorded}
              decided={submitted}
              request={request}
              again={again}
            />
          </Notice>
        )}
        {unsent !== null && (
          <Notice tone="plain" title={`${unsent.act}: not recorded yet`}>
            It is sent in a moment. Until then, press Z to take it back.
          </Notice>
        )}
        {closed && submission.state !== 'refused' && (
          <Notice tone="plain" title={outcomeOf(request)}>
            {request.decidedAt === null
              ? 'It can no longer be decided.'
              : `At ${clockTime(request.decidedAt)}. It can no longer be decided.`}
          </Notice>
        )}
        {request.state === 'pending' &&
          recorded === null &&
          !request.eligibility.canDecide &&
          !isToldWhy && <Notice tone="plain" title={whyNotYours(request.eligibility.reason)} />}
      </div>
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
              {choice === 'deny' || choice === 'stop' ? (
                <DenialReason
                  description={denialReaders(request)}
                  required={whyReasonOf(choice, displayedRequest) !== null}
                  minRows={2}
                  hasDigits
                  disabled={busy}
                  value={reason}
                  onChange={setReason}
                />
              ) : (
                <Textarea
                  label="Reason"
                  description="Recorded with the decision."
                  required={whyReasonOf(choice, displayedRequest) !== null}
                  autosize
                  minRows={2}
                  maxRows={8}
                  maxLength={4000}
                  value={reason}
                  onChange={(event) => setReason(event.currentTarget.value)}
                />
              )}
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
              <div className="row submit-row">
                <Button
                  type="submit"
                  color={choice === 'deny' || choice === 'stop' ? 'red' : 'indigo'}
                  disabled={busy || obstacle !== null}
                  {...submitKeys}
                >
                  {submitWords(busy, signature.signing, signs)}
                </Button>
                {props.onNext !== null && (
                  <Button
                    variant="default"
                    disabled={busy || obstacle !== null}
                    onClick={() => void send(true)}
                    {...nextKeys}
                  >
                    {verbs.submitNext}
                  </Button>
                )}
              </div>
              {singleKeys && (
                <p className="small dim key-hint" aria-hidden>
                  {request.risk === 'high' || signs ? (
                    <>
                      <Keys id="submit" /> submits.
                    </>
                  ) : (
                    'A or D, pressed twice, submits.'
                  )}
                </p>
              )}
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
