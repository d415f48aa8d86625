import { IconClock, IconMessage, IconRobot, IconTool } from '@tabler/icons-react'
import { memo, useState } from 'react'
import { Link } from 'react-router'
import type {
  CallApprovalView,
  TranscriptCall,
  TranscriptItem,
} from '#api/schemas/runs/transcript.ts'
import { needOfRun } from '#domain/runs/need-of-run.ts'
import { approvalSentence } from '#domain/text/approval-words.ts'
import { useRun, useTranscript } from '../../api/queries.ts'
import { Failure } from '../../states/failure.tsx'
import { later } from '../../states/later.tsx'
import { SecretsContext, useRunSecrets } from '../../text/secret-chips.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { CallDecider, CallDecision, CheckLink, useIsOpen } from '../calls/call-decision.tsx'
import { CallResultView } from '../calls/call-result.tsx'
import { FoldedText } from '../calls/folded-text.tsx'
import { callStateText } from '../calls/call-state-text.ts'
import { callVerdict } from '../calls/call-verdict.ts'
import { callSubject } from '#domain/text/call-subject.ts'
import { CompactionView, summarisedThrough } from './compaction-view.tsx'
import { MessageFiles } from '../files/message-files.tsx'
import { LiveOutput } from '../live/live-output.tsx'
import { RunState } from '../run-state.tsx'
import { turnPlace } from './go-to-turn.tsx'
import { ModelWords } from './model-words.tsx'
import { verbs } from '../../words/verbs.ts'
import { TurnWords } from './turn-words.tsx'
import { useLinked } from './use-linked.ts'
import './turn-view.css'

interface TurnViewProps {
  item: TranscriptItem
  runId: string
  /** false: the page already shows the call's difference or command */
  showsEffects: boolean
  /** the model sees a summary instead of this entry */
  isSummarised: boolean
  /** its turn can be named in the address of this page */
  isPlace?: boolean
  /** it is far from the end of a long run: drawn by the browser while it is near the screen */
  isFar?: boolean
}

/**
 * One entry of a transcript: a message, or a message of the model with its calls. Each event of a
 * run loads its transcript anew, and only the entries that changed are drawn again.
 */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { item, runId, showsEffects, isSummarised } = props
  const place = turnPlace(item.turn)
  const linked = useLinked(place)
  const isPlace = props.isPlace === true && item.role === 'assistant'
  if (item.role === 'compaction') return <CompactionView item={item} />
  const fromPerson = item.role === 'user'
  const Icon = fromPerson ? IconMessage : IconRobot
  const kind = fromPerson ? 'turn turn-person' : 'turn'
  return (
    <article
      className={props.isFar === true ? `${kind} turn-far` : kind}
      {...(isPlace && { id: place, tabIndex: -1, ref: linked })}
    >
      <span className="turn-icon">
        <Icon size={16} aria-hidden />
      </span>
      <div className="grow column turn-body">
        <p className="small">
          <strong>{fromPerson ? (item.author?.name ?? 'Message') : 'The model'}</strong>{' '}
          <span className="dim">
            turn {item.turn} · <Time at={item.at} />
            {isSummarised && ' · the model sees it only in its summary'}
          </span>
          {isFinished(item) && (
            <>
              {' '}
              <Link to={`/runs/${runId}/fork?after=${item.turn}`}>Fork after turn {item.turn}</Link>
            </>
          )}
          {hasOpenRequests(item) && (
            <>
              {' '}
              <Link to={`/runs/${runId}/turns/${item.turn}`}>{verbs.decideTurn}</Link>
            </>
          )}
        </p>
        {item.text !== undefined && item.text !== '' && (
          <TurnWords text={item.text}>
            {fromPerson ? <VisibleText text={item.text} /> : <ModelWords text={item.text} />}
          </TurnWords>
        )}
        {item.files !== undefined && <MessageFiles runId={runId} files={item.files} />}
        {item.calls?.map((call, index, calls) => (
          <CallView
            key={call.callId}
            call={call}
            calls={calls}
            index={index}
            runId={runId}
            showsEffect={showsEffects}
          />
        ))}
      </div>
    </article>
  )
})

/** All entries of a transcript in order. The model always keeps the task. */
export function TurnViews(props: {
  items: readonly TranscriptItem[]
  runId: string
  /** the page is that of the run, whose turns its address can name */
  arePlaces?: boolean
}) {
  const { items, runId } = props
  const through = summarisedThrough(items)
  const near = items.length - nearEntries
  return items.map((item, index) => (
    <TurnView
      // oxlint-disable-next-line react/no-array-index-key -- a transcript grows at its end
      key={index}
      item={item}
      runId={runId}
      showsEffects
      isSummarised={index > 0 && item.turn <= through}
      isPlace={props.arePlaces === true}
      isFar={index < near && isSettled(item)}
    />
  ))
}

/** The newest entries are always drawn, so that the place of the end is exact. */
const nearEntries = 30

/** Whether nothing of an entry can change any more. */
function isSettled({ calls = [] }: TranscriptItem): boolean {
  return calls.every((call) => call.result !== undefined)
}

