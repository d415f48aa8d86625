import { Checkbox } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { later } from '../../states/later.tsx'
import { Loading } from '../../states/loading.tsx'
import { DenialReaders } from '../comments/commented-request.ts'
import { NewCommentsHere } from '../comments/comments.tsx'
import { resultsInFile } from '../editing/results-in-file.ts'
import { ChoiceList } from './choosing/choice-list.tsx'
import { needsAgain } from './choosing/decision-body.ts'
import { ReasonField } from './choosing/reason-field.tsx'
import { ScopeFields } from './choosing/scope-fields.tsx'
import { SignatureNote } from './decision-notes.tsx'
import { SubmitRow } from './submit-row.tsx'
import type { Decision, DecisionInput } from './use-decision.ts'
import { verbs } from '../../words/verbs.ts'

/** Loaded for queues that want a signature. */
const MissingPasskeyNote = later(() =>
  import('./missing-passkey-note.tsx').then((module) => module.MissingPasskeyNote),
)

/** Loaded for the few decisions that change a call. */
const EditForm = later(
  () => import('../editing/edit-form.tsx').then((module) => module.EditForm),
  () => <Loading what="the form" lines={3} />,
)

/** The form of a decision: its choice, the scope, the reason, and what submits it. */
export function DecisionForm(props: {
  input: DecisionInput
  decision: Decision
  /** called for a second press of A or D */
  onAgain: () => void
  /** called for a digit on a choice; returns whether it has a meaning */
  onDigit: (digit: number) => boolean
  /** called with the new revision after a change in this form */
  onRevised: (fresh: RequestDetail) => void
}) {
  const { input, decision } = props
  const { displayedRequest, unsentChoice } = input
  const { choice } = unsentChoice
  const { allowedScopes, scopesNotOffered } = displayedRequest
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault()
        void decision.send(false)
      }}
    >
      <RevisionNote request={displayedRequest} />
      <ChoiceList
        request={displayedRequest}
        unsentChoice={unsentChoice}
        onAgain={props.onAgain}
        onDigit={props.onDigit}
        disabled={decision.busy}
      />
      {displayedRequest.signatureRequired && <MissingPasskeyNote />}
      {choice === 'approve' && allowedScopes.length + scopesNotOffered.length > 1 && (
        <ScopeFields
          request={displayedRequest}
          value={unsentChoice.scopeChoice}
          onChange={unsentChoice.setScopeChoice}
        />
      )}
      {choice !== 'edit' ? (
        <ReasonAndSubmit input={input} decision={decision} />
      ) : resultsInFile(displayedRequest) ? (
        <p className="small">
          The file is open for changes on the page. Its preview is the new revision, which is then
          decided as shown.
        </p>
      ) : (
        <EditForm request={displayedRequest} onDone={props.onRevised} />
      )}
    </form>
  )
}

function ReasonAndSubmit({ input, decision }: { input: DecisionInput; decision: Decision }) {
  const { request, displayedRequest, unsentChoice, comments, onNext } = input
  const { choice } = unsentChoice
  const { busy, signs, signature, obstacle } = decision
  return (
    <>
      <div className="beside-reason">
        <NewCommentsHere count={comments.newCount} onShow={input.onShowComments} />
        <ReasonField
          request={displayedRequest}
          choice={choice}
          denialReaders={<DenialReaders request={request} />}
          disabled={busy}
          value={decision.reason}
          onChange={decision.setReason}
        />
      </div>
      {needsAgain(choice, displayedRequest) && (
        <Checkbox
          label="Yes, again"
          description={`${againSentence(displayedRequest.alike.again) ?? ''}.`}
          checked={unsentChoice.again}
          onChange={(event) => unsentChoice.setAgain(event.currentTarget.checked)}
        />
      )}
      {signs && <SignatureNote problem={signature.problem} />}
      <div role="status">{decision.obstacleVisible && <p className="obstacle">{obstacle}</p>}</div>
      <SubmitRow
        words={submitWords(decision)}
        isDenial={decision.isDenial}
        disabled={busy || obstacle !== null}
        onlyByChord={decision.onlyByChord}
        onSubmitNext={onNext === null ? null : () => void decision.send(true)}
      />
    </>
  )
}

function submitWords({ busy, signs, signature }: Decision): string {
  if (signature.signing) return 'Waiting for your passkey…'
  if (busy) return verbs.submitting
  return signs ? 'Sign and submit' : verbs.submit
}

/** Says that the call was changed, and by whom. */
function RevisionNote({ request }: { request: RequestDetail }) {
  if (request.revision === 1) return null
  const editor = request.revisions.find(({ revision }) => revision === request.revision)?.editor
  return (
    <p className="small dim">
      You decide revision {request.revision}
      {editor ? `: ${editor.name} changed the call` : ''}.
    </p>
  )
}
