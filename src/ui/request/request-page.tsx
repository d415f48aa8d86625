import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { requestQuery } from '../api/queries.ts'
import { backToList, placeInList, useLastList, type PlaceInList } from './last-list.ts'
import { closeNotices } from '../push/device-notices.ts'
import { useHeldDecisions } from '../sending/held-decisions.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { later } from '../states/later.tsx'
import { focusHeadline } from '../states/lead-to.ts'
import { Loading, LoadingCards } from '../states/loading.tsx'
import { SecretsContext } from '../text/secret-chips.tsx'
import { maskedString } from '../text/masked-string.ts'
import { AgentStatement } from './agent-statement.tsx'
import { Comments, commentsTitleId } from '../deciding/comments/comments.tsx'
import { BeforeRestore } from '../deciding/facts/before-restore.tsx'
import { OpenedEffect } from '../deciding/opened-effect.tsx'
import { isWholeInTitle } from '../deciding/facts/question-text.ts'
import { RequestForm } from '../deciding/request-form.tsx'
import { useOpenedRequest, type OpenedRequest } from '../deciding/use-opened-request.ts'
import { useNarrow } from '../effect/settings/diff-settings.ts'
import { canChange } from './can-change.ts'
import { ExecutionResult, resultTitleId, useResultReady } from './execution-result.tsx'
import { Alike } from '../deciding/facts/alike.tsx'
import { DecisionPlace, ToOutcome } from './decision-place.tsx'
import { Decisions, hasHistory } from './decisions.tsx'
import { Quorum } from '../deciding/decision/quorum.tsx'
import { ModeBanner } from '../runs/page/mode-banner.tsx'
import { Proof } from './proof.tsx'
import { RequestHead } from './request-head.tsx'
import { RequestEffect, RequestSentence } from '../deciding/facts/request-sentence.tsx'
import { Siblings, TurnsBefore } from './surroundings.tsx'
import { Cues } from '../deciding/card/cues.tsx'
import { ApprovalReasons } from '../deciding/card/routing.tsx'
import { Task } from '../deciding/card/task.tsx'
import './request.css'

/** Loaded only for the few requests that have nothing left to show. */
const Erased = later(
  () => import('./erased.tsx').then((module) => module.Erased),
  () => <Loading what="what was erased" lines={3} />,
)

/** Loaded for commands that name files. */
const NamedFiles = later(
  () => import('../deciding/facts/named-files.tsx').then((module) => module.NamedFiles),
  () => <Loading what="the files that it names" lines={2} />,
)

/** Loaded for what programs request. */
const ProgramCard = later(
  () => import('./program-card.tsx').then((module) => module.ProgramCard),
  () => <Loading what="the program" lines={4} />,
)

/** One request and its decision panel. */
export function RequestPage() {
  const { id = '' } = useParams()
  const request = useQuery(requestQuery(id))
  // The keys of the list also work while a request loads.
  const list = useListKeys(request.data?.number ?? (/^\d+$/.test(id) ? Number(id) : null))
  if (request.data !== undefined) {
    return <WithResult key={request.data.id} request={request.data} list={list} />
  }
  if (request.isError) {
    return <Failure query={request} isPage />
  }
  return <LoadingCards what="the request" layout="beside" />
}

/** Shows a request together with its result, which would otherwise move what is below it. */
function WithResult({ request, list }: { request: RequestDetail; list: ListKeys }) {
  const isResultReady = useResultReady(request)
  const [isReady, setReady] = useState(isResultReady)
  if (isResultReady && !isReady) setReady(true)
  return isReady ? (
    <Opened request={request} list={list} />
  ) : (
    <LoadingCards what="the request" layout="beside" />
  )
}