/** If a part of the page cannot be loaded, the rest stays as it is. */
const CallEffect = later(
  () =>
    import('../calls/call-effect.tsx').then(
      (module) => module.CallEffect,
      () => NotLoaded,
    ),
  () => <span aria-busy="true" />,
)
function NotLoaded() {
  return <p className="dim small">The effect of this call did not load. Load the page again.</p>
}

/** Whether more than one request of the turn is pending, so that its change set is useful. */
function hasOpenRequests({ role, calls = [] }: TranscriptItem): boolean {
  const open = calls.filter((call) => call.requestState === 'pending' && call.manual !== true)
  return role === 'assistant' && open.length > 1
}

/** Whether a run can be forked here: a turn of the model whose calls all have results. */
function isFinished({ role, turn, calls = [] }: TranscriptItem): boolean {
  return role === 'assistant' && turn > 0 && calls.every((call) => call.result !== undefined)
}

function CallView(props: {
  call: TranscriptCall
  calls: readonly TranscriptCall[]
  index: number
  runId: string
  showsEffect: boolean
}) {
  const { call, calls, index, runId, showsEffect } = props
  const stateText = callStateText(calls, index)
  const waits = stateText !== null
  const linked = useLinked(`call-${call.callId}`)
  const isOpen = useIsOpen(call.requestId)
  // The title of the open form is the question.
  const subject = isOpen && call.tool === 'ask_person' ? null : callSubject(call.input)
  return (
    <div
      id={`call-${call.callId}`}
      className={`call ${waits ? 'call-waits' : ''}`}
      tabIndex={-1}
      ref={linked}
    >
      <div className="row">
        {waits ? <IconClock size={15} aria-hidden /> : <IconTool size={15} aria-hidden />}
        <code>
          <VisibleText text={call.tool} />
        </code>
        {subject !== null && (
          <code className="call-subject">
            <VisibleText text={subject} />
          </code>
        )}
        <span className="dim small">
          {calls.length > 1 && `call ${index + 1} of ${calls.length}, `}
          {call.manual === true && 'invoked by hand, '}
          {callVerdict(call)}
          {call.approval !== undefined && (
            <>
              , <Approval tool={call.tool} approval={call.approval} />
            </>
          )}
          {call.denial !== undefined && (
            <>
              , denied by {call.denial.by.name} <Time at={call.denial.at} />
            </>
          )}
          {stateText !== null && call.requestState !== 'pending' && `, ${stateText}`}
        </span>
        {call.requestId !== undefined && (
          <Link className="small" to={`/requests/${call.requestId}`}>
            {call.requestState === 'pending'
              ? `Waits for ${call.tool === 'ask_person' ? 'an answer' : 'a decision'}`
              : 'The request'}
          </Link>
        )}
        {call.requestState === 'pending' && <CallDecider call={call} runId={runId} />}
        {call.outcomeCheck !== undefined && (
          <CheckLink requestId={call.outcomeCheck} runId={runId} />
        )}
      </div>
      {isOpen && call.requestId !== undefined && (
        <CallDecision placeId={`call-${call.callId}`} requestId={call.requestId} />
      )}
      {showsEffect && !isOpen && <CallEffect call={call} />}
      <FoldedText summary="Input" text={JSON.stringify(call.input, null, 2)} />
      {call.childRunId !== undefined && <ChildRun runId={call.childRunId} />}
      {call.live !== undefined && call.result === undefined && (
        <LiveOutput callId={call.callId} live={call.live} />
      )}
      {call.result !== undefined && (
        <CallResultView result={call.result} callId={call.callId} tool={call.tool} />
      )}
    </div>
  )
}

/** Who approved a call and with which scope, with a link to the request of an earlier approval. */
function Approval({ tool, approval }: { tool: string; approval: CallApprovalView }) {
  const sentence = approvalSentence(tool, approval)
  if (!approval.remembered) return sentence
  return <Link to={`/requests/${approval.requestId}`}>{sentence}</Link>
}

/** The child run of a delegation: its worker and state, and its transcript on request. */
function ChildRun({ runId }: { runId: string }) {
  const run = useRun(runId)
  const [isOpen, setIsOpen] = useState(false)
  if (run.data === undefined) return null
  const { worker, pendingRequests } = run.data
  return (
    <section className="child-run" aria-label={`Run of ${worker}`}>
      <div className="row">
        <Link to={`/runs/${runId}`}>The run of {worker}</Link>
        <RunState run={run.data} />
        {pendingRequests > 0 && (
          <Link className="decide-link" to={`/?runId=${runId}`}>
            {pendingRequests} to {needOfRun(run.data)}
          </Link>
        )}
      </div>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="small">Its turns</summary>
        {isOpen && <ChildTurns runId={runId} />}
      </details>
    </section>
  )
}

function ChildTurns({ runId }: { runId: string }) {
  const transcript = useTranscript(runId)
  const { others } = useRunSecrets(runId)
  if (transcript.isPending) return <p className="dim">Loading the turns…</p>
  if (transcript.isLoadingError) return <Failure query={transcript} />
  return (
    <SecretsContext value={others}>
      <div className="timeline">
        <TurnViews items={transcript.data.items} runId={runId} />
      </div>
    </SecretsContext>
  )
}
