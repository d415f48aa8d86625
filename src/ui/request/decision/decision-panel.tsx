import { Button, Checkbox, Textarea } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { callApi } from '../../api/call-api.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { platform } from '../../keyboard/platform.ts'
import { keysOf } from '../../keyboard/shortcuts.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { announce } from '../../states/announce.tsx'
import { copyText } from '../../text/copy-text.ts'
import { clockTime } from '../../text/time.tsx'
import { denialReaders } from '../comments/commented.ts'
import { ChoiceList } from './choosing/choice-list.tsx'
import { ChangedBanner } from './choosing/changed-banner.tsx'
import { decisionBody, needsAgain, whyNotSubmit, whyReasonOf } from './choosing/decision-body.ts'
import { useDraft } from '../../states/draft.ts'
import { EditForm } from '../editing/edit-form.tsx'
import { DenialReason } from '../../states/denial-reason.tsx'
import { Notice } from '../../states/notice.tsx'
import { resultsInFile } from '../editing/results-in-file.ts'
import { Refused, refusalOf } from './wording/refused.tsx'
import { RevisionNote } from './wording/revision-note.tsx'
import { RecordedSentence } from './wording/recorded-sentence.tsx'
import { ScopeFields } from './choosing/scope-fields.tsx'
import type { UnsentChoice } from './choosing/use-chosen.ts'
import { stageSentence, type DecisionOutcome } from './wording/stage-sentence.ts'
import { outcomeOf, toneOfEffect, whyNotYours } from '../facts/state-words.ts'
import { SignatureNote } from './signature-note.tsx'
import { holdDecision, useHeldOf } from '../../sending/held-decisions.ts'
import { useSignature } from './use-signature.ts'
import { type SubmitOptions, useSubmit } from './use-submit.ts'
import './decision-panel.css'

/**
 * Where a request is decided. `shown` is what the person opened; `request` is the newest. Nothing
 * is chosen beforehand, deny comes first, and nothing counts before the service has said so.
 */