/** The page of a request. `request` is its newest state; the page may show an older revision. */
function Opened({ request, list }: { request: RequestDetail; list: ListKeys }) {
  const view = useOpenedRequest(request)
  const { request: displayedRequest, secrets } = view
  const [isDecided, setDecided] = useState(false)
  // A result that arrives while somebody reads is placed where it moves nothing.
  const [comesLater] = useState(canChange(request))
  const isPhone = useNarrow()
  const isOutcomeBelow = comesLater && isPhone && request.state !== 'pending'
  const [hadHistory] = useState(hasHistory(request))
  useHeadlineFocus(displayedRequest.revision)
  useEffect(() => void closeNotices(request.id).catch(() => undefined), [request.id])
  const onRevised = (fresh: RequestDetail): void => {
    view.revise(fresh)
    toTop()
  }
  return (
    <div className="request">
      <RequestHead request={request} place={list.place} onSnoozed={list.goOn} />
      <div className="column request-main">
        <SecretsContext value={secrets.others}>
          <Summary request={request} displayedRequest={displayedRequest} region={view.region} />
        </SecretsContext>
        <ModeBanner
          mode={request.mode}
          startedBy={request.lineage.at(-1)?.startedBy?.name ?? null}
        />
        {request.askedBeforeRestore && !isDecided && <BeforeRestore />}
        {!comesLater && <ExecutionResult request={request} isBelowDecision={false} />}
        <SecretsContext value={secrets.others}>
          <Alike request={request} />
        </SecretsContext>
        {displayedRequest.erased !== null ? (
          <Erased requestId={request.id} erased={displayedRequest.erased} />
        ) : (
          // A question is shown once: its title and choices may already be all of it.
          !(request.kind === 'question' && isWholeInTitle(displayedRequest)) && (
            <OpenedEffect view={view} onRevised={onRevised} />
          )
        )}
        {displayedRequest.namedFiles.length > 0 && (
          <NamedFiles key={`files ${displayedRequest.revision}`} request={displayedRequest} />
        )}
        <SecretsContext value={secrets.others}>
          <Requester request={request} displayedRequest={displayedRequest} />
        </SecretsContext>
        <ApprovalReasons request={displayedRequest} />
        <Siblings request={request} />
        {hadHistory && <Decisions request={request} />}
        <Comments request={request} comments={view.comments} />
        <SecretsContext value={secrets.others}>
          <Proof request={request} displayedRequest={displayedRequest} />
        </SecretsContext>
        {!hadHistory && <Decisions request={request} />}
        {comesLater && isPhone && <ExecutionResult request={request} isBelowDecision={false} />}
      </div>
      <DecisionPlace
        request={request}
        isFileOpen={view.editsFile}
        unsentChoice={view.unsentChoice}
        hasOutcomeBelow={isOutcomeBelow}
      >
        {(goTo, leave) => (
          <>
            <RequestForm
              request={request}
              view={view}
              onReview={() => (view.review(), toTop())}
              onRevised={onRevised}
              onRecorded={() => setDecided(true)}
              onShowComments={() => (view.comments.showNew(), goTo(commentsTitleId))}
              onShowUnseen={leave}
              onNext={list.goNext}
              isOutcomeAbove={!comesLater}
            />
            <Quorum request={displayedRequest} />
            {comesLater && !isPhone && <ExecutionResult request={request} isBelowDecision />}
            {isOutcomeBelow && <ToOutcome onPress={() => goTo(resultTitleId)} />}
          </>
        )}
      </DecisionPlace>
    </div>
  )
}

/** What people read first: the task, the effect, whose request it is, and its cues. */
function Summary(props: {
  request: RequestDetail
  displayedRequest: RequestDetail
  region: OpenedRequest['region']
}) {
  const { request, displayedRequest } = props
  return (
    <>
      <Task request={request} />
      <Headline tab={`#${request.number} ${maskedString(requestHeadline(request))}`}>
        <RequestEffect request={displayedRequest} />
      </Headline>
      <p className="request-who">
        <RequestSentence request={displayedRequest} />
      </p>
      <Cues
        role="region"
        cues={displayedRequest.cues}
        presentation={displayedRequest.presentation}
        within={props.region}
      />
    </>
  )
}

function toTop(): void {
  window.scrollTo({ top: 0 })
}

/** Moves the focus to the headline after a change of the revision removed the form that had it. */
function useHeadlineFocus(revision: number): void {
  const shownRevision = useRef(revision)
  useEffect(() => {
    if (shownRevision.current === revision) return
    shownRevision.current = revision
    focusHeadline()
  }, [revision])
}

interface ListKeys {
  readonly place: PlaceInList
  readonly goNext: () => void
  /** as `goNext`, for a page that was opened from a list; else it stays */
  readonly goOn: () => void
}

/**
 * Goes through the list that led to the request, by keys and after a decision. `number` is null
 * until it is known.
 */
function useListKeys(number: number | null): ListKeys {
  const navigate = useNavigate()
  const { search } = useLocation()
  const client = useQueryClient()
  const decisions = useHeldDecisions().filter(({ stage }) => stage !== 'refused')
  const sent = new Set(decisions.map(({ number }) => number))
  const place = placeInList(useLastList(), number, sent)
  const { next, previous, nextToDecide } = place
  const open = (one: number): void => void navigate(`/requests/${one}${search}`)
  const goBack = (): void => void navigate(...backToList(search, number))
  useEffect(() => {
    // Loaded in advance, because deciding opens it next.
    const soon = nextToDecide ?? next
    if (soon !== null) void client.prefetchQuery(requestQuery(String(soon)))
  }, [client, next, nextToDecide])
  useShortcut('next', next === null ? null : () => open(next))
  useShortcut('previous', previous === null ? null : () => open(previous))
  useShortcut('back', goBack)
  const goNext = (): void => (nextToDecide === null ? goBack() : open(nextToDecide))
  return { place, goNext, goOn: () => place.position !== null && goNext() }
}

/** The origin of the request: the program with its words, or the agent with its statement. */
function Requester(props: { request: RequestDetail; displayedRequest: RequestDetail }) {
  const { request, displayedRequest } = props
  if (request.external !== null) return <ProgramCard request={request} />
  if (displayedRequest.erased !== null || displayedRequest.kind === 'start') return null
  // The service opened it, so there is no statement of a model.
  if (displayedRequest.kind === 'outcome_check') {
    return (
      <div className="card">
        <TurnsBefore request={request} />
      </div>
    )
  }
  return (
    <AgentStatement text={displayedRequest.agentReason}>
      <TurnsBefore request={request} />
    </AgentStatement>
  )
}