export function DecisionPanel(props: {
  request: RequestDetail
  opened: RequestDetail
  chosen: UnsentChoice
  fullyViewed: boolean
  /** something that looks like a secret is still masked */
  masked: boolean
  onReview: () => void
  /** it was changed here: what it became */
  onRevised: (fresh: RequestDetail) => void
  /** the service has said that it counts */
  onRecorded: () => void
  onNext: () => void
}) {
  const { request, opened } = props
  const offline = useConnection() === 'offline'
  const { choice, setChoice, reach, setReach, again: isAgain, setAgain } = props.chosen
  const [openedAtMs] = useState(() => Date.now())
  const [reason, setReason] = useDraft(request.id, 'reason')
  const [nagged, setNagged] = useState(false)
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

  const changed = request.revision !== opened.revision || request.digest !== opened.digest
  const { fullyViewed, masked } = props
  const fields = {
    choice,
    ...reach,
    reason,
    fullyViewed,
    masked,
    offline,
    again: isAgain,
    nowMs: openedAtMs,
  }
  const obstacle = whyNotSubmit(opened, fields)
  const obstacleVisible =
    obstacle !== null && (nagged || (choice !== null && offline) || choice === 'approve')
  const signature = useSignature(request.id)
  const busy = submission.state === 'submitting' || signature.signing
  const signs = choice === 'approve' && opened.signatureRequired
  const recorded = submission.state === 'recorded' ? submission.answer : null
  // The stream may tell of one's own decision before it is answered: that is not somebody else's.
  const submitting = submission.state === 'submitting'
  const decidable = request.state === 'pending' && request.eligibility.canDecide && !changed
  const unsent = useHeldOf(request.id)
  const votable = recorded === null && unsent === null && (submitting || decidable)
  const closed = recorded === null && !submitting && request.state !== 'pending'

  const send = async (thenNext: boolean): Promise<void> => {
    if (busy || !votable) return
    if (obstacle !== null) {
      setNagged(true)
      return
    }
    const body = decisionBody(opened, fields)
    const decided = choice === 'stop' ? 'stop' : body.decision
    setSubmitted(decided)
    const signed = signs ? await signature.sign(body) : body
    if (signed === null) return
    const answer = await submit(signed)
    if (answer === null) return
    props.onRecorded()
    setReason('')
    if (!thenNext) return
    announce(stageSentence(answer, decided, request, false))
    props.onNext()
  }
  /** By key, at low and medium risk: it is sent in a moment, until when it can be taken back. */
  const sendByKey = (): void => {
    if (busy || !votable) return
    if (request.risk === 'high' || signs) {
      announce(`Submit this with ${keysOf('submit', platform).join(' ').replace('⏎', 'Enter')}.`)
      return
    }
    if (obstacle !== null) {
      setNagged(true)
      announce(obstacle)
      return
    }
    const body = decisionBody(opened, fields)
    const act = body.decision === 'approve' ? 'Approve' : 'Deny'
    const words = refusalOf(act === 'Approve' ? 'approval' : 'denial')
    holdDecision({
      requestId: request.id,
      number: request.number,
      act,
      effect: opened.effect,
      body,
      recordedWords: (answer) => stageSentence(answer, body.decision, request, false),
      refusedWords: words,
    })
    announce(`${act} #${request.number}: sent in 5 seconds. Press Z to take it back.`)
    props.onNext()
  }
  const refused = submission.state === 'refused' && submission.refusal.code !== 'network'
  const { forget: signAnew } = signature
  useEffect(() => {
    if (refused) signAnew()
  }, [refused, signAnew])
  useShortcut('submit', votable ? () => void send(false) : null)
  useShortcut('submitNext', votable ? () => void send(true) : null)

  return (
    <div className="column decision-panel">
      {changed && recorded === null && !submitting && (
        <ChangedBanner
          opened={opened}
          current={request}
          onReview={() => (forget(), props.onReview())}
        />
      )}
      {submission.state === 'refused' && !changed && (
        <Refused refusal={submission.refusal} attempted={submitted} />
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
        {request.state === 'pending' && recorded === null && !request.eligibility.canDecide && (
          <Notice tone="plain" title={whyNotYours(request.eligibility.reason)} />
        )}
      </div>
      {!votable && recorded === null && unsent === null && reason !== '' && (
        <div className="kept-note">
          <p className="small dim">Your note, not sent:</p>
          <p className="break">{reason}</p>
          <Button size="xs" variant="default" onClick={() => void copyText(reason, 'Note')}>
            Copy my note
          </Button>
        </div>
      )}
      {votable && (
        <form
          className="column"
          onSubmit={(event) => {
            event.preventDefault()
            void send(false)
          }}
        >
          <RevisionNote opened={opened} />
          <ChoiceList
            request={opened}
            choice={choice}
            onChoose={setChoice}
            onAgain={sendByKey}
            disabled={busy}
          />
          {choice === 'approve' &&
            opened.allowedScopes.length + opened.scopesNotOffered.length > 1 && (
              <ScopeFields request={opened} value={reach} onChange={setReach} />
            )}
          {choice === 'edit' ? (
            resultsInFile(opened) ? (
              <p className="small">
                The file is open for changes on the page. Its preview is the new revision, which is
                then decided as shown.
              </p>
            ) : (
              <EditForm opened={opened} onDone={props.onRevised} />
            )
          ) : (
            <>
              {choice === 'deny' || choice === 'stop' ? (
                <DenialReason
                  description={denialReaders(request)}
                  required={whyReasonOf(choice, opened) !== null}
                  minRows={2}
                  disabled={busy}
                  value={reason}
                  onChange={setReason}
                />
              ) : (
                <Textarea
                  label="Reason"
                  description="Recorded with the decision."
                  required={whyReasonOf(choice, opened) !== null}
                  autosize
                  minRows={2}
                  maxRows={8}
                  maxLength={4000}
                  value={reason}
                  onChange={(event) => setReason(event.currentTarget.value)}
                />
              )}
              {needsAgain(choice, opened) && (
                <Checkbox
                  label="Yes, again"
                  description={`${againSentence(opened.alike.again) ?? ''}.`}
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
                <Button
                  variant="default"
                  disabled={busy || obstacle !== null}
                  onClick={() => void send(true)}
                  {...nextKeys}
                >
                  Submit and next
                </Button>
              </div>
            </>
          )}
        </form>
      )}
      {recorded !== null && (
        <Button variant="default" onClick={props.onNext}>
          Next request
        </Button>
      )}
    </div>
  )
}

function submitWords(busy: boolean, signing: boolean, signs: boolean): string {
  if (signing) return 'Waiting for your passkey…'
  if (busy) return 'Submitting…'
  return signs ? 'Sign and submit' : 'Submit'
}
